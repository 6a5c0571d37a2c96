"""The reach of noise against exact tails of the discrete Gaussian, summed in fractions and floats."""

import json
import math
from fractions import Fraction

import pytest

from fedpact.describe.noise import Noise
from fedpact.errors import FederationError
from fedpact.plain import from_plain, to_plain

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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mechanism": "laplace"}, "mechanism must be one of discrete-gaussian; it is 'laplace'"),
        ({"scale": 0}, "scale must be above 0; it is 0"),
        ({"epsilon": -1}, "epsilon must be above 0; it is -1"),
        ({"delta": 1}, "delta must lie strictly between 0 and 1; it is 1"),
    ],
    ids=["mechanism", "scale", "epsilon", "delta"],
)
def test_refuses(changes, message):
    with pytest.raises(FederationError) as caught:
        Noise(**{"scale": 1, "privacy_epsilon": 1, "privacy_delta": 0.1} | changes)
    assert message in str(caught.value)


def test_goes_through_json():
    noise = Noise(scale="1/3", privacy_epsilon=1, privacy_delta=1e-6)
    assert from_plain(Noise, json.loads(json.dumps(to_plain(noise))), "noise") == noise
