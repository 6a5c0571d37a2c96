import numpy as np

from fedpact.describe.reports import Report
from fedpact.statistics.make_report import hide_small_counts


def test_hiding_again_with_less_shows_nothing_more():
    hidden = hide_small_counts(Report(name="alice", n=1000, n_classes=2, counts=np.array([7, 500, 300])), 10)
    again = hide_small_counts(hidden, 5)
    assert again.minimum_count == 10
    assert [side[0] for side in again.ranges(again.counts)] == [0, 9]
