"""Is this vector enough? Exactly, against enumeration; and what the large cases take that were promised exactly.

Both sides start from the described federation, nothing worked out yet, and end with every agent's failure.
"""

from __future__ import annotations

import numpy as np
import pytest

import fedpact as fp
from bench_karp_luby import noisy_models
from brute_force import enumerate_failures
from instances import random_table
from timing import Work, in_turns, repeat

HYPOTHESES, AGENTS, EACH = 24, 3, 12


@pytest.mark.parametrize(("points", "at_least"), [(12, 0.5), (20, 20)])
def test_exactly_against_enumeration(points, at_least, compare):
    m = [EACH] * AGENTS

    def describe() -> fp.Federation:
        return random_table(points, HYPOTHESES, AGENTS)

    fp.verify(describe(), m)
    ours, theirs = in_turns(
        Work(lambda fed: fp.verify(fed, m), describe), Work(lambda fed: enumerate_failures(fed, m), describe)
    )
    assert set(ours.answer.how.values()) == {"exact"}
    found = [failure.value for failure in ours.answer.failure.values()]
    np.testing.assert_allclose(found, theirs.answer, atol=1e-12)
    compare(
        f"exact failure of 3 agents, 24 hypotheses, {points} points",
        unit="seconds",
        ours=ours.seconds,
        competitor="every set of seen points, with numpy",
        theirs=theirs.seconds,
        at_least=at_least,
    )


@pytest.mark.parametrize(
    ("what", "describe", "m"),
    [
        ("price-of-stability(1/1024) at (3382, 0)", lambda: fp.examples.price_of_stability("1/1024"), (3382, 0)),
        (
            "all labelings of 12 points, 2 agents",
            lambda: fp.Federation.from_table(
                fp.planning.classes.all_labelings(12).labels,
                np.random.default_rng(2).dirichlet(np.full(12, 3.0), 2),
                epsilon=0.1,
                delta=0.05,
            ),
            (20, 20),
        ),
    ],
)
def test_exactly_in_seconds(what, describe, m, record):
    found = repeat(Work(lambda fed: fp.verify(fed, m), describe), times=3)
    assert set(found.answer.how.values()) == {"exact"}
    record(f"exact failure, {what}", unit="seconds", value=found.seconds, at_most=30)


def test_a_narrow_interval_in_seconds(record):
    found = repeat(Work(lambda fed: fp.verify(fed, (28, 28)), noisy_models), times=3)
    what = "failure of 50 models on 300 points of 2 sites at (28, 28)"
    record(what, unit="seconds", value=found.seconds, at_most=30)
    widest = max(failure.high - failure.low for failure in found.answer.failure.values())
    record(f"{what}, width of the certified interval", unit="", value=widest, at_most=1e-4)
