"""The paper's construction for the expected objective: what it solves, where it ends, what it cannot do."""

import itertools
import math

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.audit.misreports import list_grid
from fedpact.mechanism.obliviousness.own_points import place_own_points
from fedpact.mechanism.obliviousness.steering import Steering
from pair_program import satisfies
from reproduction.obliviousness import singletons_with_common_point


@pytest.mark.parametrize("m", [4, 7, 25, 40])
def test_the_masses_solve_the_paper_s_equation(m):
    built = place_own_points(singletons_with_common_point(), np.array([m, m]))
    assert (1 - built.masses) ** (m - 0.5) * built.masses == pytest.approx([0.1 / 16] * 2, rel=1e-9)


def test_they_end_below_the_stated_end_and_begin_above_one():
    fed = singletons_with_common_point()
    end = math.log(8) / -math.log(0.95)
    assert end == pytest.approx(40.54, abs=5e-3)
    exists = [place_own_points(fed, np.array([m, 20])) is not None for m in range(45)]
    assert exists == [2.5 <= m - 0.5 < end for m in range(45)]


def outweighed(c, m):
    """Whether m_i log(1/(1-p)) >= log(p/c) for every p on a fine grid."""
    return all(m * -math.log1p(-p) >= math.log(p / c) for p in np.linspace(1e-4, 1 - 1e-9, 20_000))


@pytest.mark.parametrize("m", [4, 7, 10])
def test_that_a_raise_is_impossible_is_no_more_than_what_a_grid_of_masses_says(m):
    built = place_own_points(singletons_with_common_point(3), np.array([m, m]))
    assert built.is_impossible(0, np.array([m, m + 1]))
    assert outweighed(built.masses[1], m)
    assert not built.is_impossible(0, np.array([m + 1, m]))
    assert not built.is_impossible(0, np.array([m, m - 1]))


def test_where_it_is_said_to_be_impossible_no_report_on_a_grid_does_it():
    """Three hypotheses, so that there is no trace of mass on other points; all 153 reports in sixteenths."""
    fed = singletons_with_common_point(3)
    built = place_own_points(fed, np.array([7, 7]))
    steering = Steering(fed, built.distributions, "lp")
    found = [list(steering.try_report(0, report, []).plan.values()) for report in list_grid(3, 16)]
    assert steering.m.tolist() == [7, 7]
    assert steering.reports_tried == 153
    assert max(plan[1] for plan in found) == 7
    targets = {"epsilon": 0.1, "delta": 0.5, "objective": "expected"}
    for report in itertools.islice(list_grid(3, 16), 1, None, 7):
        profile = [report, built.distributions[1]]
        assert not satisfies((7, 8), fed.evidence.labels, profile, **targets) or satisfies(
            (7, 7), fed.evidence.labels, profile, **targets
        )


def test_with_more_points_nothing_is_said_to_be_impossible():
    built = place_own_points(singletons_with_common_point(8), np.array([7, 7]))
    assert not built.is_impossible(0, np.array([7, 8]))


def test_it_is_for_the_expected_objective_and_needs_a_common_point():
    with pytest.raises(fp.FederationError, match="objective 'expected'"):
        place_own_points(fp.examples.singletons(), np.array([7, 7]))
    with pytest.raises(fp.FederationError, match="all hypotheses agree"):
        place_own_points(fp.examples.singletons().replace(objective="expected"), np.array([7, 7]))


def test_an_agent_whose_tolerance_outweighs_all_masses_can_never_raise_the_other():
    fed = singletons_with_common_point(3).replace(epsilon=[0.4, 0.01])
    built = place_own_points(fed, np.array([2, 4]))
    assert built.masses[1] * 0.4 / 0.01 > 1
    assert built.is_impossible(0, np.array([2, 5]))
