import pytest

from fedpact.explain.against import explain_against, list_ways
from fedpact.web.charts.bars import read_against
from web_answers import answer_example


def against(example, **changed):
    return read_against({**answer_example(example)[1]["against"].answer, **changed})


def ways(seen):
    return {way.name: way for way in list_ways(seen)}


def test_selfish_play_that_never_settles_has_no_cost():
    seen = against("no-pure-equilibrium")
    assert ways(seen)["selfish"].cost is None
    said = explain_against(seen)
    assert "they never settle" in said.sentences[0]
    assert said.sentences[0] in said.charts[0].description


def test_whoever_cannot_do_it_alone_is_named():
    seen = against("alice-bob", standalone={"alice": None, "bob": 14}, costs={"alice": None, "bob": 14.0})
    assert ways(seen)["alone"].cost is None
    assert ways(seen)["alone"].note.startswith("alice cannot")
    (needs,) = explain_against(seen).tables
    assert [row[2:] for row in needs.rows] == [(None, 14, 3), (14.0, 0, 2)]


@pytest.mark.parametrize(
    ("unmet", "said"), [(["bob"], "1 target missed there"), ([], "the plan is not proved optimal")]
)
def test_selfish_play_below_the_plan_is_explained(unmet, said):
    dear = {"contributions": {"alice": 9, "bob": 9}, "cost": 18.0, "status": "interrupted"}
    assert said in ways(against("alice-bob", plan=dear, unmet=unmet))["selfish"].note
