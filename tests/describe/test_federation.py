import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedpact as fp
from fedpact.describe.classes import all_labelings, thresholds
from fedpact.describe.costs import Linear, Quadratic
from fedpact.describe.federation import Federation
from fedpact.describe.reports import Report
from fedpact.errors import FederationError
from fedpact.planning.plan import plan
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.disagreement import disagreement
from strategies import report_of

TABLE = {
    "labels": [[0, 0], [0, 1], [1, 0], [1, 1]],
    "distributions": [[0.8, 0.2], [0.2, 0.8]],
    "names": ["alice", "bob"],
    "epsilon": 0.1,
    "delta": 0.05,
}
NAN = float("nan")


def table(**changes):
    return Federation.from_table(**{**TABLE, **changes})


def test_a_table_is_kept_as_given():
    fed = table(capacity={"alice": 3, "bob": None}, cost=["1/2", {"quadratic": [1, 2]}], name="pair")
    assert (fed.name, fed.names, fed.k, fed.H, fed.delta) == ("pair", ("alice", "bob"), 2, 4, 0.05)
    assert [agent.capacity for agent in fed.agents] == [3, None]
    assert [agent.cost for agent in fed.agents] == [Linear(0.5), Quadratic(1.0, 2.0)]
    assert fed.evidence.points == ("x1", "x2")
    assert fed.hypotheses == ("h1", "h2", "h3", "h4")
    assert fed.cost_of([2, 3]) == 1 + 3 + 18


def test_defaults():
    fed = Federation.from_table([[0], [1]], [[1], [1], [1]], epsilon=0.1, delta=0.05)
    assert fed.names == ("agent-1", "agent-2", "agent-3")
    assert (fed.objective, fed.guarantee) == ("pac", "per-agent")
    assert {agent.cost for agent in fed.agents} == {Linear(1.0)}


def test_a_named_class_brings_its_names():
    fed = table(labels=all_labelings(2, points=["a", "b"]), points=["a", "b"])
    assert fed.hypotheses == ("nowhere", "b", "a", "a+b")
    assert fed.evidence.class_name == "all-labelings"
    assert table(labels=thresholds([1, 2]), hypotheses=["p", "q", "r"]).hypotheses == ("p", "q", "r")


def test_bounds_of_the_ranges_belong():
    fed = table(epsilon=[0, 1], capacity=0)
    assert fed.epsilon.tolist() == [0, 1]


BAD = [
    ({"epsilon": {"alice": 0.1, "bob": 1.5}}, "agent 'bob': epsilon must lie between 0 and 1; it is 1.5"),
    ({"delta": 0}, "delta must lie strictly between 0 and 1; it is 0"),
    ({"cost": [1, -2]}, "agent 'bob': cost must be above 0; it is -2"),
    ({"capacity": [1.5, 1]}, "agent 'alice': capacity must be a whole number >= 0; it is 1.5"),
    ({"objective": "best"}, "objective must be one of pac, expected; it is 'best'"),
    ({"guarantee": None}, "guarantee must be one of per-agent, joint; it is None"),
    ({"name": 7}, "name must be a string; it is 7"),
    ({"names": ["bob", "bob"]}, "agent names must differ; 'bob' is used twice"),
    ({"names": ["bob", " "]}, "agent names must be non-empty strings; agent 2 has ' '"),
    ({"names": ["bob"]}, "distributions must have one row per agent; 2 rows for 1 agents"),
    (
        {"distributions": [[1.2, -0.2], [0.5, 0.5]]},
        "agent 'alice': distribution must have no negative mass; at point 'x2' it is -0.2",
    ),
    (
        {"distributions": [[1, 0], [0.3, 0.3]]},
        "agent 'bob': distribution must sum to 1; it sums to 0.6 (write thirds as \"1/3\")",
    ),
    (
        {"distributions": [[1, 0], [NAN, 1]]},
        "agent 'bob': distribution at point 'x1' must be a finite number; it is nan",
    ),
    (
        {"distributions": [[1, 0], [1]]},
        "distributions must be over the same points; their lengths differ: {'alice': 2, 'bob': 1}",
    ),
    ({"distributions": [1, 1]}, "agent 'alice': distribution must be a list of masses; it is 1"),
    ({"labels": [[0, 1], [0]]}, "labels must be a matrix with one row per hypothesis"),
    ({"labels": np.zeros((2, 2, 2))}, "labels must be a matrix with one row per hypothesis"),
    ({"labels": np.zeros((0, 2))}, "labels must have at least one hypothesis and one point"),
    ({"labels": [[0, 1, 0]]}, "labels cover 3 points but distributions cover 2"),
    ({"points": ["a", "a"]}, "points, one per column of labels, must be 2 different strings"),
    ({"hypotheses": ["a"]}, "hypothesis names must be 4 different strings; they are ['a']"),
]


