import numpy as np
import pytest

from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.noise import Noise
from fedpact.describe.reports import Report, hide_counts
from fedpact.errors import FederationError
from fedpact.plain import to_plain


def site(**changes):
    return Report(**{"name": "alice", "n": 10, "n_classes": 2, "counts": np.array([2, 5, 3]), **changes})


def test_square_has_every_pair_twice():
    assert site().square().tolist() == [[0, 2, 5], [2, 0, 3], [5, 3, 0]]
    assert site(counts=np.array([], dtype=int)).square().tolist() == [[0]]


def test_counts_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        site().counts[0] = 1


BAD = {
    "no-name": ({"name": ""}, "a report's name must be a string that is not empty; it is ''"),
    "name-of-no-string": ({"name": 7}, "a report's name must be a string that is not empty; it is 7"),
    "no-points": ({"n": 0}, "report 'alice': n must lie between 1 and 2^53; it is 0"),
    "too-many-points": ({"n": 10**40}, "report 'alice': n must lie between 1 and 2^53; it is 1000"),
    "a-count-beyond-numbers": ({"n": 10**400}, "report 'alice': n must be a finite number; it is 1000"),
    "points-in-a-word": ({"n": "many"}, "report 'alice': n must be a number"),
    "no-classes": ({"n_classes": 0}, "report 'alice': n_classes must lie between 1 and 2^53; it is 0"),
    "not-triangular": (
        {"counts": np.array([1, 2])},
        "counts must have H(H-1)/2 entries for some H; there are 2",
    ),
    "negative": ({"counts": np.array([-1])}, "counts must lie between 0 and n = 10; they run from -1 to -1"),
    "above-n": ({"counts": np.array([11])}, "counts must lie between 0 and n = 10; they run from 11 to 11"),
    "rates": ({"counts": np.array([0.5])}, "report 'alice': counts must be one row of whole numbers"),
    "one-label": ({"n_classes": 1}, "report 'alice': with one label nothing differs"),
    "not-hidden": (
        {"minimum_count": 3},
        "report 'alice': counts below minimum_count = 3 must have been sent as 0",
    ),
    "other-candidates": (
        {"candidates": CandidateList.from_names("ab")},
        "report 'alice': it names 2 candidates, but its counts are those of 3",
    ),
    "square": ({"counts": np.array([[1]])}, "report 'alice': counts must be one row of whole numbers"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_refuses(changes, message):
    with pytest.raises(FederationError) as caught:
        site(**changes)
    assert message in str(caught.value)


def test_what_a_sent_count_may_stand_for():
    """Every count that is sent as c lies in the range of c, and nothing else does."""
    for n, minimum in ((10, 0), (10, 1), (10, 3), (10, 6), (10, 11), (1, 2)):
        counts = np.arange(n + 1)
        sent = hide_counts(counts, n, minimum)
        report = Report(name="a", n=n, n_classes=2, counts=sent[:1], minimum_count=minimum)
        for value in np.unique(sent):
            least, most = report.ranges(np.array([value]))
            assert (least[0], most[0]) == (counts[sent == value].min(), counts[sent == value].max())
        assert report.is_exact == (minimum <= 1)


def test_noise_is_never_exact():
    assert not site(noise=Noise(scale=2, privacy_epsilon=1, privacy_delta=0.1)).is_exact


def test_all_but_the_counts_is_told():
    candidates, noise = CandidateList.from_names("abc"), Noise(scale=2, privacy_epsilon=1, privacy_delta=0.1)
    assert site(candidates=candidates, noise=noise).to_dict() == {
        "kind": "report",
        "schema": 1,
        "name": "alice",
        "H": 3,
        "n": 10,
        "n_classes": 2,
        "candidates": candidates.fingerprint,
        "minimum_count": 0,
        "noise": to_plain(noise),
    }
