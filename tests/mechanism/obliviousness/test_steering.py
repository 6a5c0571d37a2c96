"""A construction's word is not taken: plans that differ or are not enough do not count."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.obliviousness.steering import Steering, list_neighbours

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
