"""The exact engine: many contribution vectors in one call against one call each."""

from __future__ import annotations

import numpy as np

import fedpact as fp
from fedpact.statistics.engine import engine_of
from timing import Work, in_turns


def test_many_vectors_in_one_call(compare):
    fed = fp.examples.arizona_hospitals()
    engine = engine_of(fed)
    vectors = np.random.default_rng(3).integers(3, 12, (200, fed.k))
    agents = range(fed.k)
    engine.evaluate(vectors, agents)  # builds the coefficients
    ours, theirs = in_turns(
        Work(lambda _: engine.evaluate(vectors, agents)),
        Work(lambda _: [engine.evaluate(vector[None, :], agents) for vector in vectors]),
    )
    alone = np.concatenate([values.high for values in theirs.answer])
    np.testing.assert_allclose(ours.answer.high, alone, atol=1e-12)
    compare(
        "exact failure of 17 hospitals at 200 contribution vectors",
        unit="seconds",
        ours=ours.seconds,
        competitor="one vector per call",
        theirs=theirs.seconds,
        at_least=2,
    )
