"""Labels of all sites, one truth: the truth survives, choices keep their promise, labels are few."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.selection.learner import Wanted
from fedpact.selection.shared_truth import SharedTruth, bet_against, is_refuted, weigh, weigh_points
from fedpact.statistics.rates import rates_of
from selection.slow_selection import SlowTruth


def make(said, epsilon=0.1, noise=0.0, delta=0.05, is_one=True):
    fed = fp.Federation.from_predictions(
        {f"s{at}": own for at, own in enumerate(said)}, epsilon=epsilon, delta=delta
    )
    distinct = [own[fed.distinct] for own in said]
    mass = [np.full(own.shape[1], 1 / own.shape[1]) for own in said]
    expected, terms = np.full(fed.H, 1 / fed.H), {"delta": delta, "noise": noise, "is_one": is_one}
    found = SharedTruth(distinct, mass, rates_of(fed), fed.epsilon, expected, **terms)
    return fed, found, distinct


def wanted(k, n, room=10**6):
    return Wanted(n=n, total=10**6, room=np.full(k, room), price=np.ones(k))


def label_all(found, label_of, rng, batch=1):
    asked = []
    while drawn := found.draw(wanted(len(found.said), batch), rng):
        for one in drawn:
            points = found.take(one)
            asked += [(one.site, point) for point in points]
            found.learn(one.site, {point: label_of(one.site, point) for point in points})
    return asked


@st.composite
def sites(draw):
    H, k = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    return [rng.integers(0, 3, (H, draw(st.integers(1, 6)))) for _ in range(k)]


@settings(max_examples=100, deadline=None)
@given(sites(), st.sampled_from([0.0, 0.2, 0.4]), st.booleans(), st.sampled_from([1, 3]))
def test_without_noise_every_truth_is_served_and_no_label_is_implied(said, epsilon, is_one, batch):
    H = make(said)[0].H
    for truth in range(H):
        _, found, own = make(said, epsilon, is_one=is_one)
        rng = np.random.default_rng(0)
        asked = label_all(found, lambda site, point, t=truth, own=own: int(own[site][t, point]), rng, batch)
        assert truth in found.survivors
        assert len(asked) == len(set(asked))
        assert batch > 1 or len(asked) < max(H, 2)
        assert found.is_certified
        for site, chosen in enumerate(found.chosen):
            differ = float((own[site][chosen] != own[site][truth]).mean())
            assert differ <= epsilon + 1e-9
            assert differ <= found.find().epsilon[site] + 1e-12
        assert not is_one or len(set(found.chosen)) == 1


@settings(max_examples=50, deadline=None)
@given(sites())
def test_points_are_weighed_as_by_hand(said):
    own, H = said[0], len(said[0])
    rng = np.random.default_rng(1)
    weight, group, is_bad = rng.random(H), rng.integers(0, 2, H), np.ones((H, H), dtype=bool)
    slow = [
        sum(
            weight[h] * weight[g]
            for h in range(H)
            for g in range(h)
            if group[h] == group[g] and own[h, x] != own[g, x]
        )
        for x in range(own.shape[1])
    ]
    assert weigh_points(own, weight, group, is_bad) == pytest.approx(slow)


@settings(max_examples=100, deadline=None)
@given(sites(), st.sampled_from([0.05, 0.2]), st.integers(0, 99))
def test_who_is_dropped_under_noise_is_who_a_slow_reading_drops(said, noise, seed):
    _, found, own = make(said, 0.0, noise)
    slow = SlowTruth([one.tolist() for one in own], 0.0, 0.05, noise)
    rng = np.random.default_rng(seed)
    for site in rng.integers(0, len(own), 12).tolist():
        point, label = int(rng.integers(own[site].shape[1])), int(rng.integers(3))
        found.learn(site, {point: label})
        slow.learn(site, point, label)
        assert set(found.survivors.tolist()) == slow.alive


@settings(max_examples=100, deadline=None)
@given(sites(), st.sampled_from([0.05, 0.2, 0.45]), st.integers(0, 99))
def test_no_capital_grows_on_average_however_the_truth_errs(said, noise, seed):
    """Whatever the others say, and whichever wrong label it is, at every point and after any past."""
    rng, own = np.random.default_rng(seed), said[0]
    weight = rng.random(len(own)) ** 4
    for column in own.T:
        by_label = {label: bet_against(column, label, weight, noise) for label in range(4)}
        for t, right in enumerate(column.tolist()):
            wrong = [by_label[label][t] for label in by_label if label != right]
            for chance in (0.0, noise / 2, noise):
                assert chance * max(wrong) + (1 - chance) * by_label[right][t] <= 1 + 1e-12


def test_with_two_classes_the_capital_is_the_mean_likelihood_ratio_of_the_others():
    rng, noise = np.random.default_rng(5), 0.2
    said, labels = rng.integers(0, 2, (4, 9)), rng.integers(0, 2, 9)
    mistakes, capital = np.zeros(4, dtype=np.int64), np.ones(4)
    for column, label in zip(said.T, labels.tolist(), strict=True):
        capital *= bet_against(column, label, weigh(mistakes, np.full(4, 0.25), noise), noise)
        mistakes += column != label
        ratios = 4.0 ** (mistakes[:, None] - mistakes)
        assert capital == pytest.approx((ratios.sum(axis=1) - 1) / 3)


def test_the_17_hospitals_need_few_labels():
    fed = fp.examples.arizona_hospitals()
    found = [fp.select(fed, truth) for truth in fed.hypotheses]
    assert {one.status.value for one in found} == {"certified"}
    costs = [one.cost for one in found]
    assert (np.mean(costs) < 5.3, max(costs) < 10.8) == (True, True)
    rates = rates_of(fed)
    for truth, one in enumerate(found):
        chosen = fed.hypotheses.index(one.chosen["hospital 2.4"])
        assert (rates.between(np.array([chosen]), np.array([truth]))[:, 0] <= fed.epsilon + 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.05, 0.2])
def test_under_noise_the_truth_is_dropped_no_more_often_than_delta(noise):
    """Two candidates that differ everywhere: only the likelihood decides, and it is tight."""
    runs, delta, lost, rng = 2000, 0.1, 0, np.random.default_rng(3)
    for _ in range(runs):
        _, found, _ = make([np.array([np.zeros(60, dtype=int), np.ones(60, dtype=int)])], noise=noise, delta=delta)
        flips = rng.random(60) < noise
        label_all(found, lambda site, point, wrong=flips: int(wrong[point]), rng)
        lost += 0 not in found.survivors
    assert 0 < lost <= delta * runs
    fewer = math.ceil(
        math.log(1 / delta) / math.log((1 - noise) / noise)
    )  # mistakes at which the truth is dropped
    odds = (noise / (1 - noise)) ** fewer
    assert lost / runs == pytest.approx(odds / (1 + odds), abs=0.015)  # the gambler's ruin


@pytest.mark.slow
def test_a_true_assumption_is_refuted_no_more_often_than_it_may():
    rng, noise, false = np.random.default_rng(4), 0.1, 0
    for _ in range(4000):
        mistakes = np.cumsum(rng.random(200) < noise)
        false += any(is_refuted(int(one), labels, noise) for labels, one in enumerate(mistakes, 1))
    assert 0 < false <= 0.01 * 4000


def test_weights_of_candidates_that_nobody_can_tell_apart_are_added_up():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 40)
    own = [np.where(rng.random(40) < wrong, 1 - labels, labels) for wrong in (0, 0.2, 0.3, 0.4)]
    fed = fp.Federation.from_predictions({"n": [own[0], own[1], own[2], own[1], own[3]]}, epsilon=0.1, delta=0.05)
    by_twin, by_first = (fp.select(fed, {"n": labels}, noise=0.05, weights={name: 1}) for name in ("h4", "h2"))
    assert by_twin.to_dict() == by_first.to_dict()


@pytest.mark.parametrize("noise", [1e-300, 1e-17, 2e-17, 1e-16])
def test_hardly_any_noise_is_no_trouble(noise):
    _, found, _ = make([np.array([[0, 0, 1], [0, 1, 1], [1, 1, 0]])], 0.0, noise)
    with np.errstate(all="raise"):
        assert label_all(found, lambda site, point: int(point == 2), np.random.default_rng(0))
    assert found.survivors.tolist() == [0]
