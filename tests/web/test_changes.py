import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedpact as fp
from fedpact.web.changes import is_change, read_changes

FED = fp.examples.alice_bob()


def test_nothing_changes_without_an_address():
    seen = read_changes(FED, [])
    assert seen.federation is FED
    assert seen.changes == ()
    assert seen.problems == {}


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("delta", "0.2", {"delta": 0.2}),
        ("delta", "1/8", {"delta": 0.125}),
        ("guarantee", "joint", {"guarantee": "joint"}),
        ("epsilon", "0.3", {"epsilon": [0.3, 0.3]}),
        ("epsilon[bob]", " 0.3 ", {"epsilon": [0.1, 0.3]}),
        ("capacity[alice]", "4", {"capacity": [4, None]}),
        ("cost[alice]", "2.5", {"cost": [2.5, 1.0]}),
        ("cost", '{"quadratic": [1, 0.5]}', {"cost": fp.costs.Quadratic(1.0, 0.5)}),
    ],
)
def test_a_change_is_the_one_that_replace_makes(name, text, values):
    seen = read_changes(FED, [(name, text)])
    assert seen.problems == {}
    assert seen.federation.agents == FED.replace(**values).agents
    assert seen.federation.fingerprint == FED.replace(**values).fingerprint
    assert FED.replace(**dict(seen.changes)).fingerprint == seen.federation.fingerprint
    assert hash(seen.changes) is not None
    assert seen.given == ((name, text),)


def test_later_changes_build_on_earlier_ones_and_none_takes_a_limit_away():
    given = [("capacity", "3"), ("capacity[bob]", "none"), ("method", "lp"), ("delta", "  ")]
    seen = read_changes(FED, given)
    assert [agent.capacity for agent in seen.federation.agents] == [3, None]
    assert seen.given == (("capacity", "3"), ("capacity[bob]", "none"))


def test_a_change_back_is_no_change():
    assert read_changes(FED, [("delta", "0.05"), ("cost[bob]", "1")]).changes == ()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("delta", "2", "delta must lie strictly between 0 and 1; it is 2"),
        ("delta", "soon", "delta"),
        ("epsilon[bob]", "-1", "epsilon must lie between 0 and 1; it is -1"),
        ("cost[alice]", "0", "cost must be above 0; it is 0"),
        ("cost[alice]", "{", "cost must be a number, or be written as"),
        ("cost[alice]", "{" * 5000, "cost must be a number, or be written as"),
        ("capacity[bob]", "1.5", "capacity"),
        ("cost[carol]", "1", "cost names 'carol', who is not in the federation"),
        ("objective", "fame", "objective must be"),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_the_rest_is_taken(name, text, said):
    seen = read_changes(FED, [(name, text), ("epsilon[alice]", "0.4")])
    assert list(seen.problems) == [name]
    assert said in seen.problems[name]
    assert seen.federation.epsilon.tolist() == [0.4, 0.1]
    assert (name, text) in seen.given


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12)), max_size=5))
def test_no_address_breaks_it(parameters):
    given = [*parameters, *((f"cost[{name}]", text) for name, text in parameters)]
    seen = read_changes(FED, given)
    assert all(is_change(name) for name in seen.problems)
    assert all(math.isfinite(agent.epsilon) for agent in seen.federation.agents)
