"""One line for every entry: of real runs, of runs that went wrong, and of whatever else a ledger may hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrier import OPERATOR, ListLedger, run_with, small_federation
from fedpact.explain.ledger import say_entry
from fedpact.explain.phrases import say_reason
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, make_entry
from fedpact.protocol.operator.operator import resume_run
from fedpact.protocol.operator.run_state import RunStatus

KINDS = ["open", "ask", "answer", "refuse", "gone", "plan", "choose", "settle"]
KINDS += ["pay", "stop", "resume", "close"]


def entry(kind, body):
    return make_entry(seq=1, at=0.0, run="r", kind=kind, body=body, previous=NOTHING_BEFORE)


def lines(ledger):
    return [say_entry(one) for one in ledger.entries()]


def test_a_run_reads_as_a_story():
    ledger = ListLedger()
    outcome, _, _ = run_with(ledger=ledger, fed=small_federation(name="coast"))
    m = outcome.contributions
    said = lines(ledger)
    assert said[:7] == [
        "coast: 3 sites agree on a run",
        *(f"{name} is asked for its report" for name in m),
        *(f"{name} reports" for name in m),
    ]
    quotas = ", ".join(f"{name} {count}" for name, count in sorted(m.items()) if count)
    assert said[7] == f"planned, for {outcome.plan.cost:g}: {quotas}"
    for name, count in m.items():
        assert (f"{name} is asked for samples 1 to {count}" in said) == (count > 0)
        assert (f"{name} contributes {count} samples" in said) == (count > 0)
        assert f"{name} is asked how the outcome does on its held-out samples" in said
        assert f"{name} evaluates: 0 of {outcome.evaluation[name].n} wrong" in said
        assert f"{name} is paid {outcome.payments[name]:g} for {count} samples" in said
        assert f"{name} is sent its statement" in said
        assert f"{name} has its statement" in said
    assert f"'none' is chosen, wrong on 0 of {sum(m.values())} samples" in said
    assert f"settled by pwyc: spend {outcome.deficit:g}" in said
    assert said[-1] == f"finished: {outcome.deficit:g} paid in all"


def test_a_run_that_stops_and_is_taken_up_again():
    ledger = ListLedger()
    outcome, _, _ = run_with(lambda carrier, outgoing: [(0.1, b"garbage")], ledger=ledger)
    assert outcome.status is RunStatus.STOPPED
    resume_run(ledger, now=2_000.0, key=OPERATOR)
    said = lines(ledger)
    assert sum(line.startswith("not accepted: ") for line in said) == outcome.refusals > 0
    assert "east is gone at 'report': no answer within 60 s" in said
    assert said[-2] == f"stopped: {say_reason(outcome.why.code, outcome.why.values)}"
    assert "no site is left that has reported; without" in said[-2]
    assert said[-1] == "resumed"


ASK = {"request": "x", "deadline": 1.0}
PAID = {"amount": 3.0, "contributed": 1, "withheld": 0.0, "why": None}
SAID = {
    "slashes-asked": (
        "ask",
        {**ASK, "site": "ward/2/b", "step": "contribute", "body": {"have": 4, "total": 9}},
        "ward/2/b is asked for samples 5 to 9",
    ),
    "slashes-answered": ("answer", {"request": "report/ward/2/b/1", "body": {}}, "ward/2/b reports"),
    "one-sample": (
        "answer",
        {"request": "contribute/bob/1", "body": {"m": 1, "mistakes": [0]}},
        "bob contributes 1 sample",
    ),
    "flagged": (
        "choose",
        {"hypothesis": "h", "index": 1, "mistakes": [5, 2], "m": 9, "withheld": {"bob": "?", "eve": "?"}},
        "'h' is chosen, wrong on 2 of 9 samples; flagged: bob, eve",
    ),
    "nobody": ("plan", {"plan": {"cost": 0, "contributions": {"bob": 0}}}, "planned, for 0: nobody anything"),
    "paid": ("pay", {"site": "bob", "statement": PAID}, "bob is paid 3 for 1 sample"),
    "pays": ("pay", {"site": "bob", "statement": PAID | {"amount": -1.5}}, "bob pays 1.5 for 1 sample"),
    "withheld": (
        "pay",
        {"site": "bob", "statement": PAID | {"amount": 0.0, "withheld": 3.0, "why": "flagged"}},
        "bob is paid 0 for 1 sample, 3 withheld: the samples do not look like what was reported",
    ),
    "lines": (
        "refuse",
        {"code": "malformed", "values": {"detail": "one\ntwo \x1b[31mred"}},
        r"not accepted: one\ntwo \x1b[31mred",
    ),
    "no-plan": (
        "stop",
        {
            "code": "no-plan",
            "values": {
                "refusal": {"code": "capacity", "agents": ["eve"], "pair": None},
                "without": {"bob": {"code": "late", "values": {"seconds": 9.0}, "step": "report"}},
            },
        },
        "stopped: no plan exists: even with everybody at capacity, eve still misses the target; "
        "raise a capacity or the tolerance; "
        "without bob (no answer within 9 s)",
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_what_an_entry_says(case):
    kind, body, line = SAID[case]
    assert say_entry(entry(kind, body)) == line


STRANGE = {
    "a-kind-of-a-later-version": ("vote", {"site": "bob"}, "{'site': 'bob'}"),
    "no-table": ("ask", ["bob"], "['bob']"),
    "nothing-in-it": ("gone", {}, "{}"),
    "an-amount-in-words": (
        "close",
        {"paid": "all of it"},
        "{'paid': 'all of it'}",
    ),
    "a-step-of-a-later-version": (
        "ask",
        {"site": "bob", "step": "vote", "body": {}},
        "{'body': {}, 'site': 'bob', 'step': 'vote'}",
    ),
    "an-answer-to-such": (
        "answer",
        {"request": "vote/bob/1", "body": {}},
        "{'body': {}, 'request': 'vote/bob/1'}",
    ),
    "long": ("vote", {"x": "y" * 200}, "{'x': '" + "y" * 50 + "..."),
}


@pytest.mark.parametrize("case", STRANGE)
def test_an_entry_that_no_run_writes_shows_its_body(case):
    kind, body, line = STRANGE[case]
    assert say_entry(entry(kind, body)) == line


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
FIELDS = ["site", "step", "body", "request", "pact", "name", "agents", "why", "plan", "cost", "contributions"]
FIELDS += ["hypothesis", "index", "mistakes", "m", "withheld", "round", "settlement", "rule", "spend"]
FIELDS += ["code", "values", "refusal", "without", "detail", "seconds", "statement", "amount"]
FIELDS += ["contributed", "paid", "have", "total", "n"]
BODIES = st.recursive(VALUES, lambda inner: st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6))


@given(st.sampled_from(KINDS), BODIES)
def test_whatever_an_entry_holds_it_says_one_line(kind, body):
    said = say_entry(entry(kind, body))
    assert said
    assert said.isprintable()


def test_what_rounding_leaves_of_a_payment_is_nothing():
    amounts = {"labelling": 0.3, "fee": 0.3, "withheld": 0.0, "amount": -4.44e-16}
    statement = {**amounts, "why": None, "contributed": 3}
    assert say_entry(entry("pay", {"site": "bob", "statement": statement})) == "bob is paid 0 for 3 samples"
    assert say_entry(entry("close", {"paid": 4.44e-16})) == "finished: 0 paid in all"
