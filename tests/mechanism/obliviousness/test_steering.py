"""A construction's word is not taken: plans that differ or are not enough do not count."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.obliviousness.steering import Steering, draw_reports, list_neighbours

OUTCOME = fp.mechanism.SteeringOutcome


def test_neighbours_stay_whole_numbers():
    assert [m.tolist() for m in list_neighbours(np.array([2, 0]))] == [[3, 0], [1, 0], [2, 1]]


@pytest.fixture
def steering():
    """Two points: alice rarely sees xB and bob rarely sees xA; the plan is (3, 3)."""
    fed = fp.examples.alice_bob()
    return Steering(fed, fed.evidence.distributions.copy(), "lp")


def test_a_report_that_leads_elsewhere_is_missed(steering):
    assert steering.m.tolist() == [3, 3]
    tried = steering.try_report(0, np.array([0.8, 0.2]), [np.array([4, 3])])
    assert (tried.outcome, tried.plan, tried.failure) == (OUTCOME.MISSED, {"alice": 3, "bob": 3}, {})
    assert not tried.is_reached


def test_a_plan_that_is_not_enough_under_the_truth_is_missed(steering):
    """Alice reports both points as equally likely; what is then planned would fail her as she is."""
    report = np.array([0.5, 0.5])
    answer = np.array(list(steering.try_report(0, report, []).plan.values()))
    tried = steering.try_report(0, report, [answer])
    assert tried.outcome is OUTCOME.MISSED
    assert max(tried.failure.values()) > 0.05


def test_a_report_is_counted_and_the_start_is_kept(steering):
    steering.try_report(1, np.array([0.5, 0.5]), [])
    assert steering.reports_tried == 1
    assert steering.distributions.tolist() == [[0.8, 0.2], [0.2, 0.8]]


def test_drawn_reports_are_distributions_of_all_sizes_of_change():
    row = np.array([0.5, 0.3, 0.2, 0.0])
    drawn = np.array(list(draw_reports(row, 200, np.random.default_rng(0))))
    assert drawn.sum(axis=1) == pytest.approx(np.ones(200))
    assert (drawn >= 0).all()
    change = np.abs(drawn - row).max(axis=1)
    assert change.min() < 1e-3
    assert change.max() > 0.3


@pytest.mark.slow
def test_a_search_finds_the_union_planner_oblivious_too():
    """The example's own distributions: not only the paper's program is steered by reports."""
    found = fp.mechanism.obliviousness(fp.examples.singletons(), method="union", rng=np.random.default_rng(0))
    assert found.is_oblivious
    assert found.contributions == {"agent-1": 37, "agent-2": 37}
    assert found.reports_tried <= 400


def test_a_search_that_ends_says_so():
    found = fp.mechanism.obliviousness(fp.examples.alice_bob(), n_misreports=20)
    assert found.status is fp.mechanism.ObliviousnessStatus.NOT_FOUND
    assert found.reports_tried == 40
    assert len(found.neighbours) == 4
