"""The program meets where the construction says, by a program of the tests' own."""

import itertools

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.obliviousness.rare_points import (
    CONCENTRATED,
    SPREAD,
    find_singletons,
    place_rare_points,
    read_singletons,
)
from fedpact.mechanism.obliviousness.steering import list_neighbours
from pair_program import solve
from reproduction.own_points import singletons_with_common_point

CASES = {
    "130-130": ("pac", 0.01, SPREAD, (130, 130), (1, 1)),
    "small": ("pac", 0.01, CONCENTRATED, (6, 9), (1, 1)),
    "large": ("pac", 0.01, SPREAD, (355, 20), (1, 1)),
    "unequal-costs": ("pac", 0.01, SPREAD, (140, 150), (1, 20)),
    "expected": ("expected", 0.1, CONCENTRATED, (7, 7), (1, 1)),
    "expected-spread": ("expected", 0.1, SPREAD, (30, 20), (2, 1)),
}


def build(objective, epsilon, rest, m):
    fed = (
        fp.examples.singletons(epsilon=epsilon)
        if objective == "pac"
        else singletons_with_common_point(epsilon=epsilon)
    )
    return fed, place_rare_points(fed, np.array(m), rest=rest)


@pytest.mark.parametrize(("objective", "epsilon", "rest", "m", "cost"), CASES.values(), ids=CASES)
def test_the_program_is_optimal_half_a_sample_below_every_plan(objective, epsilon, rest, m, cost):
    fed, built = build(objective, epsilon, rest, m)
    targets = {"epsilon": epsilon, "delta": 0.5, "objective": objective}
    x, slack = solve(fed.evidence.labels, built.distributions, cost, **targets)
    assert x == pytest.approx(np.array(m) - 0.5, abs=1e-6)
    assert slack[1] < 1e-7 < slack[2]
    for wanted, agent in itertools.product(list_neighbours(np.array(m)), (0, 1)):
        profile = built.distributions
        profile[agent] = built.report(agent, wanted)
        assert profile[agent].sum() == pytest.approx(1, abs=1e-12)
        x, _ = solve(fed.evidence.labels, profile, cost, **targets)
        assert x == pytest.approx(wanted - 0.5, abs=1e-5)


def test_every_hypothesis_counts_and_traces_are_bad_for_nobody():
    _, built = build("pac", 0.01, CONCENTRATED, (20, 20))
    traces = np.sort(built.distributions, axis=1)[:, :14]
    assert (traces > 0).all()
    assert (traces < 0.01).all()


@pytest.mark.parametrize(
    ("objective", "rest", "m"),
    [
        ("pac", SPREAD, (1, 1)),
        ("pac", SPREAD, (0, 9)),
        ("pac", SPREAD, (400, 130)),
        ("expected", CONCENTRATED, (41, 20)),
    ],
)
def test_masses_that_do_not_exist(objective, rest, m):
    assert build(objective, 0.01 if objective == "pac" else 0.1, rest, m)[1] is None


def test_a_neighbour_without_samples_has_no_report():
    _, built = build("pac", 0.01, CONCENTRATED, (1, 60))
    assert built.report(0, np.array([0, 60])) is None


def test_an_agent_that_tolerates_no_error_leaves_no_room_for_traces():
    fed = fp.examples.singletons(epsilon=0)
    assert place_rare_points(fed, np.array([10**4, 10**4])) is not None
    assert place_rare_points(fed, np.array([130, 130]), rest=CONCENTRATED) is None


SINGLETONS = np.vstack([np.zeros((1, 4), dtype=int), np.eye(4, dtype=int)])


@pytest.mark.parametrize("seed", range(5))
def test_points_hypotheses_and_labels_may_be_shuffled(seed):
    rng = np.random.default_rng(seed)
    labels = np.hstack([SINGLETONS, np.zeros((5, 2), dtype=int)])[rng.permutation(5)]
    columns = rng.permutation(6)
    labels = (labels ^ rng.integers(0, 2, size=(1, 6)))[:, columns]
    found = find_singletons(labels)
    assert found.tolist() == (columns < 4).tolist()


OTHERS = {
    "all-labelings": fp.planning.classes.all_labelings(3).labels,
    "no-base": np.eye(4, dtype=int),
    "a-pair": np.vstack([SINGLETONS, [[1, 1, 0, 0]]]),
    "twins": np.vstack([SINGLETONS, SINGLETONS[1:2]]),
    "thresholds": fp.planning.classes.thresholds([1, 2, 3, 4]).labels,
    "two-hypotheses": np.array([[0, 0], [1, 0]]),
    "three-labels": np.array([[0, 0, 0], [1, 0, 0], [2, 1, 0]]),
}


@pytest.mark.parametrize("labels", OTHERS.values(), ids=OTHERS)
def test_other_classes_are_not_taken_for_it(labels):
    assert find_singletons(labels) is None


def test_what_is_wrong_is_said():
    with pytest.raises(fp.FederationError, match="another class: leave m out"):
        read_singletons(fp.examples.alice_bob())
    with pytest.raises(fp.FederationError, match="two agents"):
        read_singletons(fp.examples.coupon_collector(4))
    predictions = fp.Federation.from_predictions({"a": [[0, 1], [1, 1]], "b": [[1], [0]]}, epsilon=0.1, delta=0.1)
    with pytest.raises(fp.FederationError, match="given as a table"):
        read_singletons(predictions)
