"""Is the simulator strong enough? A node of the parsed program is changed on purpose, and some seed must find it.

The same seed must fail again in the same way, and pass when the program is as it was.
"""

from dataclasses import replace

import pytest

from fedpact.protocol.operator.run_state import RunStatus
from mutate import always, drop, mutate, never
from simulation.event_queue import NO_FAULTS
from simulation.simulate_world import FailedSeedError, simulate_world

SEEDS = 100
ALL = None
FOOLS = replace(NO_FAULTS, folly=0.8)
DEATHS = replace(NO_FAULTS, site_crash=0.15, death=0.6, short=1.0)
LATE = replace(NO_FAULTS, late=0.5, loss=0.3)
SERVERS = replace(NO_FAULTS, server_crash=0.05, unknown_write=0.05, zombie=0.1, confusion=0.3, late=0.2)
OPERATOR, STATE, DECIDE = "operator.operator:Operator.", "operator.run_state:", "operator.decide:"
SITE = "site.site:"
FORGIVEN = "({}, frozenset[str]()) if was_stopped else (state.gone, state.exhausted)"
MUTATIONS = {
    "anybody signs": (
        ALL,
        "messages:_check_sender",
        never("public is not None and not check_signature(public, value)"),
    ),
    "counts without bounds": (
        FOOLS,
        "messages:_read_contributed",
        always("all(type(count) is int and 0 <= count <= m for count in mistakes)"),
    ),
    "answered already": (ALL, OPERATOR + "receive", never("ask.request in self.state.answered")),
    "somebody else's request": (
        ALL,
        OPERATOR + "_find_ask",
        never("(ask.site, ask.step) != (answer.site, answer.step)"),
    ),
    "another step": (
        FOOLS,
        OPERATOR + "_find_ask",
        ("(ask.site, ask.step) != (answer.site, answer.step)", "ask.site != answer.site"),
    ),
    "another run": (ALL, OPERATOR + "_find_ask", never("answer.run != self.state.run")),
    "too late": (LATE, OPERATOR + "receive", never("self.state.is_lost(ask)")),
    "more than asked": (FOOLS, "operator.operator:check_body", never("body.m > asked")),
    "other candidates": (
        FOOLS,
        "operator.operator:check_body",
        never("len(body.mistakes) != H"),
    ),
    "another's report": (FOOLS, "operator.operator:_check_report", never("report.name != site")),
    "a shorter report": (FOOLS, "operator.operator:_check_report", never("report.H != H")),
    "another receipt": (
        FOOLS,
        "operator.operator:check_body",
        never("body.statement != digest_of_value(state.payments[ask.site])"),
    ),
    "a refusal is an answer": (FOOLS, OPERATOR + "_accept", never("isinstance(body, Refused)")),
    "impatience": (ALL, OPERATOR + "advance", ("ask.deadline <= now", "ask.deadline <= now + 30")),
    "no time-out": (DEATHS, OPERATOR + "advance", never("ask.deadline <= now")),
    "no second try": (
        ALL,
        OPERATOR + "_is_due",
        (
            "now >= self._sent.get(ask.request, float('-inf')) + self.state.pact.retry",
            "ask.request not in self._sent",
        ),
    ),
    "believed before it is written": (
        ALL,
        OPERATOR + "_write",
        (
            "for entry in self.ledger.append_all(signed, run=self.state.run, at=now):\n"
            "    self.state = after(self.state, entry)",
            "for entry in self.ledger._chain(signed, run=self.state.run, at=now):\n"
            "    self.state = after(self.state, entry)\n"
            "self.ledger.append_all(signed, run=self.state.run, at=now)",
        ),
    ),
    "two runs at once": (
        SERVERS,
        "operator.operator:start_run",
        never("read_run(ledger).status not in OVER"),
    ),
    "a finished run goes on": (
        SERVERS,
        "operator.operator:resume_run",
        always("state.status not in OVER"),
    ),
    "a restart forgives": (ALL, STATE + "_after_resume", (FORGIVEN, "({}, frozenset())")),
    "a resume forgives nobody": (DEATHS, STATE + "_after_resume", (FORGIVEN, "(state.gone, state.exhausted)")),
    "a restart takes time away": (SERVERS, STATE + "_after_resume", never("name in is_open")),
    "samples forgotten": (DEATHS, STATE + "_after_answer", ("state.contributed.get(site, 0) + body.m", "body.m")),
    "mistakes forgotten": (DEATHS, STATE + "_after_answer", ("before + body.mistakes", "body.mistakes")),
    "short is enough": (
        DEATHS,
        STATE + "_after_answer",
        ("state.is_plan_current and not is_short", "state.is_plan_current"),
    ),
    "no plan without the lost": (
        DEATHS,
        STATE + "_after_gone",
        always("step not in ('report', 'contribute')"),
    ),
    "the lost are still covered": (DEATHS, STATE + "RunState.covered", always("name not in lost")),
    "less than was given": (DEATHS, DECIDE + "_plan", ("have or None", "None")),
    "the lost can give more": (DEATHS, DECIDE + "_capacity", never("name not in state.covered")),
    "the short can give more": (DEATHS, DECIDE + "_capacity", never("name in state.exhausted")),
    "what the lost gave is lost": (DEATHS, DECIDE + "federation_of", never("state.contributed.get(name)")),
    "from the first sample again": (
        DEATHS,
        DECIDE + "decide",
        ("_owing(state)", "{name: {**count, 'have': 0} for name, count in _owing(state).items()}"),
    ),
    "one name for two requests": (DEATHS, DECIDE + "_ask", ("state.asked_for(site, step) + 1", "1")),
    "any candidate": (ALL, DECIDE + "_choose", ("total.argmin()", "0")),
    "nobody is checked": (ALL, DECIDE + "_choose", never("check.is_flagged")),
    "paid twice": (ALL, DECIDE + "_conclude", ("name not in state.payments", "not state.asked_for(name, 'pay')")),
    "who left is not paid": (DEATHS, DECIDE + "_conclude", ("state.settlement.payments", "state.left")),
    "nobody is waited for": (ALL, DECIDE + "decide", never("state.open")),
    "paid though withheld": (ALL, "operator.statements:make_statement", ("due - withheld", "due")),
    "answers are not kept": (ALL, SITE + "Site._answer", never("known is not None")),
    "nothing is kept": (
        ALL,
        SITE + "Site._answer",
        ("record['answers'] = {**record.get('answers', {}), request.request: said.decode()}", "record = {}"),
    ),
    "what was drawn is not kept": (
        DEATHS,
        SITE + "_do_contribute",
        drop("record['drawn'] = start + len(places)"),
    ),
    "the same samples again": (
        DEATHS,
        SITE + "_do_contribute",
        (
            "draw(site.pool, start, stop, seed=seed)",
            "draw(site.pool, 0, stop - start, seed=seed)",
        ),
    ),
    "any head will do": (
        SERVERS,
        "ledger.store:Ledger.append_all",
        (
            "entries = self._chain(items, run=run, at=at)",
            "self._length, self._head = self._read_newest()\nentries = self._chain(items, run=run, at=at)",
        ),
    ),
}


