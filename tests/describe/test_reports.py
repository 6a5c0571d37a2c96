import json
import math
from fractions import Fraction

import numpy as np
import pytest

from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.reports import Noise, Report, hide_counts
from fedpact.plain import from_plain, to_plain
from refusals import check_refused


def site(**changes):
    return Report(**{"name": "alice", "n": 10, "n_classes": 2, "counts": np.array([2, 5, 3]), **changes})


def test_square_has_every_pair_twice():
    assert site().square().tolist() == [[0, 2, 5], [2, 0, 3], [5, 3, 0]]
    assert site(counts=np.array([], dtype=int)).square().tolist() == [[0]]


def test_counts_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        site().counts[0] = 1


BAD = [
    ({"name": ""}, "a report's name must be a string that is not empty; it is ''"),
    ({"name": 7}, "a report's name must be a string that is not empty; it is 7"),
    ({"n": 0}, "report 'alice': n must lie between 1 and 9,007,199,254,740,992; it is 0"),
    ({"n": 10**40}, "report 'alice': n must lie between 1 and 9,007,199,254,740,992;"),
    ({"n": 10**400}, "report 'alice': n must be a finite number; it is 1000"),
    ({"n": "many"}, "report 'alice': n must be a number"),
    ({"n_classes": 0}, "n_classes must lie between 1 and 9,007,199,254,740,992; it is 0"),
    ({"counts": np.array([1, 2])}, "counts must have H(H-1)/2 entries for some H; there are 2"),
    ({"counts": np.array([-1])}, "counts must lie between 0 and n = 10; they run from -1 to -1"),
    ({"counts": np.array([11])}, "counts must lie between 0 and n = 10; they run from 11 to 11"),
    ({"counts": np.array([0.5])}, "report 'alice': counts must be one row of whole numbers"),
    ({"n_classes": 1}, "report 'alice': with one label nothing differs"),
    ({"minimum_count": 3}, "report 'alice': counts below minimum_count = 3 must have been sent as 0"),
    (
        {"candidates": CandidateList.from_names("ab")},
        "report 'alice': it names 2 candidates, but its counts are those of 3",
    ),
    ({"counts": np.array([[1]])}, "report 'alice': counts must be one row of whole numbers"),
]


def test_refuses():
    for changes, message in BAD:
        check_refused(message, site, **changes)


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


SCALES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.3, 5.0, 10.0, 31.7)


def weights(scale):
    """exp(-z^2 / 2 scale^2) for z = 0, 1, ..., until nothing is left to add."""
    found = []
    while not found or found[-1] > 1e-290:
        found.append(math.exp(-(len(found) ** 2) / (2 * scale**2)))
    return found


def tails(scale):
    """Pr[Z >= t] for t = 0, 1, ..., added up from the small end without rounding."""
    above, sums = Fraction(0), []
    for weight in reversed(weights(scale)):
        above += Fraction(weight)
        sums.append(above)
    total = 2 * above - 1
    return [tail / total for tail in reversed(sums)]


@pytest.mark.parametrize("scale", SCALES)
def test_tails_are_no_heavier_than_the_bound(scale):
    for t, tail in enumerate(tails(scale)):
        bound = math.exp(-(t**2) / (2 * scale**2))
        assert tail <= bound


@pytest.mark.parametrize("scale", SCALES)
def test_noise_exceeds_its_reach_with_at_most_the_risk(scale):
    exact = [*tails(scale), Fraction(0)]
    noise = Noise(scale=scale, privacy_epsilon=1, privacy_delta=1e-6)
    risks = [10.0**-power for power in range(1, 200, 7)] + [0.999, 0.5, 0.3]
    # Risks at which the bound is just reached: rounding the wrong way would show here.
    risks += [math.exp(-(t**2) / (2 * scale**2)) for t in range(1, 40) if t < 30 * scale]
    for risk in risks:
        reach = noise.reach(risk)
        assert reach + 1 >= len(exact) or exact[reach + 1] <= Fraction(risk)


@pytest.mark.parametrize("scale", [0.1, 0.5, 3.0, 10.0])
def test_the_reach_wastes_little(scale):
    """The least whole number that would do is not far below, so a bound with twice the scale would be seen."""
    exact = tails(scale)
    for risk in (1e-3, 1e-6, 1e-9):
        least = next(t for t in range(len(exact)) if exact[t + 1] <= Fraction(risk))
        assert (
            least <= Noise(scale=scale, privacy_epsilon=1, privacy_delta=1e-6).reach(risk) <= least + 1 + scale / 2
        )


REFUSED = [
    ({"mechanism": "laplace"}, "mechanism must be one of discrete-gaussian; it is 'laplace'"),
    ({"scale": 0}, "scale must be above 0; it is 0"),
    ({"privacy_epsilon": -1}, "privacy_epsilon must be above 0; it is -1"),
    ({"privacy_delta": 1}, "privacy_delta must lie strictly between 0 and 1; it is 1"),
]


def test_noise_refuses():
    for changes, message in REFUSED:
        check_refused(message, Noise, **{"scale": 1, "privacy_epsilon": 1, "privacy_delta": 0.1} | changes)


def test_goes_through_json():
    noise = Noise(scale="1/3", privacy_epsilon=1, privacy_delta=1e-6)
    assert from_plain(Noise, json.loads(json.dumps(to_plain(noise))), "noise") == noise
