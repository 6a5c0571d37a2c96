import numpy as np
import pytest

from reproduction.composition.samples import draw_samples

SOURCES = [np.arange(0, 40), np.arange(40, 70), np.arange(70, 130), np.arange(130, 160), np.arange(160, 200)]


def whose(places):
    return np.searchsorted([40, 70, 130, 160], places, side="right")


@pytest.mark.parametrize("combined", [1, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_nothing_held_out_is_trained_on_and_nothing_is_drawn_twice(combined, seed):
    draw = draw_samples(SOURCES, combined, 0.2, np.random.default_rng(seed))
    trained = np.concatenate([draw.first, draw.second])
    held_out = np.concatenate(draw.tests)
    assert len(np.unique(trained)) == len(trained)
    assert not set(trained) & set(held_out)
    assert set(whose(draw.first)) == set(whose(draw.tests[0])) == {0}
    assert set(whose(draw.second)) == {int(whose(test)[0]) for test in draw.tests[1:]}
    assert len(draw.tests) == 1 + combined
    assert draw.weights.sum() == pytest.approx(1)


def test_a_larger_share_contains_the_smaller_one():
    draw = draw_samples(SOURCES, 3, 0.2, np.random.default_rng(0))
    few, many = draw.mix(20, 0.3), draw.mix(20, 0.6)
    assert (whose(few) == 0).sum() == 6
    assert set(few[:6]) <= set(many[:12])
    assert set(many[12:]) <= set(few[6:])


def test_a_combination_has_its_weights_as_long_as_the_sources_last():
    sources = [np.arange(10), *(np.arange(1000 * k, 1000 * k + 1000) for k in range(1, 4))]
    counts, weights = np.zeros(3), np.zeros(3)
    for seed in range(40):
        draw = draw_samples(sources, 3, 0.2, np.random.default_rng(seed))
        order = [int(test[0]) // 1000 - 1 for test in draw.tests[1:]]
        counts[order] += [(draw.second[:200] // 1000 - 1 == source).sum() for source in order]
        weights[order] += 200 * draw.weights
    assert counts == pytest.approx(weights, rel=0.06)
