"""The operator alone; what sites do to it is in test_faults.py."""

import json
from dataclasses import replace

import numpy as np
import pytest

from carrier import (
    OPERATOR,
    PATIENCE,
    START,
    Carrier,
    ListLedger,
    forge,
    kept_plan,
    key_of,
    plan_by,
    run_over,
    run_with,
    small_federation,
    start,
    with_test_keys,
)
from fedpact.coded import coded
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.federation import Federation
from fedpact.describe.report_files import to_bytes
from fedpact.errors import LedgerError
from fedpact.protocol.keys.signing import check_signature
from fedpact.protocol.messages import Contributed, Pending, Refused, Reported, read_request
from fedpact.protocol.operator.operator import read_run, resume_run, start_run
from fedpact.protocol.operator.run_state import Gone, RunStatus
from fedpact.protocol.pact import make_pact
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.statistics.make_report import report

FED = small_federation()


@pytest.fixture
def sites():
    return with_test_keys(simulate_sites(FED, teacher="none", seed=1))


def test_everything_is_in_the_ledger_before_it_is_sent(sites):
    ledger = ListLedger()
    operator = start(FED, sites, ledger)

    def look(carrier, outgoing):
        asked = read_request(outgoing.data, OPERATOR.public)
        assert any(e.kind == "ask" and e.body["request"] == asked.request for e in ledger.kept)
        if asked.step == "pay":
            paid = next(e.body for e in ledger.kept if e.kind == "pay" and e.body["site"] == asked.site)
            assert paid["statement"] == asked.body["statement"]

    run_over(operator, Carrier(sites, look))
    kinds = [entry.kind for entry in ledger.kept]
    assert kinds[0] == "open"
    assert kinds[-1] == "close"
    order = [kinds.index(kind) for kind in ("ask", "answer", "plan", "choose", "settle", "pay", "close")]
    assert order == sorted(order)


def test_answers_in_the_ledger_carry_their_signatures(sites):
    outcome, operator, _ = run_with(sites=sites)
    for entry in operator.ledger.kept:
        if entry.kind == "answer":
            ask = operator.state.asks[entry.body["request"]]
            said = {"protocol": 1, "run": outcome.run, "request": ask.request, "site": ask.site, "step": ask.step}
            signed = {**said, "body": entry.body["body"], "signature": entry.body["signature"]}
            assert check_signature(key_of(ask.site).public, signed)


def test_payments_are_signed(sites):
    _, operator, _ = run_with(sites=sites)
    assert len(operator.state.payments) == 3
    for statement in operator.state.payments.values():
        assert check_signature(OPERATOR.public, statement)
        assert not check_signature(OPERATOR.public, {**statement, "amount": 10**6})


def test_a_request_is_sent_again_after_a_while_the_same(sites):
    operator = start(FED, sites, ListLedger())
    first = operator.advance(START)
    assert [outgoing.site for outgoing in first] == list(FED.names)
    assert operator.wake_at == START + 5
    assert operator.advance(START + 4.9) == []
    again = operator.advance(START + 5)
    assert again == first
    assert operator.wake_at == START + 10
    operator.advance(START + PATIENCE - 1)
    assert operator.wake_at == START + PATIENCE
    assert operator.advance(START + PATIENCE) == []
    assert operator.is_over
    assert operator.wake_at is None


def test_a_site_that_waits_for_people_says_so_and_keeps_its_deadline(sites):
    operator = start(FED, sites, ListLedger())
    operator.advance(START)
    ask = operator.state.open[0]
    operator.receive(forge(operator.state, ask, Pending(why="two labels\x07"), key=key_of(ask.site)), START + 1)
    assert operator.pending == {ask.request: "two labels\\x07"}
    assert len(operator.ledger) == 4
    operator.advance(START + PATIENCE)
    assert operator.state.gone[ask.site] == Gone(step=ask.step, code="late", values={"seconds": 60.0})


def test_the_same_answers_give_the_same_ledger(sites):
    """One seed decides everything: hashes agree to the last."""
    first = run_with(seed=3)[0]
    assert run_with(seed=3)[0].ledger == first.ledger
    assert run_with(seed=4)[0].ledger != first.ledger


