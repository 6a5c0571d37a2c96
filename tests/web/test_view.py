import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedpact as fp
from fedpact.web.view import Options, is_change, list_options, read_changes, read_options

FED = fp.examples.alice_bob()


def test_nothing_changes_without_an_address():
    seen = read_changes(FED, [])
    assert seen.federation is FED
    assert (seen.changes, seen.problems) == ((), {})
    assert read_options([]) == (Options(), {})
    assert list_options(Options()) == []


def test_a_change_is_the_one_that_replace_makes():
    for name, text, values in [
        ("delta", "0.2", {"delta": 0.2}),
        ("delta", "1/8", {"delta": 0.125}),
        ("guarantee", "joint", {"guarantee": "joint"}),
        ("epsilon", "0.3", {"epsilon": [0.3, 0.3]}),
        ("epsilon[bob]", " 0.3 ", {"epsilon": [0.1, 0.3]}),
        ("capacity[alice]", "4", {"capacity": [4, None]}),
        ("cost[alice]", "2.5", {"cost": [2.5, 1.0]}),
        ("cost", '{"quadratic": [1, 0.5]}', {"cost": fp.costs.Quadratic(1.0, 0.5)}),
    ]:
        seen, replaced = read_changes(FED, [(name, text)]), FED.replace(**values)
        assert seen.problems == {}, name
        assert seen.federation.agents == replaced.agents, name
        assert seen.federation.fingerprint == replaced.fingerprint, name
        assert FED.replace(**dict(seen.changes)).fingerprint == replaced.fingerprint, name
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
def test_no_change_breaks_it(parameters):
    given = [*parameters, *((f"cost[{name}]", text) for name, text in parameters)]
    seen = read_changes(FED, given)
    assert all(is_change(name) for name in seen.problems)
    assert all(math.isfinite(agent.epsilon) for agent in seen.federation.agents)


def test_an_option_comes_back_from_its_address():
    texts = {
        "method": "union",
        "order": "simultaneous",
        "seconds": "2.5",
        "fee": "-3",
        "ceiling": "10",
        "audit": "50",
    }
    wanted = Options(method="union", order="simultaneous", seconds=2.5, fee=-3.0, ceiling=10.0, audit=50)
    assert read_options(texts.items()) == (wanted, {})
    assert read_options(list_options(wanted)) == (wanted, {})
    assert dict(list_options(wanted)) == texts


def test_a_wrong_option_is_said_beside_its_field():
    wrong = {"method": ["magic"], "order": ["last"], "seconds": ["1e9", "nan"], "fee": ["inf"]}
    for field, texts in (wrong | {"ceiling": ["-1"], "audit": ["0", "2001", "²"]}).items():
        for text in texts:
            found, problems = read_options([(field, text)])
            assert found == Options()
            assert problems[field].startswith(f"{field} must be ")
            assert repr(text) in problems[field]


@given(st.lists(st.tuples(st.sampled_from(["method", "seconds", "fee", "audit"]), st.text(max_size=20))))
def test_no_option_breaks_it(parameters):
    found, _ = read_options(parameters)
    assert read_options(list_options(found)) == (found, {})
