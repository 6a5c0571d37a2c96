import pytest

from carrier import Carrier, ListLedger, run_with, small_federation, start, with_test_keys
from fedpact.errors import LedgerError
from fedpact.protocol.ledger.entry import make_entry
from fedpact.protocol.operator.run_state import RunState, after, replay
from fedpact.protocol.site.simulated_sites import simulate_sites


def same(one, other):
    """States hold arrays, which do not compare."""
    for name in RunState.__dataclass_fields__:
        own, theirs = getattr(one, name), getattr(other, name)
        if name == "mistakes":
            own, theirs = ({site: array.tolist() for site, array in table.items()} for table in (own, theirs))
        if name in ("reports", "plan", "settlement"):
            own, theirs = str(own), str(theirs)
        assert own == theirs, name


def test_what_the_ledger_says_is_what_the_operator_knows():
    """After every entry, and so after a crash anywhere."""
    fed = small_federation()
    sites = with_test_keys(simulate_sites(fed, teacher="none", seed=1))
    ledger, carrier = ListLedger(), Carrier(sites)
    operator = start(fed, sites, ledger)
    while not operator.is_over:
        for outgoing in operator.advance(carrier.now):
            carrier.send(outgoing)
        same(replay(ledger.entries()), operator.state)
        for data in [] if operator.is_over else carrier.receive(operator.wake_at):
            operator.receive(data, carrier.now)
            same(replay(ledger.entries()), operator.state)


def test_states_are_not_changed_by_what_comes_after():
    entries = run_with()[1].ledger.kept
    states = [replay(entries[:1])]
    for entry in entries[1:]:
        states.append(after(states[-1], entry))
    assert [len(state.asks) for state in states] == sorted(len(state.asks) for state in states)
    assert states[0].open == ()
    assert not states[0].reports
    assert states[-1].open == ()


def entry(kind, body, run="r"):
    return make_entry(seq=1, at=0.0, run=run, kind=kind, body=body, previous="0" * 64)


def test_what_is_no_run():
    with pytest.raises(LedgerError, match="a run must begin with its pact; there is no such entry"):
        replay([])
    with pytest.raises(LedgerError, match="a run must begin with its pact"):
        replay([entry("ask", {})])
    opened = run_with()[1].ledger.kept[0]
    with pytest.raises(LedgerError, match="entry 1 is of a kind that this version does not know: 'gift'"):
        replay([opened, entry("gift", {}, opened.run)])


def test_entries_of_others_change_nothing_in_a_run():
    """A note in the ledger kept its run from being resumed, and requests of another run were taken for its own."""
    kept = run_with()[1].ledger.kept
    middle = len(kept) // 2
    other = run_with(seed=2, teacher="x1", fee=0.5)[1].ledger.kept
    assert other[0].run != kept[0].run
    same(replay([*kept[:middle], entry("note", {"text": "lunch"}), *other, *kept[middle:]]), replay(kept))


def test_a_refusal_is_no_answer_in_a_ledger():
    kept = run_with()[1].ledger.kept
    ask = next(e for e in kept if e.kind == "ask")
    odd = entry(
        "answer",
        {"request": ask.body["request"], "digest": "", "body": {"refused": "no"}, "signature": None},
        ask.run,
    )
    with pytest.raises(LedgerError, match="entry 1 records an answer that is none"):
        replay([kept[0], ask, odd])


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("ask", {}),
        ("answer", {"request": "none"}),
        ("gone", []),
        ("plan", {"plan": 1}),
        ("choose", None),
        ("pay", {}),
    ],
)
def test_an_entry_of_another_form_is_named(kind, body):
    opened = run_with()[1].ledger.kept[0]
    with pytest.raises(LedgerError, match="entry 1 is malformed"):
        replay([opened, entry(kind, body, opened.run)])
    with pytest.raises(LedgerError, match="entry 1 is malformed"):
        replay([entry("open", body)])