@pytest.mark.parametrize("after", range(1, 30, 4))
def test_an_operator_that_stops_anywhere_is_continued(after, sites):
    class Full(ListLedger):
        def append_all(self, items, *, run, at):
            if len(self.kept) >= after:
                raise LedgerError("stop")
            return super().append_all(items, run=run, at=at)

    ledger = Full()
    carrier = Carrier(sites)
    with pytest.raises(LedgerError):
        run_over(start(FED, sites, ledger), carrier)
    continued = ListLedger()
    continued.kept = ledger.kept
    outcome = run_over(plan_by(kept_plan, resume_run(continued, now=carrier.now, key=OPERATOR)), carrier)
    expected = run_with()[0]
    for key in ("contributions", "payments", "hypothesis", "gone", "met", "refusals", "status"):
        assert getattr(outcome, key) == getattr(expected, key)
    continued.check()


def test_resuming_gives_open_requests_their_time_again(sites):
    ledger = ListLedger()
    start(FED, sites, ledger).advance(START)
    operator = resume_run(ledger, now=START + 10 * PATIENCE, key=OPERATOR)
    assert {ask.deadline for ask in operator.state.open} == {START + 11 * PATIENCE}
    assert len(operator.advance(START + 10 * PATIENCE)) == 3
    assert read_run(ledger).status is RunStatus.RUNNING


def test_without_a_list_who_reports_first_does_not_decide_which_candidates_are_compared():
    """The run stops and says who differs; when they agree it goes on with new reports, and the odd one out."""
    names = ("a", "b", "c")
    plain = {name: report([[0, 0, 1], [0, 1, 1]], name=name) for name in names}
    fed = Federation.from_reports(list(plain.values()), cost=1, epsilon=0.1, delta=0.1)
    ledger = ListLedger()
    operator = start_run(ledger, make_pact(fed), now=0.0)

    def answer(odd):
        operator.advance(1.0)
        for ask in operator.state.open:
            said = odd.get(ask.site, plain[ask.site])
            operator.receive(forge(operator.state, ask, Reported(report=to_bytes(said), pool=3)), 1.0)
        operator.advance(1.0)

    answer({"a": report(np.eye(3, dtype=int), name="a")})
    assert (operator.state.status, operator.state.gone) == (RunStatus.STOPPED, {})
    assert operator.state.why == coded("candidates-differ", detail="'a' compares 3 candidates and 'c' 2")
    operator = resume_run(ledger, now=1.0)
    answer({})
    assert operator.state.status is RunStatus.RUNNING
    assert operator.state.plan is not None
    assert {ask.step for ask in operator.state.open} == {"contribute"}


def test_the_site_that_compares_what_nobody_else_does_is_named_second():
    plain = {name: report([[0, 0, 1], [0, 1, 1]], name=name) for name in ("a", "b", "c")}
    lists = {name: CandidateList.from_names(["h1", "other" if name == "a" else "h2"]) for name in plain}
    sent = {name: replace(own, candidates=lists[name]) for name, own in plain.items()}
    fed = Federation.from_reports(list(plain.values()), cost=1, epsilon=0.1, delta=0.1)
    operator = start_run(ListLedger(), make_pact(fed), now=0.0)
    operator.advance(0.0)
    for ask in operator.state.open:
        operator.receive(forge(operator.state, ask, Reported(report=to_bytes(sent[ask.site]), pool=3)), 1.0)
    operator.advance(1.0)
    assert operator.state.why.values["detail"].endswith(
        "'b' and 'a' have different candidates: candidate 2 is 'h2' in one and 'other' in the other"
    )


def test_a_site_that_is_gone_is_not_listened_to(sites):
    operator = start(FED, sites, ListLedger())
    operator.advance(START)
    ask = operator.state.open[0]
    operator.receive(forge(operator.state, ask, Refused(why="no"), key=key_of(ask.site)), START)
    body = Contributed(m=1, mistakes=np.zeros(5, dtype=np.int64))
    for said in (Refused(why="no, no"), Pending(why="well")):
        operator.receive(forge(operator.state, ask, said, key=key_of(ask.site)), START)
    operator.receive(forge(operator.state, ask, body, key=key_of(ask.site), step="contribute"), START)
    assert list(operator.state.gone) == [ask.site]
    assert operator.state.refusals == 3


def test_requests_are_plain(sites):
    operator = start(FED, sites, ListLedger())
    for outgoing in operator.advance(START):
        assert json.loads(outgoing.data)["body"] == {"candidates": operator.state.pact.candidates.fingerprint}
        assert outgoing.deadline == START + PATIENCE
