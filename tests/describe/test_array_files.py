"""Federations from points: the finite restriction of a named class."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.describe.array_files import map_npy, read_point_file
from fedpact.describe.classes import OF_POINTS
from refusals import check_refused

OPTIONS = {"epsilon": 0.2, "delta": 0.1}
BOTH = {"alice": [[0, 0], [0, 1], [1, 1]], "bob": [[1, 0], [1, 1]]}
LINE = {"alice": [3, 1, 2], "bob": [2, 2.5]}


@pytest.mark.parametrize("class_name", OF_POINTS)
def test_predictions_are_the_labelings_of_all_points(class_name):
    points = LINE if class_name in ("thresholds", "intervals") else BOTH
    fed = fp.Federation.from_points(points, class_name, **OPTIONS)
    made = getattr(fp.planning.classes, class_name)([point for own in points.values() for point in own])
    assert fed.names == ("alice", "bob")
    assert fed.hypotheses == made.hypotheses
    assert np.array_equal(np.concatenate(fed.evidence.predictions, axis=1), made.labels)
    assert [own.shape[1] for own in fed.evidence.predictions] == [3, 2]


def test_settings_are_passed_on():
    fed = fp.Federation.from_points(
        LINE, "intervals", epsilon=[0.1, 0.2], delta=0.3, cost=2, capacity=9, guarantee="joint", name="lines"
    )
    assert (fed.name, fed.delta, fed.guarantee, fed.objective) == ("lines", 0.3, "joint", "pac")
    assert [(agent.epsilon, agent.cost.rate, agent.capacity)
            for agent in fed.agents] == [(0.1, 2, 9), (0.2, 2, 9)]  # fmt: skip


def test_a_threshold_between_the_points_is_no_hypothesis_of_its_own():
    """Whatever threshold in the reals is the truth, the plan's promise holds: its labelling is there."""
    fed = fp.Federation.from_points(LINE, **OPTIONS)
    everywhere = np.concatenate([LINE["alice"], LINE["bob"]])
    known = set(map(tuple, np.concatenate(fed.evidence.predictions, axis=1).tolist()))
    assert known == {tuple((everywhere >= cut).astype(int).tolist()) for cut in np.linspace(0, 4, 401)}


def test_can_be_saved_and_planned(tmp_path):
    fed = fp.Federation.from_points(LINE, **OPTIONS)
    fed.save(tmp_path / "points.toml")
    assert fp.plan(fp.load(tmp_path / "points.toml")).m.tolist() == fp.plan(fed).m.tolist()


BAD = [
    (({}, "thresholds"), "points must map at least one agent's name to its (n,) or (n, d) array"),
    (([1, 2], "thresholds"), "points must map at least one agent's name"),
    (({"a": ["x"]}, "thresholds"), "agent 'a': points must be numbers, the same count for every point"),
    (({"a": [[1], [1, 2]]}, "stumps"), "agent 'a': points must be numbers, the same count"),
    (({"a": []}, "stumps"), "agent 'a': points must be a non-empty (n,) or (n, d) array"),
    (({"a": [[[1]]]}, "stumps"), "agent 'a': points must be a non-empty (n,) or (n, d) array"),
    (({"a": [float("nan")]}, "stumps"), "agent 'a': points must be finite numbers"),
    (({"a": [1], "b": [[1, 2]]}, "stumps"), "must have the same features; their numbers differ: {'a': 1"),
    (({"a": [[1, 2]]}, "thresholds"), "class 'thresholds' needs one number per point"),
    (({"a": [2]}, "conjunctions"), "class 'conjunctions' needs features that are 0 or 1"),
    (({"a": [2]}, "halfspace"), "it is 'halfspace' (did you mean 'halfspaces'?)"),
    (({"a": [2]}, "all-labelings"), "hypotheses must name a class of points with features"),
    (({"a": [2]}, None), "it is None (known: conjunctions, halfspaces, intervals"),
    (({"a": range(200)}, "intervals"), "or plan for all of them with fedpact.plan_cover"),
    (({"a": range(3000)}, "rectangles"), "or plan for all of them with fedpact.plan_cover"),
]


def test_refuses():
    for arguments, message in BAD:
        check_refused(message, fp.Federation.from_points, *arguments, **OPTIONS)


NAMED = [
    ("thresholds", ["age"], "feature_names have no meaning for class 'thresholds', which has one feature x"),
    ("stumps", ["age", "dose"], "feature_names must be 1 different strings; they are ['age', 'dose']"),
    ("stumps", "a", "feature_names must be 1 different strings; they are 'a'"),
    ("stumps", 5, "feature_names must be 1 different strings; they are 5"),
    ("stumps", [5], "feature_names must be 1 different strings; they are [5]"),
]


def test_refuses_names_of_features():
    for class_name, names, message in NAMED:
        with pytest.raises(fp.FederationError) as caught:
            fp.Federation.from_points({"a": [1, 2]}, class_name, feature_names=names, **OPTIONS)
        assert str(caught.value) == message


def test_names_of_features_are_those_of_the_hypotheses():
    fed = fp.Federation.from_points(LINE, "stumps", feature_names=["age"], **OPTIONS)
    assert fed.hypotheses[0] == "age >= 1"


def test_all_problems_at_once():
    with pytest.raises(fp.FederationError) as caught:
        fp.Federation.from_points({"a": [float("inf")], "b": []}, "boxes", epsilon=2, delta=0.1)
    assert len(caught.value.problems) == 5


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_an_array_is_read_back(tmp_path, version):
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array(file, np.arange(6).reshape(2, 3), version=version)
    assert map_npy(tmp_path / "a.npy", "").tolist() == [[0, 1, 2], [3, 4, 5]]


def test_an_array_of_named_fields_is_refused(tmp_path):
    with pytest.warns(UserWarning, match="format 3.0"):
        np.save(tmp_path / "a.npy", np.zeros(2, dtype=[("é北", int)]))
    with pytest.raises(fp.FederationError, match=r"points must be numbers; the array holds \["):
        read_point_file(tmp_path / "a.npy")


def test_a_header_that_promises_too_much_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(100))
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-1])
    with pytest.raises(fp.FederationError, match=r"not an .npy array .* pickle; write it anew"):
        map_npy(tmp_path / "a.npy", "; write it anew")
