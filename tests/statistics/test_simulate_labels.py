"""Simulated labels against their enumeration."""

from fractions import Fraction

import numpy as np
import pytest

import fedpact as fp
from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError
from fedpact.statistics.simulate_labels import count_failures
from oracle import chance_of_bad_choice, count_mistakes, even_noise

LABELS = ((0, 0, 1), (0, 1, 2), (1, 0, 0), (0, 2, 1))
MASSES = ((Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), (Fraction(1, 5), Fraction(4, 5), Fraction(0)))
DRAWS = 20_000


@pytest.mark.parametrize("truth", range(len(LABELS)))
@pytest.mark.parametrize("m", [(0, 0), (2, 1), (3, 2)])
def test_as_often_as_enumeration_says(truth, m):
    noise, epsilon = Fraction(1, 4), Fraction(3, 10)
    fed = fp.Federation.from_table(LABELS, MASSES, epsilon=epsilon, delta=0.05, noise=noise)
    failed = count_failures(fed, np.array(m), truth, draws=DRAWS, rng=np.random.default_rng(1))
    states = count_mistakes(LABELS, MASSES, m, even_noise(LABELS, truth, noise))
    for agent, own in enumerate(MASSES):
        rates = [sum(mass for x, mass in enumerate(own) if h[x] != LABELS[truth][x]) for h in LABELS]
        chance = float(chance_of_bad_choice(states, [h for h, rate in enumerate(rates) if rate > epsilon]))
        assert abs(failed[agent] / DRAWS - chance) <= 5 * np.sqrt(chance * (1 - chance) / DRAWS)


def test_verify_simulates_what_bounds_do_not_prove():
    short = fp.verify(alice_bob(), [2, 2], noise=0.05)
    assert (short.assume, short.noise, short.confidence) == ("noisy", 0.05, 0.999)
    for name, seen in short.simulated.items():
        assert 0 < seen.low < seen.high <= 1
        assert not short.met[name]
    enough = fp.plan(alice_bob(), noise=0.05)
    assert fp.verify(alice_bob(), enough.m, noise=0.05).simulated is None
    seen = fp.verify(alice_bob(), enough.m, noise=0.05, how="estimate")
    assert seen.status == "met"
    assert all(seen.simulated[name].low <= seen.failure[name].high for name in seen.met)
    assert fp.verify(alice_bob(), [2, 2], noise=0.05, how="bounds").simulated is None
    assert fp.Verification.from_dict(seen.to_dict()) == seen


def test_what_cannot_be_simulated_is_refused_in_one_line():
    with pytest.raises(
        FederationError, match=r"^how 'estimate' has no labels to draw with assume 'agnostic'; use"
    ):
        fp.verify(alice_bob(), [2, 2], assume="agnostic", how="estimate")
    seen = {"a": [[0] * 9 + [1], [0] * 10]}
    fed = fp.Federation.from_predictions(seen, epsilon=0.05, delta=0.05, noise=0.1)
    with pytest.raises(FederationError, match="reports hold pairwise rates only"):
        fp.verify(fed, [2], confidence=0.9, how="estimate")
    assert fp.verify(fed, [2], confidence=0.9).simulated is None