def test_refuses():
    for changes, message in BAD:
        with pytest.raises(FederationError) as caught:
            table(**changes)
        assert caught.value.problems[0].startswith(message)
        assert all(len(problem.splitlines()) == 1 for problem in caught.value.problems)


def test_every_problem_is_told():
    with pytest.raises(FederationError) as caught:
        table(epsilon=2, delta=0, cost=-1, distributions=[[1, 1], [1, 0]], labels=[[0], [0, 1]])
    assert len(caught.value.problems) == 7
    assert str(caught.value).endswith("(and 6 more problems)")


def test_predictions():
    fed = Federation.from_predictions({"a": [[0, 1, 2], [0, 1, 1]], "b": [[0], [0]]}, epsilon=0.1, delta=0.05)
    assert (fed.names, fed.H) == (("a", "b"), 2)
    with pytest.raises(FederationError, match=r"numbers of rows differ: {'a': 1, 'b': 2}"):
        Federation.from_predictions({"a": [[0]], "b": [[0], [1]]}, epsilon=0.1, delta=0.05)
    with pytest.raises(FederationError, match=r"agent 'a': predictions must be a matrix .*: array\(\[0, 1\]\)"):
        Federation.from_predictions({"a": np.array([0, 1])}, epsilon=0.1, delta=0.05)
    with pytest.raises(FederationError, match="must map at least one agent"):
        Federation.from_predictions({}, epsilon=0.1, delta=0.05)


def test_reports():
    a, b = (Report(name=name, n=4, n_classes=2, counts=np.array([1, 0, 1])) for name in "ab")
    fed = Federation.from_reports([a, b], epsilon=0.1, delta=0.05)
    assert (fed.names, fed.H, fed.H_given) == (("a", "b"), 2, 3)
    short = Report(name="c", n=4, n_classes=2, counts=np.array([1]))
    with pytest.raises(FederationError, match=r"their numbers differ: {'a': 3, 'c': 2}"):
        Federation.from_reports([a, short], epsilon=0.1, delta=0.05)
    with pytest.raises(FederationError, match="at least one fedpact Report"):
        Federation.from_reports([], epsilon=0.1, delta=0.05)
    with pytest.raises(FederationError, match="agent names must differ; 'a' is used twice"):
        Federation.from_reports([a, a], epsilon=0.1, delta=0.05)


@given(st.data())
def test_distinct_keeps_the_first_of_every_group_that_nobody_can_tell_apart(data):
    n, H = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    row = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    labels = data.draw(st.lists(row, min_size=H, max_size=H))
    drawable = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=2))
    fed = Federation.from_table(labels, np.eye(n)[drawable], epsilon=0.1, delta=0.05)
    seen = [tuple(row[at] for at in sorted(set(drawable))) for row in labels]
    assert fed.distinct.tolist() == [h for h in range(H) if seen[h] not in seen[:h]]


@given(st.data())
def test_tables_predictions_and_reports_tell_the_same_hypotheses_apart(data):
    n, H = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    row = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    labels = np.array(data.draw(st.lists(row, min_size=H, max_size=H)))
    counts = np.array([(labels[h] != labels[g]).sum() for h in range(H) for g in range(h + 1, H)], dtype=int)
    report = Report(name="a", n=n, n_classes=3, counts=counts)
    target = {"epsilon": 0.1, "delta": 0.05}
    distinct = Federation.from_table(labels, np.full((1, n), 1 / n), **target).distinct
    np.testing.assert_array_equal(Federation.from_predictions({"a": labels}, **target).distinct, distinct)
    np.testing.assert_array_equal(Federation.from_reports([report], **target).distinct, distinct)


