import copy
import io
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.describe.classes import all_labelings, conjunctions, intervals, singletons
from fedpact.describe.costs import KINDS as COSTS
from fedpact.describe.costs import Linear, PiecewiseLinear, Quadratic
from fedpact.describe.evidence import Predictions, Reports, Table
from fedpact.describe.examples import alice_bob
from fedpact.describe.federation import Federation
from fedpact.describe.file_evidence import KINDS
from fedpact.describe.files import load, load_settings, save
from fedpact.describe.hypothesis_class import HypothesisClass
from fedpact.describe.reports import Report
from fedpact.errors import FederationError
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.make_report import report

PAIR = {
    "name": "alice-and-bob",
    "delta": 0.05,
    "epsilon": 0.1,
    "objective": "pac",
    "guarantee": "per-agent",
    "agents": [
        {"name": "alice", "cost": 1.0, "distribution": {"xA": 0.8, "xB": 0.2}},
        {"name": "bob", "cost": 1.0, "distribution": {"xA": 0.2, "xB": 0.8}},
    ],
    "hypotheses": {"class": "all-labelings"},
}
GONE = object()
NAN = float("nan")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A folder with a prediction and a report file of every agent."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("alice", "bob"):
        np.save(folder / f"{name}.npy", np.array([[0, 0, 1], [0, 1, 1]]))
        Report(name=name, n=4, n_classes=2, counts=np.array([1])).save(folder / f"{name}.report.npz")
    return folder


def changed(data, *changes):
    """A copy of ``data`` with values put at, or removed from, the given paths of keys."""
    data = copy.deepcopy(data)
    for *path, last, value in changes:
        node = data
        for key in path:
            node = node[key]
        if value is GONE:
            del node[last]
        else:
            node[last] = value
    return data


def write(folder, data, name="network.json"):
    text = json.dumps(data) if name.endswith(".json") else tomli_w.dumps(data)
    (folder / name).write_text(text)
    return folder / name


def problems_of(path):
    """What :func:`load` says, without the path that starts every problem; nothing if it reads the file."""
    try:
        assert isinstance(load(path), Federation)
    except FederationError as error:
        found = error.problems
    else:
        return []
    assert all(problem.startswith(f"{path}: ") for problem in found)
    assert all(len(problem.splitlines()) == 1 and problem.isprintable() for problem in found)
    return [problem.removeprefix(f"{path}: ") for problem in found]


def assert_same(a, b):
    assert (a.name, a.agents, a.delta, a.objective, a.guarantee) == (
        b.name,
        b.agents,
        b.delta,
        b.objective,
        b.guarantee,
    )
    assert (type(a.evidence), a.evidence.hypotheses) == (type(b.evidence), b.evidence.hypotheses)
    assert getattr(a.evidence, "classes", None) == getattr(b.evidence, "classes", None)
    np.testing.assert_array_equal(a.distinct, b.distinct)
    for left, right in zip(arrays_of(a.evidence), arrays_of(b.evidence), strict=True):
        np.testing.assert_array_equal(left, right, strict=True)


def arrays_of(evidence):
    if isinstance(evidence, Table):
        return [np.array(evidence.points), evidence.labels, evidence.distributions]
    if isinstance(evidence, Predictions):
        return evidence.predictions
    return [np.array([*report.counts, report.n, report.n_classes]) for report in evidence.reports]


def test_the_contract_of_the_file(tmp_path):
    text = """
        name = "alice-and-bob"
        delta = 0.05
        epsilon = 0.1                       # an agent may override it
        objective = "pac"
        guarantee = "joint"
        [[agents]]
        name = "alice"
        cost = {quadratic = [1, "1/2"]}
        epsilon = "1/3"
        capacity = 10
        distribution = {xA = "1/3", xB = "2/3"}
        [[agents]]
        name = "bob"
        cost = {breakpoints = [5], slopes = [1, 2]}
        distribution = {xB = 1}
        [[agents]]
        name = "carol"
        distribution = {xB = 1}
        [hypotheses]
        class = "all-labelings"
    """
    (tmp_path / "network.toml").write_text(text)
    fed = load(tmp_path / "network.toml")
    assert (fed.name, fed.delta, fed.objective, fed.guarantee) == ("alice-and-bob", 0.05, "pac", "joint")
    assert [agent.cost for agent in fed.agents] == [
        Quadratic(1.0, 0.5),
        PiecewiseLinear((5.0,), (1.0, 2.0)),
        Linear(1.0),
    ]
    assert fed.epsilon.tolist() == [1 / 3, 0.1, 0.1]
    assert [agent.capacity for agent in fed.agents] == [10, None, None]
    assert fed.evidence.distributions.tolist() == [[1 / 3, 2 / 3], [0, 1], [0, 1]]
    assert fed.hypotheses == ("nowhere", "xB", "xA", "xA+xB")


def test_cost_and_capacity_at_the_top_are_defaults(tmp_path):
    data = changed(
        PAIR, ("cost", 3), ("capacity", 7), ("agents", 0, "cost", GONE), ("agents", 1, "capacity", None)
    )
    fed = load(write(tmp_path, data))
    assert [agent.cost.rate for agent in fed.agents] == [3, 1]
    assert [agent.capacity for agent in fed.agents] == [7, None]


def test_what_may_be_left_out(tmp_path):
    data = {
        "delta": 0.1,
        "epsilon": 0,
        "agents": [{"distribution": {"x": 1}}],
        "hypotheses": {"class": "singletons"},
    }
    fed = load(write(tmp_path, data))
    assert (fed.name, fed.names, fed.objective, fed.guarantee) == (
        "network",
        ("agent-1",),
        "pac",
        "per-agent",
    )


