"""Covers against every labelling of the points, by brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.describe.classes import ON_FEATURES, ON_LINE
from fedpact.explain import explain
from fedpact.planning.build_cover import COVERED, TooManyMembers, _pack, vc_dimension
from refusals import check_refused

CLASSES = {**ON_LINE, **ON_FEATURES}


@st.composite
def own_points(draw, class_name):
    """Points of one to three agents, with ties within and between them."""
    f = {"thresholds": 1, "intervals": 1, "halfspaces": 2}.get(class_name) or draw(st.integers(1, 2))
    most = 12 if f == 1 else 6
    point = st.tuples(*[st.integers(-3, 3)] * f)
    agents = draw(st.lists(st.lists(point, min_size=1, max_size=most), min_size=1, max_size=3))
    return {f"agent-{i}": np.array(own, dtype=float) for i, own in enumerate(agents, 1)}


def distances(points, class_name, found):
    """(H, C) largest share of an agent's points on which a hypothesis and a member differ."""
    labels = CLASSES[class_name](np.concatenate(list(points.values()))).labels
    ends = np.cumsum([len(own) for own in points.values()])[:-1]
    shares = [
        (own[:, None] != found.labels_of(agent)[None]).mean(axis=2)
        for agent, own in zip(points, np.split(labels, ends, axis=1), strict=True)
    ]
    return np.max(shares, axis=0)


@pytest.mark.parametrize("class_name", COVERED)
@given(data=st.data(), gamma=st.sampled_from((0, 0.1, "1/6", 0.25, "1/3", 0.5, 0.7)))
@settings(max_examples=80)
def test_every_hypothesis_is_within_the_radius_of_a_member(class_name, data, gamma):
    points = data.draw(own_points(class_name))
    found = fp.planning.cover(points, class_name, gamma)
    apart = distances(points, class_name, found)
    assert apart.min(axis=1).max() <= found.radius + 1e-12
    assert found.radius <= found.gamma + 1e-12
    assert (apart.min(axis=0) == 0).all(), "every member is a hypothesis of the class"
    assert len(np.unique(found.labels, axis=0)) == len(found.labels)
    assert len(set(found.hypotheses)) == len(found.hypotheses) == len(found.labels)


@pytest.mark.parametrize("class_name", COVERED)
@given(data=st.data())
@settings(max_examples=30)
def test_atoms_heavier_than_gamma_leave_every_labelling(class_name, data):
    points = data.draw(own_points(class_name))
    found = fp.planning.cover(points, class_name, 1e-3)
    assert found.radius == 0
    assert len(found.labels) == len(CLASSES[class_name](np.concatenate(list(points.values()))).labels)


@given(data=st.data(), gamma=st.sampled_from((0.1, 0.25, 0.4)))
@settings(max_examples=60)
def test_thresholds_are_covered_by_as_few_as_possible(data, gamma):
    points = data.draw(own_points("thresholds"))
    found = fp.planning.cover(points, "thresholds", gamma)
    everything = fp.planning.cover(points, "thresholds", 0)
    near = distances(points, "thresholds", everything) <= gamma + 1e-9
    subsets = (some for n in range(len(near)) for some in itertools.combinations(range(len(near)), n + 1))
    fewest = next(len(some) for some in subsets if near[:, some].any(axis=1).all())
    assert len(found.labels) == fewest


@pytest.mark.parametrize("class_name", COVERED)
@given(data=st.data())
@settings(max_examples=30)
def test_reports_count_where_members_differ(class_name, data):
    points = data.draw(own_points(class_name))
    found = fp.planning.cover(points, class_name, 0.2)
    for agent in points:
        labels = found.labels_of(agent)
        assert (found.report_of(agent).square() == (labels[:, None] != labels[None]).sum(axis=2)).all()


def test_names_say_what_members_do():
    found = fp.planning.cover({"a": [1, 2, 3, 4]}, "intervals", 0)
    at = found.hypotheses.index("2 <= x <= 3")
    assert found.labels_of("a")[at].tolist() == [False, True, True, False]
    boxes = fp.planning.cover({"a": [[1, 5], [2, 6]]}, "rectangles", 0)
    at = boxes.hypotheses.index("1 <= f1 <= 1 & 5 <= f2 <= 5")
    assert boxes.labels_of("a")[at].tolist() == [True, False]
    assert not boxes.labels_of("a")[boxes.hypotheses.index("never")].any()


def test_many_points_need_few_members():
    found = fp.planning.cover({"a": np.arange(10**6), "b": np.arange(10**6) + 0.5}, "thresholds", 0.01)
    assert len(found.labels) == 50
    assert found.radius == 0.01
    assert "all but a share of 0.01 of every agent's points" in explain(found).headline


@pytest.mark.parametrize("f", range(1, 12))
def test_stumps_shatter_no_more_than_the_bound(f):
    d = vc_dimension("stumps", f)
    assert 2**d <= 2 * f * (d - 1) + 2
    assert all(2**n > 2 * f * (n - 1) + 2 for n in range(d + 1, d + 20))


@pytest.mark.parametrize(("f", "d"), [(1, 2), (2, 3)])
def test_stumps_shatter_as_many_points_as_the_bound_says(f, d):
    values = itertools.permutations(range(d))
    columns = itertools.product(values, repeat=f)
    assert any(len(fp.planning.classes.stumps(np.column_stack(column)).labels) == 2**d for column in columns)


BAD = [
    (({}, "thresholds", 0.1), "points must map at least one agent's name"),
    (({"a": [1]}, "treshold", 0.1), "it is 'treshold' (did you mean 'thresholds'?)"),
    (({"a": [[1]]}, "conjunctions", 0.1), "hypotheses must name a class"),
    (({"a": [1]}, 3, 0.1), "it is 3 (known: halfspaces, intervals"),
    (({"a": [1]}, "thresholds", 1), "gamma must be at least 0 and below 1; it is 1"),
    (({"a": [1]}, "thresholds", "x"), "gamma must be a number"),
    (({"a": []}, "thresholds", 0.1), "agent 'a': points must be a non-empty"),
    (({"a": [[1, 2]]}, "thresholds", 0.1), "class 'thresholds' needs one number per point"),
    (({"a": [1, 2]}, "halfspaces", 0.1), "class 'halfspaces' needs exactly 2 features"),
    (({"a": range(200)}, "intervals", 0), "has more than 16,384 hypotheses; raise gamma"),
    (
        ({"a": np.arange(602).reshape(-1, 2) ** 2}, "halfspaces", 0.1),
        "halfspaces are enumerated over 300 different points at most; there are 301",
    ),
]


def test_refuses():
    for arguments, message in BAD:
        check_refused(message, fp.planning.cover, *arguments)


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_cover_of_more_members_than_are_wanted_is_given_up(allowed):
    """Five labelings of five points, each two away from the others."""
    labels, counts = np.eye(5, dtype=bool), np.ones((1, 5), dtype=np.int64)
    chosen, radius = _pack(labels, counts, np.array([allowed]), 5)
    assert (sorted(chosen), radius) == ([0, 1, 2, 3, 4], 0)
    with pytest.raises(TooManyMembers):
        _pack(labels, counts, np.array([allowed]), 4)
