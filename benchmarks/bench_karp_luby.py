"""Karp-Luby against plain simulation: draws for the same relative standard error, at a failure near 0.01.

Both look at the same agent, the same worst target and the same contributions. A draw is one pooled sample.
"""

from __future__ import annotations

import numpy as np
import pytest

import fedpact as fp
from fedpact.statistics.engine import Engine, engine_of
from fedpact.statistics.karp_luby import estimate
from fedpact.statistics.misses import MissFamily

PLAIN_DRAWS = 400_000
KARP_LUBY_DRAWS = 20_000


def noisy_models() -> fp.Federation:
    """Fifty models, right on average nine times in ten, on 300 points of each of two sites."""
    rng = np.random.default_rng(7)
    predictions = {}
    for site in ("north", "south"):
        truth = rng.integers(0, 10, 300)
        is_wrong = rng.random((50, 300)) < rng.uniform(0.02, 0.3, (50, 1))
        predictions[site] = np.where(is_wrong, rng.integers(0, 10, (50, 300)), truth)
    return fp.Federation.from_predictions(predictions, epsilon=0.1, delta=0.05)


def simulate(family: MissFamily, m: np.ndarray, draws: int, rng: np.random.Generator) -> float:
    """Share of pooled samples that miss some set."""
    failures, batch = 0, 20_000
    for _ in range(draws // batch):
        seen = np.zeros((batch, family.mass.shape[1]), dtype=bool)
        for mass, count in zip(family.mass, m, strict=True):
            chances = np.append(mass, max(0.0, 1 - mass.sum()))
            for _ in range(int(count)):
                drawn = rng.choice(len(chances), size=batch, p=chances / chances.sum())
                inside = np.flatnonzero(drawn < family.mass.shape[1])
                seen[inside, drawn[inside]] = True
        hit = seen.astype(np.float32) @ family.sets.T.astype(np.float32)
        failures += int((hit == 0).any(axis=1).sum())
    return failures / draws


def worst_family(engine: Engine, m: np.ndarray) -> tuple[MissFamily, float]:
    """Family of agent 1 against its worst truth, and its value (exact or the middle of a narrow interval)."""
    values = engine.evaluate(m[None, :].astype(np.int64), [0])
    truth = int(np.flatnonzero(engine.truths == values.truth[0, 0])[0])
    return engine.reduced_family(0, truth), float(values.low[0, 0] + values.high[0, 0]) / 2


@pytest.mark.parametrize(
    ("name", "fed", "m"),
    [
        pytest.param("17 hospitals", fp.examples.arizona_hospitals(), np.full(17, 8.0), id="hospitals"),
        pytest.param("50 models, 2 sites", noisy_models(), np.array([28.0, 28.0]), id="models"),
    ],
)
def test_draws_for_the_same_relative_standard_error(name, fed, m, compare):
    family, value = worst_family(engine_of(fed), m)
    assert 0.003 < value < 0.03
    rng = np.random.default_rng(1)
    failure = simulate(family, m, PLAIN_DRAWS, rng)
    plain_error = np.sqrt((1 - failure) / failure / PLAIN_DRAWS)
    found = estimate(family, m, draws=KARP_LUBY_DRAWS, rng=rng)
    assert abs(failure - value) < 5 * plain_error * value
    assert abs(found.value - value) < 5 * found.standard_error + 1e-4
    compare(
        f"Karp-Luby, {name}, failure {value:.4f}: draws for a relative standard error of 1%",
        unit="draws",
        ours=KARP_LUBY_DRAWS * (found.standard_error / found.value / 0.01) ** 2,
        competitor="plain simulation",
        theirs=PLAIN_DRAWS * (plain_error / 0.01) ** 2,
        at_least=50,
    )
