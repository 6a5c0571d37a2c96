"""Looks at a simulated world after every step, as an auditor would who reads the ledger and every message sent.

The chain is intact, and what stood in it stands there still; runs follow each other; nothing is sent that the
ledger does not have, and never other bytes under the same name; what an operator believes is what the ledger says,
unless somebody else has written since; and an honest site has just the statement that the ledger has.
What must hold within a run: :mod:`simulation.invariants`. At the end the books are audited once
more, as any operator's are.
"""

from __future__ import annotations

import hashlib
import json

from fedpact.protocol.ledger.entry import NOTHING_BEFORE, Entry
from fedpact.protocol.messages import read_request
from fedpact.protocol.operator.check_books import check_books
from fedpact.protocol.operator.run_state import RunState
from simulation.invariants import InvariantError, RunAudit, insist
from simulation.truth import Truth
from simulation.world import World


class Auditor:
    """Raises as soon as something is wrong in a world."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.head = NOTHING_BEFORE
        self.entries: list[Entry] = []
        self.runs: dict[str, RunAudit] = {}
        self._commits = self._checked = 0
        self._messages: dict[tuple[str, str], bytes] = {}

    def look(self, world: World) -> None:
        """Read what is new, and check it."""
        if world.disk.commits > self._commits:
            self._commits = world.disk.commits
            for row in world.disk.read(len(self.entries) + 1):
                self._read(*row)
        for site, data in world.sent[self._checked :]:
            self._check_sent(site, data)
        self._checked = len(world.sent)
        for server in world.servers.working:
            if server.operator is not None and server.operator.ledger.head == self.head:
                self._compare(server.operator.state)

    def conclude(self, world: World) -> None:
        """Check a world that is over: from the first entry on, nothing has changed since it was read."""
        again = list(world.disk.open().entries())
        insist(again == self.entries, "entries were changed after they were written")
        books = check_books(world.disk.open())
        insist(books.is_sound, "; ".join(f"{one.code} {dict(one.values)}" for one in books.problems[:1]))
        for run, audit in self.runs.items():
            for site in self.truth.honest:
                kept = world.sites[site].site.store.load(run).get("statement")
                insist(kept in (None, audit.paid.get(site)), f"{site} has another statement than the ledger")

    def _read(self, seq: int, content: str, hashed: str) -> None:
        value = json.loads(content)
        insist(seq == value["seq"] == len(self.entries) + 1, f"entry {seq} stands in the place of another")
        insist(value["previous"] == self.head, f"entry {seq} does not follow the one before it")
        insist(hashlib.sha256(content.encode()).hexdigest() == hashed, f"entry {seq} was changed")
        self.entries.append(Entry(hash=hashed, **value))
        self.head = hashed
        self._place(self.entries[-1])

    def _place(self, entry: Entry) -> None:
        """Hand an entry to its run, which is the last one opened."""
        if entry.kind == "open":
            insist(entry.run not in self.runs, "a run was opened twice")
            insist(all(audit.last == "close" for audit in self.runs.values()), "the run before is not finished")
            self.runs[entry.run] = RunAudit(truth=self.truth, run=entry.run, pact=entry.body["pact"])
        else:
            insist(self.runs and entry.run == list(self.runs)[-1], "an entry of a run that is not the last")
            self.runs[entry.run].read(entry)

    def _check_sent(self, site: str, data: bytes) -> None:
        request = read_request(data)
        audit = self.runs.get(request.run)
        if audit is None:
            raise InvariantError("a request of a run that the ledger does not have")
        insist(request.request in audit.asks, "a request was sent that the ledger does not have")
        ask = audit.asks[request.request]
        insist(
            (request.site, request.step) == (ask["site"], ask["step"]) and site == ask["site"], "sent to another"
        )
        known = self._messages.setdefault((request.run, request.request), data)
        insist(known == data, f"{request.request} was sent again, and differently")

    def _compare(self, state: RunState) -> None:
        """Insist that what the operator believes is what the ledger says."""
        audit = self.runs[state.run]
        given = {name: count for name, count in state.contributed.items() if count}
        insist(given == {name: count for name, count in audit.given.items() if count}, "believed: other samples")
        insist(dict(state.payments) == audit.paid, "the operator believes other payments than the ledger has")
        insist(
            set(state.answered) == set(audit.answers), "the operator believes other answers than the ledger has"
        )
        insist(set(state.gone) == set(audit.gone), "the operator believes others gone than the ledger says")
