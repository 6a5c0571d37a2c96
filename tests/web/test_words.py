from dataclasses import replace

import pytest

import fedpact as fp
from fedpact.web.words import game, payments, plan
from web_answers import answer_example


def test_a_plan_of_nothing():
    found = fp.plan(fp.examples.alice_bob().replace(epsilon=1))
    assert plan.say_headline(found).startswith("Nothing has to be labelled")


def test_quality_without_a_lower_bound():
    found = replace(fp.plan(fp.examples.alice_bob(), "union"), lower_bound=0.0)
    assert plan.say_quality(found) == "not compared with the optimum"
    assert dict(plan.list_certificate(found))["Could it be cheaper?"].endswith("is not known.")


def against(example, **changed):
    return {**answer_example(example)[1]["against"].answer, **changed}


def test_selfish_play_that_never_settles_has_no_cost():
    ways = {way.name: way for way in plan.list_ways(against("no-pure-equilibrium"))}
    assert ways["selfish"].cost is None
    assert "never settle" in ways["selfish"].note
    assert "They never settle" in plan.say_saving(against("no-pure-equilibrium"))


def test_whoever_cannot_do_it_alone_is_named():
    answer = against("alice-bob", cost=None, standalone={"alice": None, "bob": 14})
    ways = {way.name: way for way in plan.list_ways(answer)}
    assert ways["alone"].cost is None
    assert ways["alone"].note.startswith("alice cannot reach the target alone")


@pytest.mark.parametrize(
    ("unmet", "said"), [(["bob"], "1 target missed there"), ([], "the plan is not proved optimal")]
)
def test_selfish_play_below_the_plan_is_explained(unmet, said):
    status = fp.planning.PlanStatus.INTERRUPTED.value
    dear = {"contributions": {"alice": 9, "bob": 9}, "cost": 18.0, "status": status}
    ways = {way.name: way for way in plan.list_ways(against("alice-bob", plan=dear) | {"unmet": unmet})}
    assert said in ways["selfish"].note


def equilibria(**changed):
    return replace(game.read_equilibria(answer_example("alice-bob")[1]["equilibria"].answer), **changed)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "There are 6 pure equilibria, and the search was complete."),
        (
            {"status": fp.game.EquilibriaStatus.STOPPED, "is_complete": False, "share_searched": 0.5},
            "stopped early",
        ),
        ({"status": fp.game.EquilibriaStatus.NONE_FOUND, "profiles": (), "is_complete": False}, "is not known"),
        ({"status": fp.game.EquilibriaStatus.NONE_EXISTS, "profiles": ()}, "No pure equilibrium exists"),
    ],
)
def test_none_exists_and_stopped_early_are_different_answers(changed, said):
    assert said in " ".join(game.list_equilibria(equilibria(**changed)))


def test_prices_that_are_not_known_exactly_are_intervals():
    found = equilibria(
        stability=fp.planning.Interval(low=1, high=1.25), anarchy=fp.planning.Interval(low=2, high=float("inf"))
    )
    assert [price.value for price in game.list_prices(found)] == ["5", "1 to 1.25", "at least 2"]
    assert game.list_prices(equilibria(optimum=None))[0].value == "none"


def test_of_many_equilibria_the_cheapest_and_the_dearest_are_listed():
    profiles = tuple((place, 0) for place in range(50))
    found = equilibria(profiles=profiles, costs=tuple(map(float, range(50))), unmet=((),) * 49 + (("bob",),))
    rows, skipped = game.list_rows(found)
    assert (len(rows), skipped) == (20, 30)
    assert [row.cost for row in rows] == [*range(10), *range(40, 50)]
    assert rows[-1].unmet == "bob"


def test_a_lie_is_told_in_full():
    seen = fp.audit(fp.examples.pwyc_not_dominant("1/20"), rule="vcg", reports=100)
    said = " ".join(payments.list_witness(seen.witness.to_dict()))
    assert "agent-1 reports" in said
    assert "instead of the truth" in said
    assert "misses the target of agent-2" in said
    assert "a gain of 0.15" in said


def test_every_rule_has_a_name():
    for rule, pivot in (
        (row["rule"], row["pivot"]) for row in answer_example("alice-bob")[1]["payments"].answer["rules"]
    ):
        assert payments.name_rule(rule, pivot).title


def test_an_agent_under_two_names_is_not_said_to_lie_about_its_data():
    seen = fp.audit(fp.examples.alice_bob(), rule="vcg", reports=40)
    said = payments.list_witness(seen.split.witness.to_dict())
    assert said[0].startswith("alice takes part under 2 names and reports as alice: ")
    assert "instead of the truth" not in " ".join(said)