HYPOTHESES = [
    ({"labels": [[0, 1], [1, 1]], "points": ["xB", "xA"]}, [[0, 1], [1, 1]], ("h1", "h2")),
    ({"labels": [["0", "2/2"]]}, [[0, 1]], ("h1",)),
    ({"labels": [[0, 1], [1, 1]], "names": ["p", "q"]}, [[0, 1], [1, 1]], ("p", "q")),
    ({"class": "singletons", "names": ["p", "q", "r"]}, [[0, 0], [1, 0], [0, 1]], ("p", "q", "r")),
    ({"class": "thresholds"}, [[1, 1], [0, 1], [0, 0]], ("x >= 1", "x >= 2", "never")),
    ({"class": "thresholds", "points": ["xB", "xA"]}, [[1, 1], [0, 1], [0, 0]], ("x >= 1", "x >= 2", "never")),
    (
        {"class": "thresholds", "features": {"xA": "1/2", "xB": [-1]}},
        [[1, 1], [1, 0], [0, 0]],
        ("x >= -1", "x >= 0.5", "never"),
    ),
    (
        {"class": "stumps", "features": {"xA": [1, 1], "xB": [1, 2]}, "feature_names": ["age", "dose"]},
        [[1, 1], [0, 0], [0, 1], [1, 0]],
        ("age >= 1", "age < 1", "dose >= 2", "dose < 2"),
    ),
]


@pytest.mark.parametrize("name", ["network.toml", "network.json"])
def test_hypotheses(tmp_path, name):
    for hypotheses, labels, names in HYPOTHESES:
        fed = load(write(tmp_path, changed(PAIR, ("hypotheses", hypotheses)), name))
        assert fed.evidence.labels.tolist() == labels
        assert fed.evidence.hypotheses == names
        assert fed.evidence.points == tuple(hypotheses.get("points", ("xA", "xB")))


*_FIRST, _LAST = (kind.FORM for kind in COSTS)
OF_BOB = [
    (("distribution", "xA", 0.1), 'distribution must sum to 1; it sums to 0.9 (write thirds as "1/3")'),
    (
        ("distribution", {"xA": 1.5, "xB": -0.5}),
        "distribution must have no negative mass; at point 'xB' it is -0.5",
    ),
    (("distribution", "xB", NAN), "distribution at point 'xB' must be a finite number; it is nan"),
    (
        ("distribution", "xB", "much"),
        "distribution at point 'xB' must be a number or a fraction like \"1/3\"; it is 'much'",
    ),
    (("distribution", [0.2, 0.8]), "distribution must be a table of points and masses; it is [0.2, 0.8]"),
    (("distribution", {}), "distribution must be a table of points and masses; it is {}"),
    (("cost", -1), "cost must be above 0; it is -1"),
    (("cost", 1e308), "cost must be at most 1e+100; it is 1e+308"),
    (("cost", {"breakpoints": [1], "slopes": [2, 1e200]}), "cost slopes must be at most 1e+100; it is 1e+200"),
    (("cost", None), "cost must be a number or a fraction in a string; it is None"),
    (
        ("cost", {"quadratics": [1, 1]}),
        f"cost must be {', '.join(_FIRST)} or {_LAST}; it is {{'quadratics': [1, 1]}}: "
        "unknown key 'quadratics' (did you mean 'quadratic'?)",
    ),
    (("epsilon", 1.5), "epsilon must lie between 0 and 1; it is 1.5"),
    (("capacity", 10**400), f"capacity must be a finite number; it is 1{'0' * 56}..."),
    (("capacity", 2.5), "capacity must be a whole number >= 0; it is 2.5"),
    (("epsilom", 0.1), "unknown key 'epsilom' (did you mean 'epsilon'?)"),
    (("distribution", GONE), f"give exactly one of {', '.join(KINDS)}; it has none"),
    (("report", "bob.report.npz"), f"give exactly one of {', '.join(KINDS)}; it has distribution and report"),
]
OF_HYPOTHESES = [
    (("klass", "x"), "unknown key 'klass' (did you mean 'class'?)"),
    (
        ("\n", "x"),
        r"unknown key '\n' (known: 'class', 'labels', 'points', 'names', "
        "'classes', 'features', 'feature_names')",
    ),
    ((GONE,), "give exactly one of class and labels; it has none"),
    (("labels", [[0, 1]]), "give exactly one of class and labels; it has class and labels"),
    (
        ("class", "singeltons"),
        "class must be one that fedpact knows; it is 'singeltons' (did you mean 'singletons'?)",
    ),
    (
        ({"class": "singeltons", "names": ["a", "b"]},),
        "class must be one that fedpact knows; it is 'singeltons' (did you mean 'singletons'?)",
    ),
    (
        ("class", []),
        "class must be one that fedpact knows; it is [] (known: all-labelings, conjunctions, "
        "halfspaces, intervals, rectangles, singletons, stumps, thresholds)",
    ),
    (
        ("points", ["xA", "xB", *(f"p{number}" for number in range(58))]),
        "class all-labelings of 60 points would have 1,152,921,504,606,846,976 hypotheses; "
        "at most 16,384 are enumerated (use fewer points or features)",
    ),
    (("points", ["xA", "xA"]), "points must be some different strings; they are ['xA', 'xA']"),
    (("points", []), "points must be some different strings; they are []"),
    (("names", []), "names must be some different strings; they are []"),
    (({"class": "stumps"},), "class 'stumps' needs features, a table of points and numbers"),
    (
        ({"class": "stumps", "features": {"xA": 1}},),
        "features of point 'xB' must be a number or a fraction in a string; it is None",
    ),
    (
        ({"class": "stumps", "features": {"xA": 1, "xB": 2, "xAA": 3}},),
        "features names 'xAA', which is not in points (did you mean 'xA'?)",
    ),
    (({"class": "stumps", "features": [1, 2]},), "features must be a table of points and numbers; it is [1, 2]"),
    (("features", {"xA": 1, "xB": 2}), "features has no meaning for class 'all-labelings'; remove it"),
    (
        ({"class": "stumps", "features": {"xA": 1, "xB": 2}, "feature_names": ["a", "b"]},),
        "feature_names must be 1 different strings; they are ['a', 'b']",
    ),
    (({"labels": [0, 1]},), "labels must be a list of rows of labels; it is [0, 1]"),
    (
        ({"labels": [["a", "b"]], "classes": ["a", 1]},),
        "classes must be different labels, all strings or all whole numbers, at least one; they are ['a', 1]",
    ),
    (("classes", [0, 1]), "classes has no meaning for class 'all-labelings'; remove it"),
]
BAD = [
    (
        [("agents", 1, "distribution", {"xA": 0.2, "xb": 0.8}), ("hypotheses", "points", ["xA", "xB"])],
        "agent 'bob': distribution names 'xb', which is not in points (did you mean 'xB'?)",
    ),
    (
        [("agents", 1, "distribution", {"p": 0.2, "q": 0.8}), ("hypotheses", "points", ["xA", "xB"])],
        "agent 'bob': distribution names 'p', which is not in points (known: 'xA', 'xB'); 1 more are unknown",
    ),
    ([("cost", -1)], "cost must be above 0; it is -1"),
    ([("epsilon", -0.1)], "epsilon must lie between 0 and 1; it is -0.1"),
    (
        [("epsilon", GONE), ("agents", 0, "epsilon", 0.1)],
        "agent 'bob': epsilon is missing; give it here or at the top for all agents",
    ),
    ([("delta", 2)], "delta must lie strictly between 0 and 1; it is 2"),
    ([("delta", GONE)], "delta is missing; it must lie strictly between 0 and 1"),
    ([("objective", "best")], "objective must be one of pac, expected; it is 'best'"),
    ([("guarantee", ["joint"])], "guarantee must be one of per-agent, joint; it is ['joint']"),
    ([("name", 5)], "name must be a string; it is 5"),
    ([("agents", GONE)], "a federation needs at least one agent"),
    ([("agents", [])], "a federation needs at least one agent"),
    ([("agents", 1, "bob")], "agent 2 must be a table; it is 'bob'"),
    ([("agents", 1, "name", "alice")], "agent names must differ; 'alice' is used twice"),
    ([("agents", 1, "name", " ")], "agent 2: name must be a non-empty string; it is ' '"),
    ([("agents", 1, "name", ["b"])], "agent 2: name must be a non-empty string; it is ['b']"),
    (
        [("agents", 1, "name", "b\no\u2028b"), ("agents", 1, "cost", 0)],
        r"agent 'b\no\u2028b': cost must be above 0; it is 0",
    ),
    ([("epsilom", 0.1)], "unknown key 'epsilom' (did you mean 'epsilon'?)"),
    (
        [("agents", 1, "distribution", GONE), ("agents", 1, "report", "bob.report.npz")],
        "agent 'bob': all agents must bring the same kind of evidence; it has report but agent "
        "'alice' has distribution",
    ),
    ([("hypotheses", "names", ["a"])], "hypothesis names must be 4 different strings; they are ['a']"),
    (
        [("hypotheses", {"labels": [[0, 0], [0]]})],
        "labels must be a matrix with one row per hypothesis and one column per point; rows of different "
        "length, nested values or no labels were given: [[0, 0], [0]]",
    ),
    (
        [("hypotheses", {"labels": [[0, NAN]]})],
        "labels: row 1: labels must be whole numbers or strings that are not empty, all of one kind; at point 2 "
        "it is nan",
    ),
    (
        [("hypotheses", {"labels": [["a", "b"]], "classes": ["a", "c"]})],
        "labels must be among the classes, ['a', 'c']; one is 'b'",
    ),
    (
        [("hypotheses", {"labels": [[0, 1, 0]]})],
        "labels cover 3 points but distributions cover 2; they must be the same points",
    ),
    (
        [("hypotheses", []), ("agents", [{"name": "bob", "predictions": "bob.npy"}])],
        "hypotheses must be a table; it is []",
    ),
]


