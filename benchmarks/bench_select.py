"""How long a selection takes where nothing is assumed of labels, from predictions to the proof.

The models are random, and labels are what most of them say. The sizes are those of QNLI, the collection of the
experiment *selection* with most candidates, and a thousand candidates at ten sites. Nobody else promises the same,
so there is nothing to set beside it. How the time of a label grows with the candidates is in `bench_growth.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fedpact as fp
from bench_growth import trace_memory
from instances import federation_of, noisy_models, vote
from timing import Work, repeat

SIZES = [(90, 1, 5463, 5), (1000, 10, 10_000, 300)]
"""Candidates, sites, points of each, and seconds that it may take."""


def select(given: tuple[dict[str, NDArray[np.int8]], dict[str, NDArray[np.int64]]]) -> Any:
    predictions, labels = given
    return fp.select(federation_of(predictions), labels, assume="agnostic")


@pytest.mark.parametrize(("H", "k", "points", "at_most"), SIZES)
def test_a_selection_in_seconds(H, k, points, at_most, record):
    predictions = noisy_models(H, k, points)
    given = predictions, {site: vote(said) for site, said in predictions.items()}
    select((noisy_models(4, 1, 50), {"site-0": np.zeros(50, dtype=int)}))  # compiles
    found = repeat(Work(select, lambda: given), times=3)
    assert found.answer.status.value == "certified"
    what = f"a selection of {H:,} candidates at {k} site{'s' * (k > 1)} of {points:,} points, nothing assumed"
    record(what, unit="seconds", value=found.seconds, at_most=at_most)
    record(f"{what}, a label", unit="seconds", value=found.seconds / max(found.answer.labels, 1))
    if H >= 1000:
        record(f"{what}, memory", unit="MB", value=trace_memory(select, given))
