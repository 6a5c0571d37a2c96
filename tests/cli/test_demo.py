"""``fedpact demo``: everything is worked out once, and shown in words and as JSON."""

import json
import re

import pytest

import fedpact as fp
from fedpact.cli import demo


@pytest.fixture(scope="module")
def worked_out():
    return list(demo.work_out())


@pytest.fixture
def once(monkeypatch, worked_out):
    monkeypatch.setattr(demo, "work_out", lambda: worked_out)


@pytest.mark.slow
def test_demo_shows_its_plan_before_it_compares(fedpact, monkeypatch):
    def stop(*_, **__):
        raise fp.FedpactError("stopped")

    monkeypatch.setattr(fp, "compare", stop)
    code, out, _ = fedpact("demo")
    assert code == 1
    assert out.startswith("arizona-hospitals: 17 hospitals want")
    for way in ("every hospital alone +749 +798.71", "planned together +74 +66.12", "known so far +7.3 +5.25"):
        assert re.search(way, out)
    assert "within" not in out.partition("If no rule is right")[0]
    assert "label 74 samples, for a cost of 66.12" in out
    assert "No plan costs less than 56.8" in out


@pytest.mark.slow
@pytest.mark.usefixtures("once")
def test_demo_plans_for_the_hospitals(fedpact):
    code, out, _ = fedpact("demo")
    assert code == 0
    assert "label 74 samples, for a cost of 66.12" in out
    assert "Everyone alone costs 12.08 times the best plan." in out
    assert "The exchangeable plan meets 1 of 17 targets." in out
    assert "If nobody coordinates, the equilibria found cost 1.005 times the best plan." in out
    assert "would split the cost of their own plan so that no group of them does better by leaving" in out
    assert "hospital 5.2" in out.split("rule least-core, cost in all 66.3")[1]
    assert {"798.71", "33.12", "66.44", "140.07", "73.11", "66.12"} <= set(out.split())


@pytest.mark.slow
@pytest.mark.usefixtures("once")
def test_demo_json_holds_what_the_text_is_made_of(fedpact):
    code, out, _ = fedpact("demo", "--json")
    shown = json.loads(out)
    assert code == 0
    assert len(shown["standalone"]) == len(shown["federation"]["agents"]) == 17
    plans = fp.Comparison.from_dict(shown["comparison"]).rows[4:]
    assert all(row.is_feasible and row.lower_bound <= plans[-1].cost for row in plans)
    assert [row.cost for row in plans] == sorted((row.cost for row in plans), reverse=True)
    assert fp.Plan.from_dict(shown["plan"]).cost == plans[-1].cost
    assert fp.Share.from_dict(shown["share"]).is_stable
    assert shown["asked"]["implied-free"]["cost_worst"] < shown["plan"]["cost"] / 4
    nothing_assumed = fp.planning.Forecast.from_dict(shown["forecast"])
    assert (
        nothing_assumed.row("agnostic", "adaptive").labels < nothing_assumed.row("agnostic", "fixed").labels / 50
    )