def test_replace_changes_what_is_named_only():
    fed = table(capacity=5)
    other = fed.replace(epsilon=0.2, delta="1/3", cost=[1, 2], objective="expected", guarantee="joint")
    assert other.epsilon.tolist() == [0.2, 0.2]
    assert (other.delta, other.objective, other.guarantee) == (1 / 3, "expected", "joint")
    assert [agent.capacity for agent in other.agents] == [5, 5]
    assert other.evidence is fed.evidence
    assert fed.replace().agents == fed.agents
    with pytest.raises(FederationError, match="agent 'alice': epsilon must lie between 0 and 1; it is 3"):
        fed.replace(epsilon=3)


@pytest.mark.parametrize(
    ("capacity", "expected"),
    [
        (None, [5, 5]),
        (7, [7, 7]),
        ([4, None], [4, None]),
        ({"bob": 0, "alice": None}, [None, 0]),
        ([None, None], [None, None]),
    ],
)
def test_replace_sets_and_takes_away_capacities(capacity, expected):
    fed = table(capacity=5)
    other = fed.replace(capacity=capacity)
    assert [agent.capacity for agent in other.agents] == expected
    assert [agent.capacity for agent in other.replace(epsilon=0.2).agents] == expected
    assert [agent.capacity for agent in fed.agents] == [5, 5]


@pytest.mark.parametrize("capacity", [-1, [1], {"alice": 3}, "many"])
def test_replace_refuses_what_is_no_capacity(capacity):
    with pytest.raises(FederationError, match="capacity"):
        table().replace(capacity=capacity)


def test_arrays_are_read_only_and_the_callers_stay_theirs():
    masses = np.array([[0.5, 0.5], [0.5, 0.5]])
    fed = table(distributions=masses)
    masses[0, 0] = 1
    assert fed.evidence.distributions[0, 0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        fed.evidence.labels[0, 0] = 1


def three_sites(kind):
    """Three agents, of whom the first cannot tell the last two hypotheses apart."""
    labels = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
    options = {
        "epsilon": [0.1, 0.2, 0.3],
        "delta": 0.1,
        "cost": [1, 2, 3],
        "capacity": [None, 7, 9],
        "name": "three",
    }
    own = {"a": labels[:, :2], "b": labels[:, 1:], "c": labels}
    if kind == "table":
        masses = [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.2, 0.3, 0.5]]
        return Federation.from_table(labels, masses, names=list(own), **options)
    if kind == "predictions":
        return Federation.from_predictions(own, hypotheses=["p", "q", "r", "s"], **options)
    return Federation.from_reports([report_of(name, seen) for name, seen in own.items()], **options)


KINDS = ["table", "predictions", "reports"]


@pytest.mark.parametrize("kind", KINDS)
def test_restricted_to_some_agents_nothing_of_the_others_is_left(kind):
    whole = three_sites(kind)
    part = whole.restrict(["c", "a"])
    assert part.names == ("a", "c")
    assert part.agents == (whole.agents[0], whole.agents[2])
    assert (part.name, part.delta, part.objective, part.guarantee) == ("three", 0.1, "pac", "per-agent")
    for new, old in enumerate((0, 2)):
        assert disagreement(part)[new].tolist() == disagreement(whole)[old].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_restricting_merges_what_the_others_told_apart(kind):
    whole = three_sites(kind)
    alone = whole.restrict(["a"])
    assert (whole.H, alone.H, alone.H_given) == (4, 3, 4)
    assert alone.hypotheses == whole.hypotheses[:3]
    assert whole.restrict(iter(["a", "b", "c"])).hypotheses == whole.hypotheses