def test_a_bad_value_is_one_line_that_names_it(scratch):
    def said(*changes):
        return problems_of(write(scratch, changed(PAIR, *changes)))

    for change, message in OF_BOB:
        assert said(("agents", 1, *change)) == [f"agent 'bob': {message}"]
    for change, message in OF_HYPOTHESES:
        assert said(("hypotheses", *change)) == [f"hypotheses: {message}"]
    for changes, message in BAD:
        assert said(*changes) == [message]


def test_every_problem_of_a_file_is_told(scratch):
    data = changed(
        PAIR,
        ("delta", 2),
        ("objective", "best"),
        ("epsilom", 0.1),
        ("agents", 0, "cost", -1),
        ("agents", 0, "distribution", "xA", 0.1),
        ("agents", 1, "epsilon", 1.5),
        ("agents", 1, "distribution", "xB", NAN),
        ("hypotheses", "class", "any"),
    )
    found = problems_of(write(scratch, data))
    assert len(found) == 8
    for part in ("delta", "objective", "epsilom", "cost", "sum to 1", "epsilon must", "'xB'", "class"):
        assert sum(part in problem for problem in found) >= 1


def with_files(kind, ending):
    agents = [{"name": name, kind: f"{name}.{ending}"} for name in ("alice", "bob")]
    return changed(PAIR, ("agents", agents), ("hypotheses", GONE))


PREDICTED, REPORTED = with_files("predictions", "npy"), with_files("report", "report.npz")


