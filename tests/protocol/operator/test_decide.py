import numpy as np
import pytest

from carrier import Carrier, ListLedger, check_books, run_over, run_with, small_federation, start, with_test_keys
from fedpact.describe.examples import alice_bob
from fedpact.describe.federation import Federation
from fedpact.errors import SolverError
from fedpact.protocol.operator.decide import decide, federation_of, plan_uncut
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.statistics.verification import verify


def test_deciding_changes_nothing_and_is_repeated():
    fed = small_federation()
    operator = start(fed, with_test_keys(simulate_sites(fed)), ListLedger())
    first = decide(operator.state, 7.0)
    assert first == decide(operator.state, 7.0)
    assert [kind for kind, _ in first] == ["ask"] * 3
    assert [body["deadline"] for _, body in first] == [67.0] * 3
    assert len(operator.ledger) == 1


def test_a_finished_run_has_nothing_to_decide():
    assert decide(run_with()[1].state, 0.0) == []


def test_what_is_chosen_has_the_fewest_mistakes_of_all():
    outcome, operator, _ = run_with(teacher="x3", seed=2)
    total = sum(operator.state.mistakes.values())
    assert outcome.hypothesis == "x3"
    assert operator.state.chosen == int(np.argmin(total))
    chosen = next(entry.body for entry in operator.ledger.kept if entry.kind == "choose")
    assert chosen["mistakes"] == total.tolist()
    assert chosen["m"] == sum(outcome.contributions.values())


def test_the_plan_is_enough_for_those_who_are_left():
    def harm(carrier, outgoing):
        return [] if (outgoing.site, outgoing.step) == ("north", "contribute") else None

    outcome, operator, _ = run_with(harm)
    truth = small_federation(epsilon={"north": 1.0, "south": 0.15, "east": 0.15})
    m = [outcome.contributions[name] for name in truth.names]
    assert verify(truth, m).is_feasible
    assert [agent.epsilon for agent in federation_of(operator.state).agents] == [0.15, 0.15]
    assert federation_of(operator.state).names == ("south", "east")


def test_a_fee_that_is_too_high_is_no_plan():
    """Who would rather leave is named before anybody has labelled anything."""
    outcome, operator, _ = run_with(fee=1000)
    assert outcome.status is RunStatus.STOPPED
    assert outcome.why.code == "no-plan"
    assert not any(e.body.get("step") == "contribute" for e in operator.ledger.kept if e.kind == "ask")


def test_fees_are_paid():
    outcome, _, _ = run_with(fee={"north": 1, "south": 0, "east": 0.5})
    assert outcome.status is RunStatus.FINISHED
    expected = {
        "north": outcome.contributions["north"] - 1,
        "south": 2 * outcome.contributions["south"],
        "east": -0.5,
    }
    assert outcome.payments == expected
    assert outcome.deficit == pytest.approx(sum(expected.values()))


@pytest.mark.parametrize("rule", ["equal-split", "proportional", "none"])
def test_other_rules_pay_as_they_say(rule):
    outcome, operator, _ = run_with(rule=rule)
    assert outcome.status is RunStatus.FINISHED
    settled = next(entry.body["settlement"] for entry in operator.ledger.kept if entry.kind == "settle")
    assert settled["rule"] == rule
    assert outcome.payments == pytest.approx(settled["payments"])


def test_nobody_who_needs_nothing_is_asked():
    outcome, operator, _ = run_with(fed=small_federation(epsilon=1.0))
    assert outcome.contributions == {"north": 0, "south": 0, "east": 0}
    assert outcome.status is RunStatus.FINISHED
    assert check_books(operator.ledger.kept, small_federation()) == outcome.contributions


def test_a_planner_that_fails_stops_the_run_and_can_be_tried_again():
    def failing(fed, method, **options):
        raise SolverError("the program does not come to an end", solver_status="too large")

    outcome, _, _ = run_with(planner=failing)
    assert outcome.status is RunStatus.STOPPED
    assert outcome.why.values["detail"].startswith("the program does not come to an end")


def test_nobody_is_asked_for_more_samples_than_can_be_checked():
    """The plan asked for 15 million, and the check refused them when they had been labelled."""
    fed = Federation.from_table([[0, 0], [0, 1]], [[1 - 2e-7, 2e-7]], epsilon=1e-8, delta=0.05, cost=1)
    sites = with_test_keys(simulate_sites(fed))
    outcome, _, _ = run_with(fed=fed, sites=sites)
    assert outcome.status is RunStatus.STOPPED
    assert outcome.contributions == {"agent-1": 0}


def test_an_interrupt_ends_the_run_and_not_the_search_for_its_plan(monkeypatch):
    """Nobody must label by a plan that somebody wanted to stop."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("fedpact.planning.exact._open_box", interrupt)
    fed = alice_bob()
    operator = start(fed, with_test_keys(simulate_sites(fed)), ListLedger(), planner=plan_uncut)
    with pytest.raises(KeyboardInterrupt):
        run_over(operator, Carrier(with_test_keys(simulate_sites(fed))))
    assert operator.state.plan is None


def test_sites_that_draw_afresh_can_give_more_samples_than_they_have_points():
    fed = Federation.from_table([[0, 0], [0, 1]], [[0.5, 0.5]], epsilon=0.1, delta=1e-9)
    outcome, operator, _ = run_with(fed=fed, sites=with_test_keys(simulate_sites(fed)))
    (found,) = [entry.body["plan"] for entry in operator.ledger.kept if entry.kind == "plan"]
    assert outcome.contributions["agent-1"] > operator.state.reports["agent-1"].n
    assert plan_uncut(federation_of(operator.state)).too_few_points is not None
    assert "too_few_points" not in found
