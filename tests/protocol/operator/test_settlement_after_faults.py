"""What is paid when a site left after it had given, could give less, or was flagged, and what the books say."""

from dataclasses import replace

import numpy as np
import pytest

from fedpact.describe.federation import Federation
from fedpact.protocol.messages import read_request
from fedpact.protocol.operator.check_books import check_books
from fedpact.protocol.operator.operator import start_run
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import memory_ledger
from fedpact.protocol.site.simulated_sites import give_keys, simulate_sites


def federation(**terms):
    given = {"epsilon": [0.6, 0.05, 0.1], "delta": 0.1, "cost": [1.0, 4.0, 2.0], **terms}
    return Federation.from_table(
        [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]],
        [[0.5, 0.5, 0.0], [0.1, 0.1, 0.8], [0.3, 0.2, 0.5]],
        names=["giver", "taker", "other"],
        **given,
    )


def carry(fed, *, silent=(), changes=None, **terms):
    """Run with keys; some requests are never answered, and some sites are other than the federation says."""
    sites, key, public = give_keys(simulate_sites(fed))
    for name, change in (changes or {}).items():
        sites[name] = replace(sites[name], **change)
    ledger = memory_ledger()
    pact = make_pact(fed, method="tree", patience=60, keys=public, operator=key.public, **terms)
    operator, now = start_run(ledger, pact, now=0.0, key=key), 0.0
    while not operator.is_over:
        for outgoing in operator.advance(now):
            if read_request(outgoing.data).request not in silent:
                operator.receive(sites[outgoing.site].answer(outgoing.data), now)
        now += 10.0
    return operator.state, check_books(ledger)


def leave_after_giving(**terms):
    """``other`` contributes, is asked again because ``giver`` could give less, and is not heard of any more."""
    state, books = carry(federation(), silent={"contribute/other/2"}, changes={"giver": {"most": 1}}, **terms)
    assert state.status is RunStatus.FINISHED, state.why
    assert state.gone["other"].step == "contribute"
    assert state.contributed["other"] > 0
    return state, books


@pytest.mark.parametrize(
    "terms", [{"fee": 0.25}, {"rule": "equal-split"}, {"rule": "proportional"}, {"rule": "pwyc"}], ids=str
)
def test_who_left_is_paid_in_full_bears_no_part_of_the_cost_and_the_books_add_up(terms):
    state, books = leave_after_giving(**terms)
    paid = state.payments["other"]
    assert (paid["amount"], paid["fee"]) == (2.0 * state.contributed["other"], 0.0)
    assert books.problems == ()
    assert books.followed == 3


@pytest.mark.parametrize("rule", ["equal-split", "proportional"])
def test_rules_that_split_the_cost_come_out_even_among_those_who_are_left(rule):
    state, _ = leave_after_giving(rule=rule)
    assert sum(paid["amount"] for paid in state.payments.values()) == pytest.approx(0, abs=1e-9)
    shares = {name: paid["fee"] for name, paid in state.payments.items()}
    if rule == "equal-split":
        assert shares["giver"] == shares["taker"] > 0


def test_a_rule_that_is_undefined_says_so_before_anybody_labels():
    """It was found out at settlement, out of reach of --resume, when everybody had labelled."""
    state, books = carry(federation(capacity=[None, 3, None]), rule="proportional")
    assert state.status is RunStatus.STOPPED
    refusal = state.why.values["refusal"]
    assert (state.why.code, refusal["code"], refusal["agents"]) == ("no-plan", "not-alone", ["taker"])
    assert (dict(state.contributed), books.problems) == ({}, ())


def test_a_share_in_proportion_does_not_depend_on_who_could_give_no_more():
    """A site that delivers less had its delivery for a capacity, with which it met no target alone."""
    state, books = carry(federation(), changes={"other": {"most": 1}}, rule="proportional")
    assert "other" in state.exhausted
    assert state.status is RunStatus.FINISHED, state.why
    assert state.payments["other"]["fee"] > 0
    assert books.problems == ()


def wrong_everywhere(places):
    """Labels that no candidate gives: whatever differs, all are wrong on every sample."""
    return np.full(len(places), 7)


def test_who_owes_gains_nothing_by_being_flagged():
    """A contribution that was flagged was not paid, and what its site owed was forgotten."""
    fed = federation(cost=[0.1, 4.0, 2.0])
    honest, _ = carry(fed, rule="equal-split")
    due = honest.payments["giver"]["amount"]
    assert due < 0
    state, books = carry(
        fed, changes={"giver": {"labeller": wrong_everywhere}}, false_alarm_rate=0.3, rule="equal-split"
    )
    paid = state.payments["giver"]
    assert "giver" in state.withheld
    assert (paid["amount"], paid["withheld"]) == (due, 0.0)
    assert paid["why"] is not None
    assert books.problems == ()