def test_predictions_and_reports_lie_beside_the_file(scratch, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    predicted = load(write(scratch, PREDICTED))
    assert [array.tolist() for array in predicted.evidence.predictions] == [[[0, 0, 1], [0, 1, 1]]] * 2
    reported = load(write(scratch, changed(REPORTED, ("hypotheses", {"names": ["p", "q"]}))))
    assert [report.counts.tolist() for report in reported.evidence.reports] == [[1], [1]]
    assert reported.evidence.hypotheses == ("p", "q")


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


FOREIGN = [
    (npy(np.array([[{}]]), allow_pickle=True), "not an .npy array that can be read without pickle"),
    (b"", "not an .npy array that can be read without pickle"),
    (b"0,1\n1,1\n", "not an .npy array that can be read without pickle"),
    (npy(np.zeros((2, 3)))[:-1], "not an .npy array that can be read without pickle"),
    (
        npy(np.zeros((2, 3))).replace(b"(2, 3), }" + 13 * b" ", b"(2, 99999999999999), }"),
        "not an .npy array that can be read without pickle",
    ),
    (npy(np.zeros((2, 3))).replace(b"(2, 3)", b"(((((("), "not an .npy array that can be read"),
    (npy(np.zeros(3)), "must be a matrix, hypotheses by points; its shape is (3,)"),
]


def test_a_prediction_file_that_is_none(scratch):
    for content, message in FOREIGN:
        (scratch / "odd.npy").write_bytes(content)
        (problem,) = problems_of(write(scratch, changed(PREDICTED, ("agents", 1, "predictions", "odd.npy"))))
        assert problem.startswith(f"agent 'bob': predictions: {scratch / 'odd.npy'}: {message}")


def test_a_table_of_predictions_is_told_how_to_become_an_array(scratch):
    (scratch / "bob.csv").write_text("p,q\n0,1\n")
    (problem,) = problems_of(write(scratch, changed(PREDICTED, ("agents", 1, "predictions", "bob.csv"))))
    assert problem == (
        f"agent 'bob': predictions: {scratch / 'bob.csv'}: not an .npy array that can be read without "
        "pickle; write a row for every hypothesis, whole numbers or strings: numpy.save(FILE, "
        "labels.astype(str)); a table (.csv) is read by fedpact report and by a site's site.toml"
    )


POINTERS = [
    ("none.npy", "there is no file 'none.npy' (paths are relative to the federation file)"),
    (".", "there is no file '.' (paths are relative to the federation file)"),
    (3, "the name of a file is needed; it is 3"),
    ("a\0b", r"there is no file 'a\x00b' (paths are relative to the federation file)"),
    ("n" * 5000, f"file '{'n' * 56}... cannot be read: File name too long"),
    ("a\nb", r"there is no file 'a\nb' (paths are relative to the federation file)"),
]


@pytest.mark.parametrize(("kind", "data"), [("predictions", PREDICTED), ("report", REPORTED)])
def test_a_file_that_is_not_there(scratch, kind, data):
    for value, message in POINTERS:
        assert problems_of(write(scratch, changed(data, ("agents", 1, kind, value)))) == [
            f"agent 'bob': {kind}: {message}"
        ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_queue_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "queue")
    data = changed(PREDICTED, ("agents", [{"name": "bob", "predictions": "queue"}]))
    assert problems_of(write(tmp_path, data))[0].startswith("agent 'bob': predictions: there is no file 'queue'")


def test_foreign_reports(scratch):
    path = write(scratch, changed(REPORTED, ("agents", 1, "report", "alice.report.npz")))
    assert problems_of(path) == ["agent 'bob': report: it was sent by 'alice'; the names must be the same"]
    path = write(scratch, changed(REPORTED, ("agents", 1, "report", "alice.npy")))
    (problem,) = problems_of(path)
    assert problem.startswith(f"agent 'bob': report: {scratch / 'alice.npy'}: not a fedpact report")


def test_evidence_of_different_height(scratch):
    np.save(scratch / "tall.npy", np.zeros((3, 1), dtype=int))
    path = write(scratch, changed(PREDICTED, ("agents", 1, "predictions", "tall.npy")))
    assert problems_of(path) == [
        "every agent must predict with the same hypotheses; the numbers of rows differ: {'alice': 2, 'bob': 3}"
    ]


@pytest.mark.parametrize("key", ["class", "labels", "points", "features", "feature_names"])
def test_predictions_need_no_description_of_the_class(scratch, key):
    path = write(scratch, changed(PREDICTED, ("hypotheses", {key: "singletons"})))
    assert problems_of(path) == [f"hypotheses: {key} has no meaning for agents with predictions; remove it"]


POINTED = changed(with_files("points", "csv"), ("hypotheses", {"class": "stumps"}))
CSV = {"alice": "age,dose\n1,0.5\n2,1/4\n\n", "bob": "age, dose\r\n3,1e2\r\n"}
POINTS = {"alice": [[1, 0.5], [2, 0.25]], "bob": [[3, 100]]}


@pytest.fixture
def pointed(tmp_path):
    """A folder with the points of every agent, in a table and as an array."""
    for name, text in CSV.items():
        (tmp_path / f"{name}.csv").write_bytes(text.encode())
        np.save(tmp_path / f"{name}.npy", np.array(POINTS[name]))
    return tmp_path


@pytest.mark.parametrize("class_name", ["stumps", "rectangles", "halfspaces"])
def test_points_are_those_of_from_points(pointed, class_name):
    options = {"epsilon": 0.1, "delta": 0.05, "name": "alice-and-bob"}
    named = Federation.from_points(POINTS, class_name, feature_names=["age", "dose"], **options)
    assert_same(load(write(pointed, changed(POINTED, ("hypotheses", "class", class_name)))), named)
    arrays = [{"name": name, "points": f"{name}.npy"} for name in POINTS]
    data = changed(POINTED, ("agents", arrays), ("hypotheses", "class", class_name))
    assert_same(load(write(pointed, data)), Federation.from_points(POINTS, class_name, **options))
    data["hypotheses"]["feature_names"] = ["age", "dose"]
    assert_same(load(write(pointed, data)), named)


def test_given_names_of_features_come_before_those_of_the_header(pointed):
    data = changed(POINTED, ("hypotheses", "feature_names", ["years", "grams"]))
    assert load(write(pointed, data)).hypotheses[0] == "years >= 1"


def test_points_on_a_line(pointed):
    np.save(pointed / "bob.npy", np.array([True, False]))
    (pointed / "alice.csv").write_text("age\n0.5")
    agents = [{"name": "alice", "points": "alice.csv"}, {"name": "bob", "points": "bob.npy"}]
    fed = load(write(pointed, changed(POINTED, ("agents", agents), ("hypotheses", {"class": "thresholds"}))))
    assert fed.hypotheses == ("x >= 0", "x >= 0.5", "x >= 1", "never")
    assert [own.shape[1] for own in fed.evidence.predictions] == [1, 2]


def test_a_federation_from_points_is_saved_as_predictions(pointed, tmp_path):
    fed = load(write(pointed, POINTED))
    fed.save(tmp_path / "saved.toml")
    assert 'predictions = "saved.alice.npy"' in (tmp_path / "saved.toml").read_text()
    assert_same(load(tmp_path / "saved.toml"), fed)


BAD_POINTS = [
    (
        [("hypotheses", GONE)],
        "hypotheses must name a class of points with features; it is None (known: conjunctions, halfspaces, "
        "intervals, rectangles, stumps, thresholds)",
    ),
    ([("hypotheses", "names", ["p", "q"])], "hypotheses: names has no meaning for agents with points; remove it"),
    ([("hypotheses", "feature_names", ["age"])], "feature_names must be 2 different strings; they are ['age']"),
    (
        [("agents", 1, "points", "none.csv")],
        "agent 'bob': points: there is no file 'none.csv' (paths are relative to the federation file)",
    ),
    (
        [("agents", 1, {"name": "bob", "predictions": "bob.npy"})],
        "agent 'bob': all agents must bring the same kind of evidence; it has predictions but agent 'alice' has "
        "points",
    ),
]


def test_a_line_has_no_names_of_features(pointed):
    hypotheses = {"class": "thresholds", "feature_names": ["age"]}
    problem = problems_of(write(pointed, changed(POINTED, ("hypotheses", hypotheses))))[0]
    assert problem == "hypotheses: feature_names has no meaning for class 'thresholds'; remove it"


def test_a_bad_value_beside_points_is_one_line_that_names_it(pointed):
    for changes, message in BAD_POINTS:
        assert problems_of(write(pointed, changed(POINTED, *changes))) == [message]


FOREIGN_POINTS = [
    ("odd.csv", b"1,2\n3,4\n", "line 1 must be a header of different names; it is '1,2'"),
    ("odd.csv", b"", "line 1 must be a header of different names; it is ''"),
    ("odd.csv", b"a,a\n1,2", "line 1 must be a header of different names; it is 'a,a'"),
    ("odd.csv", b"age,dose\n", "there are no points below the header"),
    ("odd.csv", b"age,dose\n1,2\n\n3\n", "line 4 must have 2 numbers, as the header; it has 1"),
    ("odd.csv", b"age,dose\n1,much\n", "line 2: 'dose' must be a number or a fraction like \"1/3\"; it is 'much'"),
    ("odd.csv", b"age,dose\n1,\n", "line 2: 'dose' must be a number or a fraction like \"1/3\"; it is ''"),
    ("odd.csv", b"age,dose\nnan,1\n", "line 2: 'age' must be a number or a fraction like \"1/3\"; it is 'nan'"),
    ("odd.csv", b'age,dose\n"1,2\n', "line 2: not valid CSV: unexpected end of data"),
    ("odd.csv", b"\xfc\n1", "not UTF-8 text: invalid start byte at byte 0"),
    ("odd.npy", b"1,2", "not an .npy array that can be read without pickle, and its name does not end in .csv"),
    ("odd.npy", npy(np.array(["1", "2"])), "points must be numbers; the array holds <U1"),
    ("odd.npy", npy(np.array([1j])), "points must be numbers; the array holds complex128"),
]


def test_a_file_of_points_that_is_none(pointed):
    for name, content, message in FOREIGN_POINTS:
        (pointed / name).write_bytes(content)
        assert problems_of(write(pointed, changed(POINTED, ("agents", 1, "points", name)))) == [
            f"agent 'bob': points: {pointed / name}: {message}"
        ]


def test_every_problem_of_a_file_with_points_is_told(pointed):
    (pointed / "alice.csv").write_text("age,dose\n1,x")
    data = changed(POINTED, ("agents", 1, "points", "none.csv"), ("hypotheses", "class", "stump"))
    assert len(problems_of(write(pointed, data))) == 3


def test_points_of_other_features(pointed):
    (pointed / "bob.csv").write_text("dose,age\n1,2")
    assert problems_of(write(pointed, POINTED)) == [
        "agent 'bob': points: all headers must be the same; it has ['dose', 'age'] but agent 'alice' has "
        "['age', 'dose']"
    ]
    np.save(pointed / "bob.npy", np.zeros((2, 3)))
    assert problems_of(write(pointed, changed(POINTED, ("agents", 1, "points", "bob.npy")))) == [
        "every agent's points must have the same features; their numbers differ: {'alice': 2, 'bob': 3}"
    ]


SYNTAX = [
    ("x.toml", b"", "the file is empty; it must give at least delta, epsilon and agents"),
    ("x.json", b" \n", "the file is empty; it must give at least delta, epsilon and agents"),
    ("x.toml", b"# later", "the file is empty"),
    ("x.toml", b"delta = ", "not valid TOML: Invalid value"),
    ("x.toml", b"delta = 1\ndelta = 2", "not valid TOML: Cannot overwrite a value"),
    ("x.toml", b"a = " + b"[" * 10**5, "nested too deeply; at most 20 levels are read"),
    ("x.toml", b"a" + b".a" * 5000 + b" = 1", "nested too deeply; at most 20 levels are read"),
    ("x.toml", b"delta = " + b"9" * 5000, "not valid TOML: Exceeds the limit"),
    ("x.toml", b"delta = 0x" + b"f" * 5000, "a federation needs at least one agent"),
    ("x.toml", b"delta = 2020-01-01", "a federation needs at least one agent"),
    ("x.json", b"{", "not valid JSON: Expecting property name"),
    ("x.json", b'{"delta": 0.1, "delta": 0.2}', "key 'delta' is given twice in one table"),
    ("x.json", b"[" * 10**5, "nested too deeply; at most 20 levels are read"),
    ("x.json", b"[" * 500 + b"]" * 500, "nested too deeply; at most 20 levels are read"),
    ("x.json", b'{"delta": ' + b"9" * 5000 + b"}", "not valid JSON: Exceeds the limit"),
    ("x.json", b"[1]", "the top level must be a table of keys and values; it is [1]"),
    ("x.json", b"null", "the top level must be a table of keys and values; it is None"),
    ("x.json", b"NaN", "the top level must be a table of keys and values; it is nan"),
    ("x.toml", 'name = "Zürich"'.encode("latin-1"), "not UTF-8 text: invalid start byte at byte 9"),
    ("x.json", "{}".encode("utf-16"), "not UTF-8 text: invalid start byte at byte 0"),
    ("x.toml", bytes(100), "not valid TOML: Invalid"),
    ("x.yaml", b"delta: 1", "a federation file must end in .toml or .json; this one ends in '.yaml'"),
    ("x", b"", "a federation file must end in .toml or .json; this one ends in ''"),
]


def test_what_is_no_federation_file(tmp_path):
    for name, content, message in SYNTAX:
        (tmp_path / name).write_bytes(content)
        assert problems_of(tmp_path / name)[0].startswith(message)


def test_paths_that_lead_nowhere(tmp_path):
    assert problems_of(tmp_path / "none.toml") == ["no such file"]
    (tmp_path / "folder.toml").mkdir()
    assert problems_of(tmp_path / "folder.toml") == ["this is a directory; name a federation file in it"]
    with pytest.raises(FederationError, match=r"a\\x00b.toml: cannot be read: embedded null byte"):
        load("a\0b.toml")
    with pytest.raises(FederationError, match=r"^a\\nb.toml: no such file$"):
        load("a\nb.toml")


def test_a_byte_order_mark_and_a_capital_ending_are_fine(tmp_path):
    (tmp_path / "X.JSON").write_bytes(b"\xef\xbb\xbf" + json.dumps(PAIR).encode())
    assert load(tmp_path / "X.JSON").names == ("alice", "bob")


names = st.text(min_size=1, max_size=6).filter(lambda name: name.strip() and not name.endswith("\0"))
costs = st.one_of(
    st.floats(1e-3, 1e3).map(Linear),
    st.tuples(st.floats(0, 9), st.floats(1e-3, 9)).map(lambda pair: Quadratic(*pair)),
    st.tuples(st.floats(0.1, 9), st.floats(0.1, 9), st.floats(0, 9)).map(
        lambda t: PiecewiseLinear((t[0],), (t[1], t[1] + t[2]))
    ),
)


@st.composite
def federations(draw):
    k, H = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    agents = draw(st.lists(names, min_size=k, max_size=k, unique=True))
    common = {
        "name": draw(st.text(max_size=5)),
        "delta": draw(st.floats(1e-6, 0.99)),
        "epsilon": draw(st.lists(st.floats(0, 1), min_size=k, max_size=k)),
        "cost": draw(st.lists(costs, min_size=k, max_size=k)),
        "capacity": draw(st.lists(st.none() | st.integers(0, 2**60), min_size=k, max_size=k)),
        "objective": draw(st.sampled_from(["pac", "expected"])),
        "guarantee": draw(st.sampled_from(["per-agent", "joint"])),
        "hypotheses": draw(st.none() | st.lists(st.text(max_size=4), min_size=H, max_size=H, unique=True)),
    }
    kind = draw(st.sampled_from(["table", "class", "predictions", "reports"]))
    if kind == "reports":
        sent = [report(draw(matrix(H, 5)), name=name, n_classes=20) for name in agents]
        return Federation.from_reports(sent, **common)
    label = draw(st.sampled_from([st.integers(-1, 2), words]))
    widths = [draw(st.integers(1, 4)) for _ in agents]
    if kind == "predictions":
        given = {name: draw(matrix(H, width, label)) for name, width in zip(agents, widths, strict=True)}
        return Federation.from_predictions(given, **common)
    n = widths[0]
    common["points"] = draw(st.lists(st.text(max_size=3), min_size=n, max_size=n, unique=True))
    masses = (
        np.array(draw(st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=k, max_size=k))) + 0.0
    )
    masses[:, draw(st.integers(0, n - 1))] += 1
    masses /= masses.sum(axis=1, keepdims=True)
    labels = draw(matrix(H, n, label))
    if kind == "class":
        labels = draw(st.sampled_from([all_labelings, singletons]))(n, points=common["points"])
        common["hypotheses"] = None
    return Federation.from_table(labels, masses, names=agents, **common)


