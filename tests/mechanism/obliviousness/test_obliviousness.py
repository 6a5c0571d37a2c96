"""Every report that is said to reach a neighbour does, and the plans stay enough: recomputed with fractions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import fedpact as fp
from oracle import family_value_by_subsets
from pair_program import solve
from reproduction.own_points import singletons_with_common_point

FED = fp.examples.singletons(epsilon=0.01)
STATUS = fp.mechanism.ObliviousnessStatus


def profiles(found):
    """Every true or reported profile of a result: the plan it should have, and its masses."""
    start = np.array([list(masses.values()) for masses in found.distributions.values()])
    yield found.m, start
    for neighbour in found.neighbours:
        for agent, report in enumerate(neighbour.reports):
            moved = start.copy()
            moved[agent] = list(report.report.values())
            yield neighbour.m, moved


def failure_of_all_negative(agent, distributions, m):
    """Pr[some point of more than 1/100 for the agent is unseen]: by counts of the equally likely ones."""
    masses = [[Fraction(mass) for mass in row] for row in distributions]
    bad = [x for x in range(17) if masses[agent][x] > Fraction(1, 100)]
    rare, rest = [x for x in bad if x < 2], [x for x in bad if x >= 2]
    total = Fraction(0)
    for some in itertools.chain.from_iterable(itertools.combinations(rare, size) for size in range(3)):
        for count in range(len(rest) + 1):
            if not some and not count:
                continue
            unseen = Fraction(math.comb(len(rest), count))
            for row, draws in zip(masses, m, strict=True):
                share = sum(row[x] for x in some) + count * row[rest[0]]
                unseen *= (1 - share) ** int(draws) if share < 1 else 0
            total -= (-1) ** (len(some) + count) * unseen
    return total


@pytest.mark.parametrize("m", [(130, 130), (20, 20), (300, 12)])
def test_all_four_neighbours_are_reached_by_either_agent(m):
    found = fp.mechanism.obliviousness(FED, m=m)
    assert found.status is STATUS.HOLDS
    assert [tuple(n.m) for n in found.neighbours] == [
        (m[0] + 1, m[1]), (m[0] - 1, m[1]), (m[0], m[1] + 1), (m[0], m[1] - 1),
    ]  # fmt: skip
    assert found.reached == 8
    for wanted, profile in profiles(found):
        x, _ = solve(FED.evidence.labels, profile, [1, 1], epsilon=0.01, delta=0.5, objective="pac")
        assert (np.ceil(x - 1e-6) == wanted).all()


def test_the_plans_are_enough_whatever_is_true():
    """With the all-negative target, the hardest; the failures are those of the result."""
    found = fp.mechanism.obliviousness(FED, m=[130, 130])
    start = next(profiles(found))[1]
    for neighbour, liar, agent in itertools.product(found.neighbours[1::2], (0, 1), (0, 1)):
        report = neighbour.reports[liar]
        moved = start.copy()
        moved[liar] = list(report.report.values())
        failure = max(
            failure_of_all_negative(agent, profile, m)
            for profile in (start, moved)
            for m in ((130, 130), neighbour.m)
        )
        assert failure < Fraction(1, 2)
        assert report.failure[FED.names[agent]] == pytest.approx(float(failure), rel=1e-6)


def test_the_plans_are_enough_for_the_expected_objective():
    """Eight hypotheses of which three can be missed by more than a trace: by inclusion and exclusion."""
    fed = singletons_with_common_point()
    found = fp.mechanism.obliviousness(fed, m=[7, 7], construction="concentrated")
    assert found.status is STATUS.HOLDS
    start = next(profiles(found))[1]
    report = found.neighbours[3].reports[0]
    moved = start.copy()
    moved[0] = list(report.report.values())
    for agent, name in enumerate(fed.names):
        errors = []
        for profile, m in itertools.product((start, moved), ((7, 7), (7, 6))):
            masses = [[Fraction(mass) for mass in row[:2]] for row in profile]
            errors.append(family_value_by_subsets([[1, 0], [0, 1]], masses[agent], masses, m))
        assert float(max(errors)) == pytest.approx(report.failure[name], abs=1e-5)
        assert max(errors) < Fraction(1, 10)


STATUSES = {
    "holds": (FED, (15, 40), {}, STATUS.HOLDS),
    "too-large": (FED, (400, 5), {}, STATUS.TOO_LARGE),
    "too-dear": (FED, (370, 370), {}, STATUS.TOO_LARGE),
    "no-masses": (FED, (370, 5), {}, STATUS.NOT_BUILT),
    "nothing": (FED, (0, 0), {}, STATUS.NOT_BUILT),
    "other-plan": (FED, (20, 20), {"construction": "spread"}, STATUS.OTHER_PLAN),
    "optimal": (FED, (130, 130), {"method": "exact"}, STATUS.OPTIMAL),
    "at-the-end": (FED, (356, 356), {}, STATUS.NOT_FOUND),
    "cone": (FED.replace(cost=[1, 13]), (30, 30), {}, STATUS.HOLDS),
    "outside-the-cone": (FED.replace(cost=[1, 40]), (30, 30), {}, STATUS.OTHER_PLAN),
    "joint": (FED.replace(guarantee="joint"), (30, 30), {}, STATUS.HOLDS),
    "curved-costs": (FED.replace(cost={"quadratic": [1, 0.01]}), (25, 30), {}, STATUS.HOLDS),
    "own-epsilon": (FED.replace(epsilon=[0.01, 0.02]), (350, 9), {}, STATUS.HOLDS),
    "own-epsilon-too-large": (FED.replace(epsilon=[0.01, 0.02]), (150, 390), {}, STATUS.TOO_LARGE),
}


@pytest.mark.parametrize(("fed", "m", "options", "status"), STATUSES.values(), ids=STATUSES)
def test_statuses(fed, m, options, status):
    found = fp.mechanism.obliviousness(fed, m=m, **options)
    assert found.status is status
    assert found.is_oblivious == (status is STATUS.HOLDS) == (found.reached == 8)


def test_points_may_stand_in_any_order():
    order = np.random.default_rng(3).permutation(17)
    fed = fp.Federation.from_table(
        FED.evidence.labels[::-1][:, order], np.full((2, 17), 1 / 17), epsilon=0.01, delta=0.5
    )
    assert fp.mechanism.obliviousness(fed, m=[30, 40]).is_oblivious


def test_an_optimal_planner_never_takes_the_dearer_of_two_that_are_enough():
    """What the status says, on the construction: the optimum is the same plan whatever is reported."""
    found = fp.mechanism.obliviousness(FED, m=[20, 20])
    for _, profile in list(profiles(found))[:3]:
        fed = fp.Federation.from_table(FED.evidence.labels, profile, epsilon=0.01, delta=0.5)
        assert fp.plan(fed, "exact").cost < 39


def test_a_capacity_is_a_limit_too():
    fed = fp.Federation.from_table(
        FED.evidence.labels, FED.evidence.distributions, epsilon=0.01, delta=0.5, capacity=[30, None]
    )
    assert fp.mechanism.obliviousness(fed, m=[30, 30]).status is STATUS.TOO_LARGE
    assert fp.mechanism.obliviousness(fed, m=[29, 30]).status is STATUS.HOLDS


BAD = {
    "method": ({"m": [1, 1], "method": "best"}, "method must be one of"),
    "construction": ({"m": [1, 1], "construction": "magic"}, "construction must be one of"),
    "construction-alone": ({"construction": "spread"}, "construction belongs to a given m"),
    "n_misreports": ({"n_misreports": 0}, "n_misreports must be 1 or more"),
    "m": ({"m": [1, -1]}, "whole number"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_requests_are_refused(options, message):
    with pytest.raises(fp.FederationError, match=message):
        fp.mechanism.obliviousness(FED, **options)
