import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.describe import classes
from fedpact.errors import FederationError
from refusals import check_refused


def cube(d):
    return list(itertools.product((0, 1), repeat=d))


def grid(*sizes):
    return list(itertools.product(*map(range, sizes)))


SIZES = {
    **{f"all-labelings-{n}": (classes.all_labelings(n), 2**n) for n in (1, 3, 8)},
    **{f"singletons-{n}": (classes.singletons(n), n + 1) for n in (1, 2, 7)},
    **{f"thresholds-{n}": (classes.thresholds(range(n)), n + 1) for n in (1, 2, 9)},
    **{f"intervals-{n}": (classes.intervals(range(n)), n * (n + 1) // 2 + 1) for n in (1, 2, 9)},
    **{f"conjunctions-{d}": (classes.conjunctions(cube(d)), 3**d + 1) for d in (1, 2, 3, 4)},
    **{f"stumps-line-{n}": (classes.stumps(np.arange(n)), 2 * n) for n in (1, 2, 9)},
    **{f"stumps-cube-{d}": (classes.stumps(cube(d)), 2 * d + 2) for d in (1, 2, 5)},
    "repeated-values": (classes.thresholds([2, 2, 1, 1]), 3),
}


@pytest.mark.parametrize(("made", "size"), SIZES.values(), ids=SIZES)
def test_size_is_the_closed_form(made, size):
    assert len(made.labels) == size
    assert len(set(map(tuple, made.labels.tolist()))) == size
    assert len(set(made.hypotheses)) == size


features = st.integers(1, 6).flatmap(
    lambda n: st.integers(1, 3).flatmap(
        lambda d: st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=n, max_size=n)
    )
)


@given(features)
@settings(deadline=None)
def test_stumps_are_those_of_brute_force(points):
    x = np.array(points)
    cuts = itertools.product(range(x.shape[1]), np.arange(-2, 4))
    above = {tuple((x[:, feature] >= cut).astype(int).tolist()) for feature, cut in cuts}
    below = {tuple(1 - label for label in row) for row in above}
    assert set(map(tuple, classes.stumps(points).labels.tolist())) == above | below


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=6))
def test_intervals_are_the_boxes_of_the_line(values):
    boxes = classes.rectangles(values).labels
    assert set(map(tuple, classes.intervals(values).labels.tolist())) == set(map(tuple, boxes.tolist()))


def first_conjunctions(points):
    """Of every set of points the first conjunction in the order of all 3^d."""
    x, found = np.array(points), {}
    for literals in itertools.product((None, 1, 0), repeat=x.shape[1]):
        used = [f for f, literal in enumerate(literals) if literal is not None]
        row = tuple(
            np.all([x[:, f] == literals[f] for f in used] or [[True] * len(x)], axis=0).astype(int).tolist()
        )
        words = " & ".join(f"f{f + 1}" if literals[f] else f"not f{f + 1}" for f in used)
        if any(row):
            found.setdefault(row, words or "always")
    return [*found.items(), ((0,) * len(x), "never")]


@given(
    st.integers(1, 4).flatmap(
        lambda d: st.lists(st.lists(st.integers(0, 1), min_size=d, max_size=d), min_size=1, max_size=9)
    )
)
def test_conjunctions_are_named_by_the_first_of_all(points):
    made = classes.conjunctions(points)
    found = zip(map(tuple, made.labels.tolist()), made.hypotheses, strict=True)
    assert list(found) == first_conjunctions(points)


def test_conjunctions_over_many_features_of_few_points():
    made = classes.conjunctions(np.eye(3, 1000))
    assert made.hypotheses[0] == "always"
    assert len(made.labels) == 2**3


def test_names_say_what_the_labels_do():
    made = classes.conjunctions(cube(2), names=["old", "ill"])
    at = made.hypotheses.index("old & not ill")
    assert made.labels[at].tolist() == [int(old and not ill) for old, ill in cube(2)]


NEAR = {
    "close-values": classes.thresholds([1.0000001, 1.0000002]),
    "close-intervals": classes.intervals([1.0000001, 1.0000002, 1.0000003]),
    "point-named-like-a-set": classes.all_labelings(3, points=["a", "b", "a+b"]),
    "point-named-nowhere": classes.singletons(2, points=["nowhere", "x"]),
    "feature-named-like-a-negation": classes.conjunctions(cube(2), names=["old", "not old"]),
}


@pytest.mark.parametrize("made", NEAR.values(), ids=NEAR)
def test_names_always_differ(made):
    assert len(set(made.hypotheses)) == len(made.labels)


BAD = [
    (lambda: classes.all_labelings(60), "class all-labelings of 60 points would have 1,152,921,504"),
    (lambda: classes.all_labelings(10**6), "at most 16,384 are enumerated"),
    (lambda: classes.singletons(10**6), "would have 1,000,001 hypotheses"),
    (lambda: classes.thresholds(np.arange(10**6)), "would have 1,000,001 hypotheses"),
    (lambda: classes.intervals(np.arange(10**6)), "at most 16,384 are enumerated"),
    (lambda: classes.stumps(np.arange(10**6)), "would have 2,000,000 hypotheses"),
    (
        lambda: classes.conjunctions(cube(9)),
        "hypotheses or more; at most 16,384 are enumerated (use fewer points or features)",
    ),
    (lambda: classes.all_labelings(0), "class 'all-labelings' needs at least one point; there are 0"),
    (lambda: classes.singletons(0), "class 'singletons' needs at least one point; there are 0"),
    (
        lambda: classes.thresholds([]),
        "features of class 'thresholds' must be a non-empty (n,) or (n, d) array; the shape is (0,)",
    ),
    (lambda: classes.stumps([[], []]), "features of class 'stumps' must be a non-empty"),
    (lambda: classes.intervals([[1, 2], [3, 4]]), "class 'intervals' needs one number per point"),
    (lambda: classes.stumps([[1], [1, 2]]), "features of class 'stumps' must be numbers, the same count"),
    (lambda: classes.rectangles([["tall"]]), "features of class 'rectangles' must be numbers"),
    (lambda: classes.rectangles([float("nan")]), "features of class 'rectangles' must be finite"),
    (lambda: classes.thresholds([10**400]), "features of class 'thresholds' must be numbers"),
    (lambda: classes.conjunctions([[2]]), "class 'conjunctions' needs features that are 0 or 1"),
    (lambda: classes.stumps([[1]], names=["a", "b"]), "feature_names must be 1 different strings"),
]


def test_refuses():
    for make, message in BAD:
        check_refused(message, make)


def test_the_catalogue_is_complete():
    assert set(classes.NAMES) == {*classes.ON_POINTS, *classes.ON_LINE, *classes.ON_FEATURES}


def test_labels_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        classes.singletons(2).labels[0, 0] = 1


@pytest.mark.parametrize("make", [classes.all_labelings, classes.singletons])
def test_points_must_be_as_many_as_there_are(make):
    with pytest.raises(FederationError, match="points must be 2 different strings"):
        make(2, points=["a"])