words = st.sampled_from(["benign", "malignant", "0", "1", "1/2", "nan", " 3 "]) | st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=3
)


def matrix(H, n, label=words):
    return st.lists(st.lists(label, min_size=n, max_size=n), min_size=H, max_size=H)


@given(federations(), st.sampled_from(["saved.toml", "saved.json"]))
@settings(max_examples=150, deadline=None)
def test_what_is_saved_is_loaded(fed, name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        fed.save(path)
        assert_same(load(path), fed)
        beside = 0 if isinstance(fed.evidence, Table) else fed.k
        assert len(list(path.parent.iterdir())) == 1 + beside


def small(**changes):
    return Federation.from_table(
        **{
            "labels": [[0, 0], [0, 1]],
            "distributions": [[0.5, 0.5]],
            "epsilon": 0.1,
            "delta": 0.05,
            **changes,
        }
    )


def renamed(made, labels):
    """A class that bears the name of ``made`` but labels otherwise."""
    return HypothesisClass(labels=np.array(labels), hypotheses=made.hypotheses, name=made.name)


CLASSES = {
    "all-labelings": (small(labels=all_labelings(2)), True),
    "singletons-of-named-points": (small(labels=singletons(2, points=["a", "b"]), points=["a", "b"]), True),
    "other-names": (small(labels=all_labelings(2), hypotheses=list("abcd")), False),
    "named-after-other-points": (small(labels=all_labelings(2), points=["a", "b"]), False),
    "other-labels": (small(labels=renamed(singletons(2), [[0, 0], [1, 1], [0, 1]])), False),
    "too-large-to-list": (
        small(labels=renamed(all_labelings(1), [[0] * 60, [1] * 60]), distributions=[[1 / 60] * 60]),
        False,
    ),
    "needs-features": (small(labels=intervals([1, 2])), False),
    "needs-a-matrix": (small(labels=conjunctions([[0], [1]])), False),
}


@pytest.mark.parametrize(("fed", "by_class"), CLASSES.values(), ids=CLASSES)
def test_a_class_is_saved_by_name_where_the_name_says_it_all(tmp_path, fed, by_class):
    fed.save(tmp_path / "x.json")
    written = json.loads((tmp_path / "x.json").read_text())["hypotheses"]
    assert ("class" in written, "labels" in written) == (by_class, not by_class)
    assert_same(load(tmp_path / "x.json"), fed)


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ([[0, 0], [0, 1]], "labels = [\n    [0, 0],\n    [0, 1],\n]"),
        ([["no", "no"], ["no", 'y,]"']], 'labels = [\n    ["no", "no"],\n    ["no", "y,]\\""],\n]'),
    ],
    ids=["numbers", "strings"],
)
def test_saved_labels_are_rows_that_people_can_read(tmp_path, labels, text):
    fed = small(labels=labels)
    fed.save(tmp_path / "x.toml")
    assert text in (tmp_path / "x.toml").read_text()
    assert load(tmp_path / "x.toml").labels.tolist() == labels
    small(name="[\n1,\n2\n]").save(tmp_path / "x.json")
    assert load(tmp_path / "x.json").name == "[\n1,\n2\n]"


