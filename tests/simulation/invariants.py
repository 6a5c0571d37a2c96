"""What must hold in a run after every step, whatever goes wrong; read from the ledger's entries alone.

The checks are written against the entries as an auditor would read them, not with the code that runs the protocol:

1. nobody is asked twice for the same samples, and nobody is asked who is gone or can give no more;
2. every answer is to a request, the only one to it, and signed by the site that was asked; an honest site's
   mistake counts are those of its own samples, each counted once;
3. nobody is given up before its time without having refused, or answered what cannot be used; and an honest site
   does neither;
4. every plan meets the targets of all who are left, by the exact engine on the true distributions, asks nobody for
   less than it has given, and nothing more of those who are gone; a run stops only if somebody cannot give more;
5. when a candidate is chosen, what was given meets these targets, nobody has fewer mistakes, and whoever the check
   flags is withheld from;
6. nobody is paid twice, and everybody has a statement under the operator's signature of what it has given and is
   paid: under ``pwyc`` its cost, less its fee, or nothing if the check flagged it and it owes nothing itself.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact import formats
from fedpact.errors import ProtocolError
from fedpact.mechanism.sample_checks.check import check_contribution
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.signing import check_signature
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.operator.run_state import parse_report
from simulation.truth import Truth


class InvariantError(ProtocolError):
    """Something does not hold that must."""


def insist(condition: object, what: str) -> None:
    """Raise unless something holds."""
    if not condition:
        raise InvariantError(what)


@dataclass(slots=True)
class RunAudit:
    """Reads a run's entries as they are written, and raises as soon as something is wrong."""

    truth: Truth
    run: str
    pact: Mapping[str, Any]
    asks: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    deadlines: dict[str, float] = field(default_factory=dict)
    answers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    reports: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    mistakes: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)
    gone: dict[str, str] = field(default_factory=dict)
    unreached: set[str] = field(default_factory=set)
    withheld: Mapping[str, str] = field(default_factory=dict)
    paid: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    last: str = "open"

    @property
    def covered(self) -> tuple[str, ...]:
        """Whose targets count."""
        lost = {site for site, step in self.gone.items() if step in ("report", "contribute")}
        return tuple(name for name in self.truth.names if name in self.reports and name not in lost)

    def read(self, entry: Entry) -> None:
        """Take one more entry."""
        insist(self.last != "close", "something was written after the run was closed")
        insist(self.last != "stop" or entry.kind == "resume", "a run that stopped went on without being resumed")
        if entry.kind in _READERS:
            _READERS[entry.kind](self, entry)
        self.last = entry.kind

    def is_open(self, request: str) -> bool:
        """Whether a request still waits for its answer."""
        ask = self.asks[request]
        is_lost = ask["site"] in (self.unreached if ask["step"] == "pay" else self.gone)
        return request not in self.answers and not is_lost

    def _ask(self, entry: Entry) -> None:
        body, site = entry.body, entry.body["site"]
        insist(body["request"] not in self.asks, f"{body['request']} was asked twice")
        insist(body["step"] == "pay" or site not in self.gone, f"{site} is gone and was asked")
        if body["step"] == "contribute":
            self._ask_samples(site, body["body"]["have"], body["body"]["total"])
        self.asks[body["request"]] = body
        self.deadlines[body["request"]] = body["deadline"]

    def _ask_samples(self, site: str, first: int, last: int) -> None:
        insist(last > first, f"{site} was asked for nothing")
        insist(site not in self.short, f"{site} can give no more, and was asked for more")
        insist(first == self.given.get(site, 0), f"{site} has given {self.given.get(site, 0)}, not {first}")
        for name, ask in self.asks.items():
            if ask["site"] == site and ask["step"] == "contribute":
                end = ask["body"]["have"] + self.answers[name]["m"] if name in self.answers else None
                insist(end is not None and end <= first, f"{site} was asked twice for the same samples")

    def _answer(self, entry: Entry) -> None:
        name, body = entry.body["request"], entry.body["body"]
        insist(name in self.asks, "an answer to nothing")
        ask = self.asks[name]
        site = ask["site"]
        insist(name not in self.answers, f"{name} was answered twice")
        insist(self.is_open(name), f"{site} is gone and was listened to")
        insist(self._is_signed(name, entry), f"{site} did not say that")
        self.answers[name] = body
        if ask["step"] == "report":
            self._take_report(site, body)
        if ask["step"] == "contribute":
            self._take_mistakes(site, ask["body"], body)
        if ask["step"] == "pay":
            insist(body["statement"] == digest_of_value(self.paid[site]), f"{site} has a receipt for another sum")

    def _take_report(self, site: str, body: Mapping[str, Any]) -> None:
        report = parse_report(base64.b64decode(body["report"]))
        insist((report.name, report.H) == (site, self.truth.H), f"{site} has reported for another, or on others")
        insist(self.truth.is_own_report(site, body), f"the ledger has another report of {site}")
        self.reports[site] = body

    def _take_mistakes(self, site: str, asked: Mapping[str, int], body: Mapping[str, Any]) -> None:
        m, mistakes = body["m"], body["mistakes"]
        is_possible = m <= asked["total"] - asked["have"] and len(mistakes) == self.truth.H
        insist(is_possible and all(0 <= count <= m for count in mistakes), f"{site} said what cannot be")
        is_own = self.truth.are_own_mistakes(site, asked, body)
        insist(is_own, f"these are not the mistakes on the samples of {site} that it was asked for")
        if m < asked["total"] - asked["have"]:
            self.short.add(site)
        self.given[site] = self.given.get(site, 0) + m
        self.mistakes[site] = self.mistakes.get(site, 0) + np.array(mistakes)

    def _is_signed(self, request: str, entry: Entry) -> bool:
        ask = self.asks[request]
        said = {"protocol": formats.MESSAGE, "run": entry.run, "request": request, "site": ask["site"]}
        said |= {"step": ask["step"], "body": entry.body["body"], "signature": entry.body["signature"]}
        return check_signature(self.pact["keys"][ask["site"]], said)

    def _gone(self, entry: Entry) -> None:
        site, step, why = entry.body["site"], entry.body["step"], entry.body["code"]
        waiting = [name for name, ask in self.asks.items() if ask["site"] == site and self.is_open(name)]
        insist(len(waiting) == 1, f"{site} was given up with {len(waiting)} requests that it owes an answer to")
        if why == "late":
            insist(entry.at >= self.deadlines[waiting[0]], f"{site} was given up before its time")
        else:
            insist(site not in self.truth.honest, f"{site} is honest and was given up: {why}")
        if step == "pay":
            self.unreached.add(site)
        else:
            self.gone[site] = step

    def _resume(self, entry: Entry) -> None:
        if self.last == "stop":
            self.gone, self.short = {}, set()
        for name in self.asks:
            if self.is_open(name):
                self.deadlines[name] = entry.at + self.pact["patience"][self.asks[name]["step"]]

    def _plan(self, entry: Entry) -> None:
        planned = entry.body["plan"]["contributions"]
        for name in self.truth.names:
            wanted, count = planned.get(name, 0), self.given.get(name, 0)
            insist(wanted >= count, f"the plan asks {name} for less than it has given")
            insist(name in self.covered or wanted == count, f"the plan asks {name}, who is gone, for more")
        self._insist_on_targets(planned, "the plan")

    def _insist_on_targets(self, m: Mapping[str, int], what: str) -> None:
        enough = self.truth.is_enough(self.covered, tuple(m.get(name, 0) for name in self.truth.names))
        insist(enough, f"{what} {dict(m)} does not meet the targets of {self.covered}")

    def _stop(self, entry: Entry) -> None:
        is_limited = [name in self.short or self.truth.is_limited(name) for name in self.covered]
        insist(not is_limited or any(is_limited), "the run stopped though everybody who is left can give more")

    def _choose(self, entry: Entry) -> None:
        self._insist_on_targets(self.given, "what was given,")
        if self.mistakes:
            total = np.sum(list(self.mistakes.values()), axis=0)
            insist(total[entry.body["index"]] == total.min(), "another candidate has fewer mistakes")
        self.withheld = entry.body["withheld"]
        flagged = {name for name, count in self.given.items() if count and self._is_flagged(name)}
        insist(set(self.withheld) == flagged, f"the check flags {sorted(flagged)}, not {sorted(self.withheld)}")

    def _is_flagged(self, site: str) -> bool:
        body = self.reports[site]
        report = parse_report(base64.b64decode(body["report"]))
        is_distinct = body["pool"] is not None
        found = check_contribution(
            report,
            mistakes=self.mistakes[site],
            m=self.given[site],
            false_alarm_rate=self.pact["false_alarm_rate"],
            distinct=is_distinct,
        )
        return found.is_flagged

    def _pay(self, entry: Entry) -> None:
        site, statement = entry.body["site"], entry.body["statement"]
        count = self.given.get(site, 0)
        insist(site not in self.paid, f"{site} was paid twice")
        insist(statement["contributed"] == count, f"{site} gave {count}, and its statement says otherwise")
        insist(site in self.withheld or not statement["withheld"], f"{site} is withheld from, and was not flagged")
        if self.pact["rule"] == "pwyc":
            self._insist_on_due(site, count, statement)
        insist(check_signature(self.pact["operator"], statement), f"the statement of {site} is not signed")
        self.paid[site] = statement

    def _insist_on_due(self, site: str, count: int, statement: Mapping[str, Any]) -> None:
        """Insist on what pay-what-you-contribute says; what other rules say is in the books."""
        fee = self.pact["fee"][site] if self.pact["fee"] is not None and site in self.covered else 0.0
        due = self.truth.cost(site, count) - fee
        withheld = max(due, 0.0) if site in self.withheld else 0.0
        insist(abs(statement["amount"] - due + withheld) < 1e-9, f"{site} is owed {due - withheld:g}")
        insist(abs(statement["withheld"] - withheld) < 1e-9, f"{site}: {withheld:g} is withheld")

    def _close(self, entry: Entry) -> None:
        owed = {name for name, count in self.given.items() if count} | set(self.covered)
        insist(owed == set(self.paid), f"not paid: {sorted(owed - set(self.paid))}")
        told = {self.asks[name]["site"] for name in self.answers if self.asks[name]["step"] == "pay"}
        insist(told | self.unreached >= set(self.paid), "the run was closed before everybody had its statement")
        total = sum(statement["amount"] for statement in self.paid.values())
        insist(abs(entry.body["paid"] - total) < 1e-9, f"{total:g} was paid in all")


_READERS: Mapping[str, Callable[[RunAudit, Entry], None]] = {
    "ask": RunAudit._ask,
    "answer": RunAudit._answer,
    "gone": RunAudit._gone,
    "resume": RunAudit._resume,
    "plan": RunAudit._plan,
    "stop": RunAudit._stop,
    "choose": RunAudit._choose,
    "pay": RunAudit._pay,
    "close": RunAudit._close,
}
