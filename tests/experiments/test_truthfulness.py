"""The soak over planners: it counts what it tries, and would see a rule that rewards lies."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.experiments import truthfulness
from fedpact.experiments.truthfulness import draw_federation


def test_every_planner_tries_its_share_and_no_lie_pays():
    calls = []
    found = fp.experiments.reproduce_truthfulness(253, progress=lambda done, total: calls.append((done, total)))
    assert [row.method for row in found.rows] == ["lp", "union", "tree", "exact", "auto"]
    assert [row.tried for row in found.rows] == [51, 51, 51, 50, 50]
    assert found.gain == 0
    assert calls[-1] == (253, 253)
    assert fp.experiments.TruthfulnessSoak.from_dict(found.to_dict()) == found


def test_a_rule_that_rewards_lies_would_be_seen(monkeypatch):
    def pay_nothing(fed, rule, **options):
        return fp.audit(fed, "none", **options)

    monkeypatch.setattr(truthfulness, "audit", pay_nothing)
    assert fp.experiments.reproduce_truthfulness(60).gain > 0


def test_federations_of_every_kind_are_drawn():
    rng = np.random.default_rng(0)
    feds = [draw_federation(rng, "lp") for _ in range(60)]
    assert {type(fed.evidence).__name__ for fed in feds} == {"Table", "Predictions", "Reports"}
    assert {fed.objective for fed in feds} == {"pac", "expected"}
    assert {fed.guarantee for fed in feds} == {"per-agent", "joint"}
    assert {agent.capacity is None for fed in feds for agent in fed.agents} == {True, False}
    drawn = [draw_federation(rng, "exact") for _ in range(60)]
    assert {type(fed.evidence).__name__ for fed in drawn} == {"Table", "Predictions"}


def test_fewer_reports_than_planners_are_refused():
    with pytest.raises(fp.FederationError, match="reports must be at least 5, one per planner; it is 4"):
        fp.experiments.reproduce_truthfulness(4)