@pytest.mark.parametrize(
    ("hypotheses", "labels"),
    [
        ({"labels": [["no", "1"], ["no", "no"]]}, [["no", "1"], ["no", "no"]]),
        ({"labels": [["2", "1"], ["1", "1"]]}, [[2, 1], [1, 1]]),
        ({"labels": [["2", 1], ["1", "1"]], "classes": [1, 2]}, [[2, 1], [1, 1]]),
        ({"labels": [["2", "1"], ["1", "1"]], "classes": ["1", "2"]}, [["2", "1"], ["1", "1"]]),
        ({"labels": [["b", "a"], ["b", "b"]], "classes": ["c", "b", "a"]}, [["b", "a"], ["b", "b"]]),
    ],
    ids=["strings", "numbers-in-quotes", "declared-numbers", "strings-that-are-numbers", "order"],
)
@pytest.mark.parametrize("name", ["network.toml", "network.json"])
def test_labels_come_back_as_they_were(tmp_path, hypotheses, labels, name):
    fed = load(write(tmp_path, changed(PAIR, ("hypotheses", hypotheses)), name))
    assert fed.labels.tolist() == labels
    fed.save(tmp_path / f"again-{name}")
    assert_same(load(tmp_path / f"again-{name}"), fed)


def test_sites_with_strings_of_their_own(tmp_path):
    given = {"alice": np.array([["b", "c"], ["c", "c"]]), "bob": np.array([["a", "a"], ["b", "d"]], dtype=object)}
    fed = Federation.from_predictions(given, epsilon=0.1, delta=0.05)
    fed.save(tmp_path / "x.toml")
    again = load(tmp_path / "x.toml")
    assert {name: own.tolist() for name, own in again.labels.items()} == {n: g.tolist() for n, g in given.items()}
    assert [own.tolist() for own in again.evidence.predictions] == [[[1, 2], [2, 2]], [[0, 0], [1, 3]]]
    fed.restrict(["bob"]).save(tmp_path / "y.json")
    assert load(tmp_path / "y.json").fingerprint == fed.restrict(["bob"]).fingerprint


