"""The soak over planners: it counts what it tries, and would see a rule that rewards lies."""

import numpy as np
import pytest

import fedpact as fp
from reproduction.page import conclusions_of, plot_of
from reproduction.sweep import reproduce
from reproduction.truthfulness import draw_federation

PLANNERS = ["lp", "union", "tree", "exact", "auto"]


@pytest.fixture
def run(tmp_path):
    def run(**changes):
        changes = {"seeds": 1, "examples": ["pwyc-not-dominant"], "reports": 12} | changes
        return reproduce("truthfulness", changes=changes, store=tmp_path, workers=1)

    return run


@pytest.mark.slow
def test_every_planner_tries_its_share_and_no_lie_pays(run):
    found = run(seeds=2, reports=13)
    assert found["results"]["gains"] == []
    assert found["results"]["rows"] == [
        {"method": method, "federations": 3, "tried": 39, "gain": 0.0} for method in PLANNERS
    ]
    assert conclusions_of(found)[0] == "195 misreports: no misreport paid"
    assert run(planners=["tree"], seeds=2)["results"]["rows"][0]["federations"] == 3


def test_a_rule_that_rewards_lies_would_be_seen(run, monkeypatch):
    audit = fp.audit

    def pay_nothing(fed, rule, **options):
        return audit(fed, "none", **options)

    monkeypatch.setattr(fp, "audit", pay_nothing)
    found = run(planners=["lp", "exact"], examples=["alice-bob"])
    assert max(row["gain"] for row in found["results"]["rows"]) > 0
    worst = max(found["results"]["gains"], key=lambda one: one["gain"])
    assert f"{worst['gain']:.6g} with {worst['method']} in {worst['federation']}" in conclusions_of(found)[0]
    assert conclusions_of(found)[0].startswith("48 misreports: a defect: one paid")
    paid = [row["gain"] > 0 for row in found["results"]["rows"]]
    assert [bar.get_hatch() is not None for bar in plot_of(found).axes[0].patches] == paid


def test_federations_without_a_plan_are_drawn_anew(run, monkeypatch):
    """Every second federation has no plan; the others are audited all the same."""
    drawn, audit = [], fp.audit

    def sometimes(fed, rule, **options):
        drawn.append(fed)
        if len(drawn) % 2:
            raise fp.InfeasibleError("no plan")
        return audit(fed, rule, **options)

    monkeypatch.setattr(fp, "audit", sometimes)
    assert run(planners=["lp"], examples=[], seeds=3)["results"]["rows"][0]["federations"] == 3
    assert len(drawn) == 6
    assert len({fed.fingerprint for fed in drawn}) == 6


def test_what_was_cut_short_is_not_kept(run, monkeypatch):
    audit = fp.audit

    def stop(fed, rule, **options):
        entry = audit(fed, rule, **options).to_dict()
        return fp.Audit.from_dict(entry | {"is_complete": False})

    monkeypatch.setattr(fp, "audit", stop)
    with pytest.raises(KeyboardInterrupt):
        run(planners=["lp"])
    monkeypatch.undo()
    assert run(planners=["lp"])["results"]["rows"][0]["tried"] == 24


def test_federations_of_every_kind_are_drawn():
    rng = np.random.default_rng(0)
    feds = [draw_federation(rng, "lp") for _ in range(60)]
    assert {type(fed.evidence).__name__ for fed in feds} == {"Table", "Predictions", "Reports"}
    assert {fed.objective for fed in feds} == {"pac", "expected"}
    assert {fed.guarantee for fed in feds} == {"per-agent", "joint"}
    assert {agent.capacity is None for fed in feds for agent in fed.agents} == {True, False}
    drawn = [draw_federation(rng, "exact") for _ in range(60)]
    assert {type(fed.evidence).__name__ for fed in drawn} == {"Table", "Predictions"}