def find(faults):
    """The first seed that fails, and how."""
    for seed in range(SEEDS):
        try:
            simulate_world(seed, faults)
        except FailedSeedError as error:
            return error
    return None


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_what_is_changed_on_purpose_is_found(name, monkeypatch):
    faults, where, change = MUTATIONS[name]
    with monkeypatch.context() as changed:
        mutate(changed, where, change)
        found = find(faults)
        assert found is not None, f"no seed below {SEEDS} finds it"
        with pytest.raises(FailedSeedError) as again:
            simulate_world(found.seed, faults)
    print(f"{name}: seed {found.seed}, {found.why}")
    assert (again.value.why, again.value.log) == (found.why, found.log)
    assert simulate_world(found.seed, faults).status in (RunStatus.FINISHED, RunStatus.STOPPED)


def test_a_change_whose_place_is_not_there_is_refused(monkeypatch):
    for where, change in (
        (DECIDE + "_choose", never("nobody.is_here")),
        (DECIDE + "_no_such_function", never("True")),
        (STATE + "_after_resume", never("was_stopped")),
    ):
        with pytest.raises(AssertionError, match=" times"):
            mutate(monkeypatch, where, change)


def test_every_change_finds_its_place(monkeypatch):
    for _, where, change in MUTATIONS.values():
        with monkeypatch.context() as changed:
            mutate(changed, where, change)
