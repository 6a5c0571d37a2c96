"""Digits in eight hands: all of them, each once, and a hand is learnt best from its own writer."""

import sys

import numpy as np
import pytest

import fedpact as fp
from reproduction.data.digit_writers import HANDS, Hand, draw, load_digit_writers

pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def data():
    return load_digit_writers()


def test_every_digit_is_dealt_once(data):
    from sklearn.datasets import load_digits

    assert data.images.shape == (1797, 12, 12)
    assert data.images.dtype == np.float32
    assert (data.images.min(), data.images.max()) == (0, 1)
    assert np.array_equal(np.bincount(data.labels), np.bincount(load_digits().target))
    assert data.sizes == {name: hand.images for name, hand in HANDS.items()}
    assert all(len(np.unique(data.labels[data.places(name)])) == 10 for name in data.names)


def test_it_is_the_same_every_time(data):
    again = load_digit_writers()
    assert np.array_equal(again.images, data.images)
    assert np.array_equal(again.labels, data.labels)


def test_a_hand_is_learnt_best_from_its_own_writer(data):
    from sklearn.svm import SVC

    first, second = list(data.sizes)[:2]
    accuracy = {}
    for teacher in (first, second):
        places = data.places(teacher)[:200]
        model = SVC().fit(data.images[places].reshape(200, -1), data.labels[places])
        for pupil in (first, second):
            held_out = data.places(pupil)[200:]
            points = data.images[held_out].reshape(len(held_out), -1)
            accuracy[teacher, pupil] = model.score(points, data.labels[held_out])
    for own, other in ((first, second), (second, first)):
        assert accuracy[own, own] > 0.8
        assert 0.3 < accuracy[other, own] < accuracy[own, own] - 0.15


UPRIGHT = Hand(1, slant=0.0, turn=0.0, size=1.0, pen=1.0)


def centre(image, rows):
    """Column about which the ink of some rows lies."""
    return (image[rows].sum(axis=0) * np.arange(12)).sum() / image[rows].sum()


def test_a_hand_leans_turns_and_presses():
    bar = np.zeros((1, 8, 8))
    bar[:, 1:7, 3:5] = 0.5
    top, bottom = slice(2, 5), slice(7, 10)
    (plain,) = draw(bar, UPRIGHT)
    (leaning,) = draw(bar, UPRIGHT._replace(slant=0.3))
    (turned,) = draw(bar, UPRIGHT._replace(turn=20))
    assert centre(plain, top) == pytest.approx(centre(plain, bottom))
    assert centre(leaning, top) > centre(leaning, bottom) + 1
    assert centre(turned, top) < centre(turned, bottom) - 1
    assert draw(bar, UPRIGHT._replace(pen=0.5)).max() == pytest.approx(0.5**0.5)


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(fp.errors.MissingExtraError, match=r'pip install "fedpact\[sklearn\]"'):
        load_digit_writers()
