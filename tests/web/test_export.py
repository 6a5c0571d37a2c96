import pytest

import fedpact as fp
from fedpact.explain.against import list_ways
from fedpact.web.charts.bars import read_against
from fedpact.web.export import PART_NAMES, answer_all
from fedpact.web.parts import PARTS
from web_answers import answer_parts, read


def view_of(fed, *parameters):
    return read(fed, parameters)


def test_every_part_is_answered_as_by_the_package():
    fed = fp.examples.alice_bob()
    told = []
    states = {state.part.name: state for state in answer_all(view_of(fed), lambda *said: told.append(said))}
    assert tuple(states) == PART_NAMES
    assert set(states) == set(PARTS)
    assert states["plan"].answer["plan"] == fp.plan(fed).to_dict()
    assert states["payments"].answer["plan"] == fp.plan(fed).to_dict()
    assert states["equilibria"].answer["plans"]["plan"]["cost"] == 5
    assert states["audit"].state == "idle"
    assert told[0][:2] == (0, len(PARTS))
    assert told[-1][:2] == (len(PARTS), len(PARTS))


def test_what_has_no_plan_says_so_wherever_a_plan_is_needed():
    states = answer_parts(view_of(fp.examples.alice_bob(), ("capacity", "1")))
    for name in ("plan", "payments"):
        assert states[name].state == "failed"
        assert states[name].has_no_plan
        assert "still misses the target" in states[name].problems[0]
    assert states["dynamics"].answer["unmet"] == ["alice", "bob"]
    assert states["against"].answer["plan"] is None
    found = states["equilibria"].answer
    assert found["equilibria"] == fp.equilibria(fp.examples.alice_bob().replace(capacity=1)).to_dict()
    assert found["plans"]["plan"] is None


def test_who_has_too_little_cannot_go_alone():
    view = view_of(fp.examples.alice_bob(), ("capacity[alice]", "6"))
    against = answer_parts(view)["against"].answer
    assert against["standalone"] == {"alice": None, "bob": 14}
    assert against["costs"] == {"alice": None, "bob": 14.0}
    assert against["cost"] is None
    (way,) = (way for way in list_ways(read_against(against)) if way.name == "alone")
    assert way.note == "alice cannot reach the target alone"


@pytest.mark.slow
def test_an_audit_is_part_of_it_if_it_is_asked_for():
    view = view_of(fp.examples.alice_bob(), ("audit", "20"))
    states = answer_parts(view)
    assert len(states["audit"].answer["rules"]) == 9
