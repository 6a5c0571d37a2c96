"""Is the simulator strong enough? A line is changed on purpose, and some seed must find it.

The same seed must fail again in the same way, and pass when the line is as it was.
"""

from dataclasses import replace

import pytest

from fedpact.protocol import messages
from fedpact.protocol.ledger import store
from fedpact.protocol.operator import decide, operator, run_state, statement
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.simulator.faults import NO_FAULTS
from fedpact.protocol.simulator.simulate_world import FailedSeedError, simulate_world
from fedpact.protocol.site import site
from mutate import mutate

SEEDS = 100
ALL = None
FOOLS = replace(NO_FAULTS, folly=0.8)
DEATHS = replace(NO_FAULTS, site_crash=0.15, death=0.6, short=1.0)
LATE = replace(NO_FAULTS, late=0.5, loss=0.3)
SERVERS = replace(NO_FAULTS, server_crash=0.05, unknown_write=0.05, zombie=0.1, confusion=0.3, late=0.2)
MUTATIONS = {
    "anybody signs": (ALL, messages, "if public is not None and not check_signature(public, value):", "if False:"),
    "counts without bounds": (
        FOOLS,
        messages,
        "not all(type(count) is int and 0 <= count <= m for count in mistakes)",
        "False",
    ),
    "answered already": (ALL, operator, "if ask.request in self.state.answered:", "if False:"),
    "somebody else's request": (
        ALL,
        operator,
        "if ask is None or (ask.site, ask.step) != (answer.site, answer.step):",
        "if ask is None:",
    ),
    "another step": (
        FOOLS,
        operator,
        "(ask.site, ask.step) != (answer.site, answer.step)",
        "ask.site != answer.site",
    ),
    "another run": (ALL, operator, "if answer.run != self.state.run:", "if False:"),
    "too late": (LATE, operator, "elif self.state.is_lost(ask):", "elif False:"),
    "more than asked": (FOOLS, operator, 'if body.m > ask.body["total"] - ask.body["have"]:', "if False:"),
    "other candidates": (FOOLS, operator, "if len(body.mistakes) != state.reports[ask.site].H:", "if False:"),
    "another's report": (FOOLS, operator, "if report.name != site:", "if False:"),
    "a shorter report": (FOOLS, operator, "if report.H != H:", "if False:"),
    "another receipt": (
        FOOLS,
        operator,
        "if body.statement != digest_of_value(state.payments[ask.site]):",
        "if False:",
    ),
    "a refusal is an answer": (FOOLS, operator, "if isinstance(body, Refused):", "if False:"),
    "impatience": (ALL, operator, "if ask.deadline <= now:", "if ask.deadline <= now + 30:"),
    "no time-out": (DEATHS, operator, "if ask.deadline <= now:", "if False:"),
    "no second try": (
        ALL,
        operator,
        'return now >= self._sent.get(ask.request, float("-inf")) + self.state.pact.retry',
        "return ask.request not in self._sent",
    ),
    "believed before it is written": (
        ALL,
        operator,
        "for entry in self.ledger.append_all(signed, run=self.state.run, at=now):\n"
        "            self.state = after(self.state, entry)",
        "for entry in self.ledger._chain(signed, run=self.state.run, at=now): "
        "self.state = after(self.state, entry)\n"
        "        self.ledger.append_all(signed, run=self.state.run, at=now)",
    ),
    "two runs at once": (
        SERVERS,
        operator,
        "if last is not None and replay(ledger.entries(start=last.seq)).status is not RunStatus.FINISHED:",
        "if False:",
    ),
    "a finished run goes on": (SERVERS, operator, "if state.status is not RunStatus.FINISHED:", "if True:"),
    "a restart forgives": (
        ALL,
        run_state,
        "({}, frozenset[str]()) if was_stopped else",
        "({}, frozenset[str]()) if True else",
    ),
    "a resume forgives nobody": (
        DEATHS,
        run_state,
        "({}, frozenset[str]()) if was_stopped else",
        "({}, frozenset[str]()) if False else",
    ),
    "a restart takes time away": (
        SERVERS,
        run_state,
        "replace(ask, asked=entry.at, deadline=entry.at + ask.deadline - ask.asked)",
        "ask",
    ),
    "samples forgotten": (DEATHS, run_state, "state.contributed.get(site, 0) + body.m", "body.m"),
    "mistakes forgotten": (DEATHS, run_state, "before + body.mistakes", "body.mistakes"),
    "short is enough": (
        DEATHS,
        run_state,
        "is_plan_current=state.is_plan_current and not is_short",
        "is_current = state.is_plan_current",
    ),
    "no plan without the lost": (
        DEATHS,
        run_state,
        'is_current = state.is_plan_current and step not in ("report", "contribute")',
        "is_current = state.is_plan_current",
    ),
    "the lost are still covered": (
        DEATHS,
        run_state,
        "if name in self.reports and name not in lost",
        "if name in self.reports",
    ),
    "less than was given": (DEATHS, decide, "at_least=have or None", "at_least=None"),
    "the lost can give more": (
        DEATHS,
        decide,
        "if name not in state.covered or name in state.exhausted:",
        "if name in state.exhausted:",
    ),
    "the short can give more": (
        DEATHS,
        decide,
        "if name not in state.covered or name in state.exhausted:",
        "if name not in state.covered:",
    ),
    "what the lost gave is lost": (
        DEATHS,
        decide,
        "if name in covered or state.contributed.get(name)]",
        "if name in covered]",
    ),
    "from the first sample again": (
        DEATHS,
        decide,
        'bodies = [(name, {"have": have, "total": total})',
        'bodies = [(name, {"have": 0, "total": total})',
    ),
    "one name for two requests": (DEATHS, decide, "number = state.asked_for(site, step) + 1", "number = 1"),
    "any candidate": (ALL, decide, "index = int(total.argmin())", "index = 0"),
    "nobody is checked": (ALL, decide, "checks.items() if check.is_flagged", "checks.items() if False"),
    "paid twice": (
        ALL,
        decide,
        "for name in state.settlement.payments if name not in state.payments]",
        'for name in state.settlement.payments if not state.asked_for(name, "pay")]',
    ),
    "who left is not paid": (
        DEATHS,
        decide,
        "for name in state.settlement.payments if name not in state.payments]",
        "for name in state.left if name not in state.payments]",
    ),
    "nobody is waited for": (
        ALL,
        decide,
        "if state.status is not RunStatus.RUNNING or state.open:",
        "if state.status is not RunStatus.RUNNING:",
    ),
    "paid though withheld": (ALL, statement, '"amount": due - withheld', '"amount": due'),
    "answers are not kept": (ALL, site, "if known is not None:", "if False:"),
    "nothing is kept": (
        ALL,
        site,
        "        self.store.save(request.run, record)\n        return said",
        "        pass\n        return said",
    ),
    "what was drawn is not kept": (DEATHS, site, 'record["drawn"] = start + len(places)', "pass"),
    "the same samples again": (
        DEATHS,
        site,
        "places = draw(site.pool, start, stop, seed=_seed_of(site, record))",
        "places = draw(site.pool, 0, stop - start, seed=_seed_of(site, record))",
    ),
    "any head will do": (
        SERVERS,
        store,
        "entries = self._chain(items, run=run, at=at)",
        "self._length, self._head = self._read_newest(); entries = self._chain(items, run=run, at=at)",
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


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_line_that_is_changed_on_purpose_is_found(name, monkeypatch):
    faults, *change = MUTATIONS[name]
    with monkeypatch.context() as changed:
        mutate(changed, *change)
        found = find(faults)
        assert found is not None, f"no seed below {SEEDS} finds it"
        with pytest.raises(FailedSeedError) as again:
            simulate_world(found.seed, faults)
    print(f"{name}: seed {found.seed}, {found.why}")
    assert (again.value.why, again.value.log) == (found.why, found.log)
    assert simulate_world(found.seed, faults).status in (RunStatus.FINISHED, RunStatus.STOPPED)