def test_strings_at_one_site_and_numbers_at_another_are_refused(scratch):
    np.save(scratch / "words.npy", np.array([["a", "b", "a"], ["b", "b", "b"]]))
    path = write(scratch, changed(PREDICTED, ("agents", 1, "predictions", "words.npy")))
    assert problems_of(path) == [
        "predictions must be all strings or all whole numbers; predictions of agent 'bob' are strings and "
        "predictions of agent 'alice' whole numbers"
    ]
    path = write(scratch, changed(PREDICTED, ("hypotheses", {"classes": [0, 2]})))
    assert problems_of(path) == ["predictions of agent 'alice' must be among the classes, [0, 2]; one is 1"]


def test_strings_that_need_pickle_are_told_how_to_do_without(scratch):
    np.save(scratch / "objects.npy", np.array([["a", "b"], ["b", "b"]], dtype=object), allow_pickle=True)
    (problem,) = problems_of(write(scratch, changed(PREDICTED, ("agents", 1, "predictions", "objects.npy"))))
    assert "whole numbers or strings: numpy.save(FILE, labels.astype(str));" in problem


def test_agents_of_similar_names_get_files_of_their_own(tmp_path):
    given = {
        name: [[number], [0]]
        for number, name in enumerate(["Zürich", "zurich", "Zurich!", "zurich-2", "北京", "a/../b"])
    }
    fed = Federation.from_predictions(given, epsilon=0.1, delta=0.05)
    fed.save(tmp_path / "net.toml")
    slugs = ["zurich", "zurich-2", "zurich-3", "zurich-2-2", "agent", "a-b"]
    assert {path.name for path in tmp_path.iterdir()} == {"net.toml", *(f"net.{slug}.npy" for slug in slugs)}
    assert_same(load(tmp_path / "net.toml"), fed)


