"""Plans at a confidence keep their promise on simulated federations; plans that trust estimates miss."""

import json

import numpy as np
import pytest
from scipy.stats import binom

import fedpact as fp
from fedpact.experiments.coverage import _count, _is_missed, _judge, _Trial


@pytest.fixture(scope="module")
def small():
    steps = []
    seen = fp.experiments.reproduce_coverage(
        [30, 1000],
        federations=6,
        rng=np.random.default_rng(4),
        progress=lambda done, total: steps.append((done, total)),
    )
    return seen, steps


def test_only_plans_that_trust_estimates_miss(small):
    seen, _ = small
    assert [(row.n, row.plan, row.federations) for row in seen.rows] == [
        (n, plan, 6) for n in (30, 1000) for plan in ("confident", "trusting", "optimal")
    ]
    missed = {plan: sum(seen.row(plan, n).missed for n in (30, 1000)) for plan in ("confident", "trusting")}
    assert missed["confident"] == 0
    assert missed["trusting"] > 2
    assert seen.status is fp.experiments.CoverageStatus.NOT_ABOVE
    assert seen.is_complete


def test_confidence_costs_and_less_so_with_more_points(small):
    seen, _ = small
    few, many = (seen.row("confident", n).cost_ratio for n in (30, 1000))
    assert few > many > 1
    for n in (30, 1000):
        ratios = [seen.row(plan, n).cost_ratio for plan in ("confident", "trusting", "optimal")]
        assert ratios == sorted(ratios, reverse=True)


def test_families_add_up(small):
    seen, _ = small
    assert len(seen.by_family) == 18
    for row in seen.rows:
        parts = [seen.row(row.plan, row.n, family) for family in ("tables", "thresholds", "checkpoints")]
        assert [part.federations for part in parts] == [2, 2, 2]
        assert sum(part.missed for part in parts) == row.missed
        assert np.mean([part.cost_ratio for part in parts]) == pytest.approx(row.cost_ratio)


def test_progress_and_reading_back(small):
    seen, steps = small
    assert steps == [(done, 12) for done in range(1, 13)]
    assert fp.experiments.CoverageSimulation.from_dict(json.loads(json.dumps(seen.to_dict()))) == seen


def test_shares_costs_and_the_promise_are_drawn(small):
    seen, _ = small
    missed, cost = seen.plot().axes
    shares = {line.get_label(): list(line.get_ydata()) for line in missed.lines}
    assert shares["estimates taken for the truth"] == [seen.row("trusting", n).share for n in (30, 1000)]
    assert shares["promised at confidence 0.95"] == pytest.approx([0.05, 0.05])
    assert [line.get_label() for line in cost.lines][-1] == "planned from the truth"


def test_the_same_generator_gives_the_same_federations():
    tried = [
        fp.experiments.reproduce_coverage([20], federations=2, rng=np.random.default_rng(s)) for s in (5, 5, 6)
    ]
    assert tried[0] == tried[1] != tried[2]


def test_an_interrupt_keeps_what_was_done():
    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    seen = fp.experiments.reproduce_coverage([20, 40], federations=5, progress=stop)
    assert [(row.n, row.federations) for row in seen.rows] == [(20, 1)] * 3 + [(40, 1)] * 3
    assert not seen.is_complete
    assert len(seen.plot().axes) == 2


def test_an_interrupt_before_anything_was_done_is_one(monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fedpact.experiments.coverage.draw_truth", stop)
    with pytest.raises(KeyboardInterrupt):
        fp.experiments.reproduce_coverage([20], federations=1)


def test_a_plan_misses_if_some_failure_exceeds_delta():
    fed = fp.examples.alice_bob()
    assert _is_missed(fed, [3, 2]) is False
    assert _is_missed(fed, [2, 2]) is True


@pytest.mark.parametrize(("how", "met", "answer"), [("estimate", True, None), ("bounds", True, False)])
def test_an_estimate_decides_nothing(monkeypatch, how, met, answer):
    fed = fp.examples.alice_bob()
    seen = fp.verify(fed, [9, 9]).to_dict()
    seen["how"]["bob"], seen["met"]["bob"] = how, met
    monkeypatch.setattr("fedpact.experiments.coverage.verify", lambda *_: fp.Verification.from_dict(seen))
    assert _is_missed(fed, [9, 9]) is answer


def test_limits_are_exact_and_take_the_undecided_for_missed():
    answers = [True] * 3 + [None] + [False] * 16
    row = _count([_Trial("tables", 30, "trusting", answer, 1.0) for answer in answers], "tables", 0.01)
    assert (row.missed, row.undecided, row.share) == (3, 1, 0.15)
    assert binom.sf(2, 20, row.low) == pytest.approx(0.01)
    assert binom.cdf(4, 20, row.high) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("low", "high", "status"), [(0, 0.04, "WITHIN"), (0, 0.2, "NOT_ABOVE"), (0.06, 0.2, "ABOVE")]
)
def test_only_confident_plans_are_judged(low, high, status):
    def row(plan, low, high):
        return fp.experiments.CoverageRow(
            family="all",
            n=30,
            plan=plan,
            federations=9,
            missed=1,
            undecided=0,
            low=low,
            high=high,
            cost_ratio=1.0,
        )

    rows = [row("confident", 0, 0.01), row("confident", low, high), row("trusting", 0.5, 0.9)]
    assert _judge(rows, 0.05) is fp.experiments.CoverageStatus[status]


BAD = {
    "no-points": ({"points": []}, "points must hold at least one number of unlabelled points; it is empty"),
    "points": ({"points": [0]}, "points must be 1 or more; it is 0"),
    "federations": ({"federations": 0}, "federations must be 1 or more; it is 0"),
    "confidence": ({"confidence": 1}, "confidence must lie strictly between 0 and 1; it is 1"),
    "method": ({"method": "exact"}, "method must be one of lp, union, tree; it is 'exact'"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_refuses(options, message):
    with pytest.raises(fp.FederationError) as caught:
        fp.experiments.reproduce_coverage(**options)
    assert message in str(caught.value)
