"""Bets on single pairs have the capital that confseq gives; what is reached afterwards was reached on the way."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.selection.bets import THETAS, count_point, find_reached, place_bets

KEPT = json.loads((Path(__file__).parent / "kept" / "confseq.json").read_text(encoding="utf-8"))


def bet(said, wrong, mass, limit, thetas, *, differ, is_stream=False):
    """(T, B) the capital of the first candidate against the second after every point."""
    shape = np.shape(differ)
    seen, gap, capital, most = np.zeros(shape), np.zeros(shape), np.ones((*shape, len(thetas))), np.ones(shape)
    found = []
    for own, errs in zip(said, wrong, strict=True):
        place_bets(own, errs, np.arange(len(own)), limit, is_stream, differ, seen, gap, capital, most, thetas)
        count_point(own, errs, mass, seen, gap)
        found.append(capital[0, 1].copy())
    return np.array(found)


@pytest.mark.parametrize("case", KEPT["cases"], ids=lambda case: f"{len(case['z'])}-points")
def test_capital_of_a_pair_is_that_of_confseq(case):
    z, thetas = np.array(case["z"]), np.array(KEPT["thetas"])
    T = len(case["capital"][0])
    said = np.tile(np.array([0, 1]), (T, 1))  # they differ at every point
    wrong = np.array([[one == 1, one == -1] for one in z[:T]]) | (z[:T] == 0)[:, None]
    differ = np.array([[0.0, 1.0], [1.0, 0.0]])
    own = bet(
        said,
        wrong.astype(np.int8),
        1 / len(z),
        case["limit"],
        thetas,
        differ=differ,
        is_stream=not case["is_pool"],
    )
    assert pytest.approx(np.array(case["capital"]), rel=1e-9) == own.T


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_what_is_reached_afterwards_was_reached_on_the_way(seed, is_stream):
    rng = np.random.default_rng(seed)
    n, T, H = 12, 9, 3
    said, labels = rng.integers(0, 3, (n, H)), rng.integers(0, 3, n)
    wrong = (said != labels[:, None]).astype(np.int8)
    differ = (said[:, :, None] != said[:, None, :]).mean(axis=0)
    limit, threshold = float(rng.uniform(-0.1, 0.4)), 2.0
    capital = bet(said[:T], wrong[:T], 1 / n, limit, THETAS, differ=differ, is_stream=is_stream).mean(axis=1)
    args = (np.array([0]), np.array([1]), np.array([limit]), np.array([-1.0]), differ[[0], [1]])
    inside = np.ones((T, H), dtype=bool)
    (reached,) = find_reached(
        said[:T], wrong[:T], inside, np.full(T, 1 / n), *args, is_stream, np.array([threshold]), THETAS
    )
    over = np.flatnonzero(capital >= threshold)
    assert reached == (over[0] + 1 if len(over) else T + 1)