def test_a_failing_save_leaves_everything_as_it_was(tmp_path, monkeypatch):
    first = Federation.from_predictions({"a": [[0]], "b": [[1]]}, epsilon=0.1, delta=0.05)
    first.save(tmp_path / "net.toml")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    written = []

    def full_disk(path, data):
        written.append(path)
        with path.open("wb") as file:
            file.write(data[: len(data) // 2])
        if len(written) > 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    second = Federation.from_predictions({"a": [[2]], "b": [[3]]}, epsilon=0.2, delta=0.05)
    with pytest.raises(FederationError, match=r"net\.toml: cannot be written: No space left on device"):
        second.save(tmp_path / "net.toml")
    assert len(written) == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


UNSAVED = [
    ("net.yaml", {}, "a federation file must end in .toml or .json; this one ends in '.yaml'"),
    ("none/net.toml", {}, "cannot be written: No such file or directory"),
    ("file/net.toml", {}, "cannot be written: Not a directory"),
    ("folder.toml", {}, "cannot be written: 'folder.toml' is a directory"),
    ("net.toml", {"name": "\ud800"}, r"cannot be written as UTF-8: it has '\ud800'"),
    ("a\0b.toml", {}, "cannot be written: embedded null byte"),
]


def test_a_place_where_nothing_can_be_saved(tmp_path):
    for name, changes, message in UNSAVED:
        (tmp_path / "file").write_text("")
        (tmp_path / "folder.toml").mkdir(exist_ok=True)
        with pytest.raises(FederationError) as caught:
            save(small(**changes), tmp_path / name)
        (problem,) = caught.value.problems
        assert problem.endswith(f": {message}")
        assert {path.name for path in tmp_path.iterdir()} == {"file", "folder.toml"}


def test_extreme_values_are_read_or_refused(scratch):
    """`tests/test_fuzz.py` changes files at random."""
    assert problems_of(write(scratch, changed(PAIR, ("agents", 0, "capacity", 1e300)))) == []
    for labels in ([[2**63, -1]], [[10**400, 0]]):
        assert problems_of(write(scratch, changed(PAIR, ("hypotheses", {"labels": labels}))))
    surrogates = ("agents", 0, "name", "\ud800"), ("agents", 0, "cost", {"\ud800": 1})
    assert problems_of(write(scratch, changed(PAIR, *surrogates)))


def test_reports_stay_reports(scratch):
    assert isinstance(load(write(scratch, REPORTED)).evidence, Reports)


def test_evidence_that_is_in_files_already_is_named_and_not_written(tmp_path):
    (tmp_path / "in").mkdir()
    site = report([[0, 1, 1], [1, 1, 1]], name="alice")
    site.save(tmp_path / "in" / "sent.npz")
    fed = Federation.from_reports([site], epsilon=0.1, delta=0.05)
    with pytest.raises(FederationError, match="files must name a file for every agent; agent 'alice' has none"):
        save(fed, tmp_path / "network.toml", files={"bob": "in/sent.npz"})
    save(fed, tmp_path / "network.toml", files={"alice": "in/sent.npz"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "network.toml"]
    assert load(tmp_path / "network.toml").fingerprint == fed.fingerprint


@pytest.mark.parametrize("ending", ["json", "toml"])
def test_settings_are_those_of_the_federation(tmp_path, ending):
    """Whether the file has evidence, or not yet, or evidence that is not there."""
    path = tmp_path / f"pair.{ending}"
    write = tomli_w.dumps if ending == "toml" else json.dumps
    path.write_text(write(PAIR))
    fed = load(path)
    name, settings = load_settings(path)
    assert (name, settings.names) == ("alice-and-bob", ("alice", "bob"))
    kept = ("agents", "delta", "objective", "guarantee")
    assert [getattr(settings, key) for key in kept] == [getattr(fed, key) for key in kept]
    for other in ({}, {"report": "not-there.npz"}):
        agents = [{"name": agent["name"], "cost": agent["cost"], **other} for agent in PAIR["agents"]]
        bare = {key: value for key, value in PAIR.items() if key not in ("name", "hypotheses")}
        path.write_text(write(bare | {"agents": agents}))
        name, found = load_settings(path)
        assert (name, found.to_fields()) == ("pair", settings.to_fields())


REFUSED = [
    ([("delta", GONE)], "delta is missing; it must lie strictly between 0 and 1"),
    ([("epsilon", GONE)], "agent 'alice': epsilon is missing; give it here or at the top for all agents"),
    ([("agents", 0, "cost", -1)], "agent 'alice': cost"),
    ([("agents", 1, "name", "alice")], "'alice' is used twice"),
    ([("agents", 0, "reprot", "x.npz")], "agent 'alice': "),
    ([("agents", [])], "agent"),
    ([("delta", 2)], "delta must lie strictly between 0 and 1; it is 2"),
]


def test_settings_with_a_problem(tmp_path):
    for changes, message in REFUSED:
        path = tmp_path / "pair.json"
        path.write_text(json.dumps(changed(PAIR, *changes)))
        with pytest.raises(FederationError) as caught:
            load_settings(path)
        assert all(line.startswith(f"{path}: ") for line in str(caught.value).splitlines())
        assert message in str(caught.value)


def test_settings_of_what_is_no_file(tmp_path):
    (tmp_path / "pair.toml").write_text("delta = ")
    for name in ("pair.toml", "none.toml", "pair.txt"):
        with pytest.raises(FederationError) as caught:
            load_settings(tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}: ")


def test_no_agent_with_a_distribution_is_one_problem_each(scratch):
    empty = changed(PAIR, ("agents", 0, "distribution", {}), ("agents", 1, "distribution", {}))
    message = "agent {!r}: distribution must be a table of points and masses; it is {{}}"
    assert problems_of(write(scratch, empty)) == [message.format(name) for name in ("alice", "bob")]


def test_what_belongs_to_a_plan_is_not_saved(tmp_path):
    reported = Federation.from_reports([report(name="a", predictions=[[0], [1]])], epsilon=0.1, delta=0.05)
    with pytest.raises(FederationError, match="a confidence belongs to a plan, not to a file"):
        at_confidence(reported, 0.9).save(tmp_path / "net.toml")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("assumed", [{"noise": 0.05}, {"assume": "agnostic"}, {}])
def test_what_is_assumed_is_written_and_read(tmp_path, assumed):
    fed = alice_bob().replace(**assumed)
    save(fed, tmp_path / "net.toml")
    assert load(tmp_path / "net.toml").fingerprint == fed.fingerprint
    assert ("assume" in (tmp_path / "net.toml").read_text()) == bool(assumed)
