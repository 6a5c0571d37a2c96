from dataclasses import replace

import pytest

from carrier import run_with, small_federation
from fedpact.protocol.messages import Evaluated
from fedpact.protocol.operator.statements import Evaluation, evaluation_of, make_statement


def test_a_stopped_run_says_why_and_pays_nothing():
    outcome = run_with(lambda carrier, outgoing: [])[0]
    assert outcome.why.code == "nobody-left"
    assert (outcome.payments, outcome.plan, outcome.hypothesis, outcome.deficit) == ({}, None, None, 0)
    assert outcome.met == dict.fromkeys(small_federation().names)


def test_an_outcome_is_drawn():
    assert run_with()[0].plot().axes


def test_statements():
    outcome, operator, _ = run_with()
    for name in operator.state.pact.names:
        kept = dict(operator.state.payments[name])
        state, bill = operator.state, operator.state.settlement
        own = {"due": bill.payments[name], "labelling": bill.labelling[name], "fee": bill.fees[name]}
        statement = make_statement(state, name, now=state.settled, **own)
        kept.pop("signature")
        assert statement == kept
        assert statement["amount"] == outcome.payments[name] == statement["labelling"] - statement["fee"]
        assert statement["verified"] == (outcome.contributions[name] > 0)
        assert statement["left"] is None
        assert statement["evaluation"]["met"] is True


@pytest.mark.parametrize(("n", "mistakes", "met"), [(20, 3, True), (20, 4, False), (1, 0, True)])
def test_an_error_that_is_just_tolerated_meets_the_target(n, mistakes, met):
    state = replace(run_with()[1].state, evaluated={"north": Evaluated(n=n, mistakes=mistakes)})
    found = evaluation_of(state, "north")
    assert found == Evaluation(n=n, mistakes=mistakes, error=mistakes / n, epsilon=0.15, met=met)
    assert evaluation_of(state, "south") is None


def test_who_has_nothing_held_out_says_nothing():
    state = replace(run_with()[1].state, evaluated={"north": Evaluated(n=0, mistakes=0)})
    assert evaluation_of(state, "north") is None
