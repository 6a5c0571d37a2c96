import numpy as np
import pytest

import fedpact as fp
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.reports import Report
from fedpact.statistics.make_report import hide_small_counts, report

LABELS = np.random.default_rng(0).integers(0, 3, (5, 40))


def counts_of(labels):
    """One pair after the other."""
    H = len(labels)
    return [int((labels[h] != labels[g]).sum()) for h in range(H) for g in range(h + 1, H)]


def test_pairs_are_counted_and_labels_that_occur():
    made = report(LABELS, name="alice")
    assert (made.name, made.n, made.n_classes, made.candidates) == ("alice", 40, 3, None)
    assert made.counts.tolist() == counts_of(LABELS)


def test_points_may_come_in_parts_and_stand_for_several_rows():
    weights, told = np.arange(40), []
    parts = (LABELS[:, start : start + 9] for start in range(0, 40, 9))
    made = report(parts, name="alice", weights=weights, progress=lambda *seen: told.append(seen))
    assert made.n == weights.sum()
    assert made.counts.tolist() == counts_of(np.repeat(LABELS, weights, axis=1))
    assert told == [(9, 0), (18, 0), (27, 0), (36, 0), (40, 0)]


def test_what_was_predicted_names_its_candidates_and_all_classes():
    said = fp.sites.predict({"a": lambda x: [1, 1], "b": lambda x: [1, 2]}, [0, 0], classes=[1, 2, 3])
    made = report(said, name="alice")
    assert made.candidates == said.candidates
    assert (made.n_classes, made.counts.tolist()) == (3, [1])
    assert report(said, name="alice", candidates=["x", "y"]).candidates == CandidateList.from_names("xy")


REFUSED = [
    (iter([]), {}, "predictions must have at least one point; there is none"),
    (iter([LABELS, LABELS[:2]]), {}, "every block must have 5 rows"),
    (LABELS, {"n_classes": 2}, "n_classes must be at least the 3 labels that occur; it is 2"),
    (LABELS, {"n_classes": 0}, "n_classes must be 1 or more; it is 0"),
    (LABELS, {"weights": [1] * 41}, "weights must be one for each of the 40 points; they are 41"),
    (LABELS, {"weights": 3}, "weights must be one whole number >= 0 for each of the 40 points"),
    (LABELS, {"candidates": "forest"}, "candidates must be a list of names; it is 'forest'"),
    (LABELS, {"candidates": 5}, "candidates must be a list of names; it is 5"),
]


def test_what_cannot_be_reported_on_is_refused():
    for predictions, about, message in REFUSED:
        with pytest.raises(fp.FederationError, match=message):
            report(predictions, name="alice", **about)


def test_hiding_again_with_less_shows_nothing_more():
    hidden = hide_small_counts(Report(name="alice", n=1000, n_classes=2, counts=np.array([7, 500, 300])), 10)
    again = hide_small_counts(hidden, 5)
    assert again.minimum_count == 10
    assert [side[0] for side in again.ranges(again.counts)] == [0, 9]