def test_a_restricted_table_is_the_table_of_those_agents():
    part, direct = three_sites("table").restrict(["b"]), three_sites("table")
    built = Federation.from_table(
        direct.evidence.labels, [[0, 0.5, 0.5]], names=["b"], epsilon=0.2, delta=0.1, cost=2, capacity=7
    )
    assert part.evidence.distributions.tolist() == built.evidence.distributions.tolist()
    assert part.distinct.tolist() == built.distinct.tolist()
    assert part.agents == built.agents
    assert not part.evidence.distributions.flags.writeable
    assert plan(part).contributions == plan(built).contributions


BAD_NAMES = [
    (["alise"], "no agent is called 'alise'; did you mean 'alice'?"),
    ([3], "names must be some different strings; they are [3]"),
    ([], "names must be some different strings; they are []"),
    (["bob", "bob"], "names must be some different strings; they are ['bob', 'bob']"),
    ("bob", "names must be some different strings; they are 'bob'"),
    (7, "names must be some different strings; they are 7"),
]


def test_restricting_to_nobody_known_is_refused():
    for names, message in BAD_NAMES:
        with pytest.raises(FederationError) as raised:
            table().restrict(names)
        assert str(raised.value) == message


def test_labels_of_any_size_stay_whole_numbers():
    fed = Federation.from_predictions({"a": [[-1, 2**40], [0, 1]]}, epsilon=0.1, delta=0.1)
    assert fed.evidence.predictions[0].tolist() == [[-1, 2**40], [0, 1]]
    assert fed.evidence.predictions[0].dtype.kind == "i"


def test_predictions_that_name_their_candidates_are_told_apart():
    def predicted(names):
        return fp.sites.Predicted(
            labels=np.array([[0, 1], [1, 1]]), candidates=fp.sites.CandidateList.from_names(names), classes=(0, 1)
        )

    fed = Federation.from_predictions({"a": predicted("xy"), "b": predicted("xy")}, epsilon=0.1, delta=0.1)
    assert fed.hypotheses == ("x", "y")
    with pytest.raises(FederationError, match="candidate 1 is 'x' in one and 'y' in the other"):
        Federation.from_predictions({"a": predicted("xy"), "b": predicted("yx")}, epsilon=0.1, delta=0.1)


def test_a_cost_is_that_of_one_number_per_agent():
    with pytest.raises(FederationError, match=r"m must have one number per agent, 2; its shape is \(3,\)"):
        table().cost_of([1, 2, 3])
    assert table(cost=[2, {"quadratic": [1, 2]}]).costs_by_agent([3, 4]).tolist() == [6, 36]


@pytest.mark.parametrize("kind", KINDS)
def test_a_pickled_federation_is_the_same_and_read_only(kind):
    fed = three_sites(kind)
    expected = fed.fingerprint
    other = pickle.loads(pickle.dumps(fed))
    assert (other.fingerprint, other.agents, repr(other)) == (expected, fed.agents, repr(fed))
    with pytest.raises(ValueError, match="read-only"):
        other.distinct[0] = 1


def test_a_confidence_is_shown():
    confident = at_confidence(three_sites("reports"), 0.9)
    assert "reports at confidence 0.9" in repr(confident)
    assert not confident.is_sampled
    assert three_sites("reports").is_sampled
    assert not table().is_sampled


def test_what_is_assumed_is_kept_replaced_and_part_of_the_fingerprint():
    plain = fp.examples.alice_bob()
    noisy, nothing = plain.replace(noise=0.05), plain.replace(assume="agnostic")
    assert (plain.assume, noisy.assume, noisy.noise, nothing.assume) == ("realizable", "noisy", 0.05, "agnostic")
    assert noisy.replace(delta=0.2).noise == 0.05
    assert noisy.replace(assume="realizable").noise is noisy.replace(assume="agnostic").noise is None
    assert noisy.replace(noise=0).fingerprint == plain.fingerprint
    assert len({fed.fingerprint for fed in (plain, noisy, nothing, plain.replace(noise=0.06))}) == 4
    assert noisy.replace(assume="realizable").fingerprint == plain.fingerprint
    assert repr(noisy).endswith("pac, per-agent, noisy 0.05)")
