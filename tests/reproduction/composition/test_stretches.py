import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.composition.stretches import count_held_out, draw_stretches
from reproduction.data.roles import WINDOW


def characters(windows):
    """Every character that windows or their labels consist of."""
    return set((windows[:, None] + np.arange(WINDOW + 1)).ravel())


@given(
    sizes=st.tuples(st.integers(200, 600), st.integers(200, 600)),
    tested=st.integers(1, 40),
    seed=st.integers(0, 2**32),
)
def test_training_and_test_share_no_character(sizes, tested, seed):
    draw = draw_stretches(sizes, tested, np.random.default_rng(seed))
    trained = draw.first, draw.second
    for train, test, size, before in zip(trained, draw.tests, sizes, (0, sizes[0]), strict=True):
        assert (np.diff(test) == 1).all()
        assert len(test) == tested
        assert len(np.unique(train)) == len(train) >= size - count_held_out(tested)
        assert not characters(train - before) & characters(test - before)
        assert min(train.min(), test.min()) >= before
        assert max(train.max(), test.max()) < before + size


def test_no_more_is_left_out_than_must_be():
    draw = draw_stretches([1000, 1000], 100, np.random.default_rng(0))
    test = characters(draw.tests[0])
    apart = [window for window in range(1000) if not characters(np.array([window])) & test]
    assert sorted(draw.first) == apart


def test_every_part_of_a_text_is_tested_in_some_seed():
    tests = [draw_stretches([200, 200], 20, np.random.default_rng(seed)).tests[0] for seed in range(2000)]
    assert set(np.concatenate(tests)) == set(range(200))


@pytest.mark.parametrize("m", [10, 40])
def test_a_larger_share_contains_the_smaller_one(m):
    draw = draw_stretches([400, 400], 20, np.random.default_rng(0))
    few, many = draw.mix(m, 0.2), draw.mix(m, 0.5)
    assert set(few[few < 400]) < set(many[many < 400])
    assert set(many[many >= 400]) < set(few[few >= 400])
