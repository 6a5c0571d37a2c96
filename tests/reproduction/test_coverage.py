"""Plans at a confidence keep their promise on simulated federations; plans that trust estimates miss."""

import numpy as np
import pytest
from scipy.stats import binom

import fedpact as fp
from reproduction.catalogue import find_experiment
from reproduction.coverage import count_trials, is_missed
from reproduction.coverage_page import ABOVE, NOT_ABOVE, WITHIN, judge
from reproduction.page import conclusions_of
from reproduction.read_settings import read_settings
from reproduction.simulated_federations import draw_sites, draw_truth

pytestmark = pytest.mark.slow

EXPERIMENT = "coverage"
SMALL = {"seeds": 6, "points": [30, 1000]}
FAMILIES = ("tables", "thresholds", "checkpoints")


def row(found, plan, n, family="all"):
    rows = found["results"]["rows" if family == "all" else "by_family"]
    return next(one for one in rows if (one["plan"], one["n"], one["family"]) == (plan, n, family))


def share(one):
    return one["missed"] / one["federations"]


def test_only_plans_that_trust_estimates_miss(found):
    assert [(one["n"], one["plan"], one["federations"]) for one in found["results"]["rows"]] == [
        (n, plan, 6) for n in (30, 1000) for plan in ("confident", "trusting", "optimal")
    ]
    missed = {plan: sum(row(found, plan, n)["missed"] for n in (30, 1000)) for plan in ("confident", "trusting")}
    assert missed["confident"] == 0
    assert missed["trusting"] > 2
    assert conclusions_of(found)[0] == NOT_ABOVE
    said, missed = conclusions_of(found)[2], share(row(found, "trusting", 30))
    assert f"trusting: plans miss in {missed:.0%} at 30 points" in said


def test_confidence_costs_and_less_so_with_more_points(found):
    few, many = (row(found, "confident", n)["cost_ratio"] for n in (30, 1000))
    assert few > many > 1
    for n in (30, 1000):
        ratios = [row(found, plan, n)["cost_ratio"] for plan in ("confident", "trusting", "optimal")]
        assert ratios == sorted(ratios, reverse=True)


def test_families_add_up(found):
    assert len(found["results"]["by_family"]) == 18
    for one in found["results"]["rows"]:
        parts = [row(found, one["plan"], one["n"], family) for family in FAMILIES]
        assert [part["federations"] for part in parts] == [2, 2, 2]
        assert sum(part["missed"] for part in parts) == one["missed"]
        assert np.mean([part["cost_ratio"] for part in parts]) == pytest.approx(one["cost_ratio"])


def test_shares_costs_and_the_promise_are_drawn(found):
    missed, cost = find_experiment(found["experiment"]).draw(found["results"]).axes
    shares = {line.get_label(): list(line.get_ydata()) for line in missed.lines}
    assert shares["estimates taken for the truth"] == [share(row(found, "trusting", n)) for n in (30, 1000)]
    assert shares["promised at confidence 0.95"] == pytest.approx([0.05, 0.05])
    assert [line.get_label() for line in cost.lines][-1] == "planned from the truth"


def test_federations_follow_each_other_in_one_stream():
    """Drawn one after the other from one generator, as a cell draws them from the state that it is given."""
    cut = find_experiment("coverage").stages[0].cut
    settings = read_settings("coverage", changes={"seeds": 4, "points": [20, 5]})
    tasks = cut(settings, None, [])
    assert [task.cell["family"] for task in tasks] == [*FAMILIES, "tables"]
    assert [task.cell for task in cut(settings | {"seeds": 2}, None, [])] == [task.cell for task in tasks[:2]]
    rng = np.random.default_rng(0)
    for task in tasks:
        assert task.cell["stream"] == rng.bit_generator.state
        for n in (5, 20):
            while fp.plan(truth := draw_truth(rng, task.cell["family"]), "union").cost == 0:
                continue
            draw_sites(rng, truth, n)


def test_a_plan_misses_if_some_failure_exceeds_delta():
    fed = fp.examples.alice_bob()
    assert is_missed(fed, [3, 2]) is False
    assert is_missed(fed, [2, 2]) is True


@pytest.mark.parametrize(("how", "met", "answer"), [("estimate", True, None), ("bounds", True, False)])
def test_an_estimate_decides_nothing(monkeypatch, how, met, answer):
    fed = fp.examples.alice_bob()
    seen = fp.verify(fed, [9, 9]).to_dict()
    seen["how"]["bob"], seen["met"]["bob"] = how, met
    monkeypatch.setattr("fedpact.verify", lambda *_: fp.Verification.from_dict(seen))
    assert is_missed(fed, [9, 9]) is answer


def test_limits_are_exact_and_take_the_undecided_for_missed():
    answers = [True] * 3 + [None] + [False] * 16
    trials = [{"n": 30, "plan": "trusting", "is_missed": answer, "cost_ratio": 1.0} for answer in answers]
    counted = count_trials(trials, "tables", 0.01)
    assert (counted["missed"], counted["undecided"], share(counted)) == (3, 1, 0.15)
    assert binom.sf(2, 20, counted["low"]) == pytest.approx(0.01)
    assert binom.cdf(4, 20, counted["high"]) == pytest.approx(0.01)


@pytest.mark.parametrize(("low", "high", "said"), [(0, 0.04, WITHIN), (0, 0.2, NOT_ABOVE), (0.06, 0.2, ABOVE)])
def test_only_confident_plans_are_judged(low, high, said):
    limits = {"confident": [(0, 0.01), (low, high)], "trusting": [(0.5, 0.9)]}
    rows = [{"plan": plan, "low": one, "high": other} for plan, ends in limits.items() for one, other in ends]
    assert judge({"rows": rows, "confidence": 0.95}) == said


def test_what_is_kept_bears_the_promise_out(kept):
    kept = kept["results"]
    confident = [one for one in kept["rows"] if one["plan"] == "confident"]
    assert sum(one["federations"] for one in confident) >= 1000
    assert judge(kept) == WITHIN
    assert all(one["high"] <= 1 - kept["confidence"] for one in confident)
    assert all(one["low"] > 1 - kept["confidence"] for one in kept["rows"] if one["plan"] != "confident")
