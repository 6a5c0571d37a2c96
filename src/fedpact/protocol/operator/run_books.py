"""Reads the entries of one run as an auditor would: what must hold between them, whoever wrote them.

1. The run opens once, with its pact, and nothing but a refusal follows when it is closed. Whatever else a ledger
   holds is none of its business.
2. Every request has a name of its own, goes to a site of the pact that is not gone, and asks for samples that
   follow those the site has given, up to what the plan says; so nobody is asked twice for the same samples.
3. Every answer is to a request, the only one to it, is just what its digest says, and carries the signature
   of the site that was asked, if the pact has a key of it.
4. The chosen candidate has the fewest mistakes of all that was contributed; a contribution is withheld from
   payment if its check flagged it, and only then, and the check says so if it is done again.
5. Nobody is paid twice; a statement is about this run and pact, is signed by the operator, and says what was
   contributed; its amount follows from that by the rule, or is nothing if withheld, unless the site owes. Who
   contributed is paid before the run closes. A receipt is for the statement.

The code that runs the protocol is not used here, except to read one answer, to add up one cost and to check one
contribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.costs import Cost, read_cost
from fedpact.describe.numbers import shorten
from fedpact.describe.report_files import from_bytes
from fedpact.errors import FedpactError
from fedpact.mechanism.contribution.check_mistakes import check_mistakes
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.signing import check_signature
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.messages import Contributed, Reported, read_body, signed_answer

_TOL = 1e-9
_UNREADABLE = (FedpactError, KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError)
"""What goes wrong where an entry does not have the form that its kind has."""


def _is_near(found: Any, wanted: float) -> bool:
    return abs(float(found) - wanted) <= _TOL * max(1.0, abs(wanted))


class RunBooks:
    """What the entries of a run say so far, and whether it holds."""

    def __init__(self) -> None:
        self.pact: Mapping[str, Any] = {}
        self.costs: dict[str, Cost] = {}
        self.asks: dict[str, Mapping[str, Any]] = {}
        self.answered: set[str] = set()
        self.reported: set[str] = set()
        self.given: dict[str, int] = {}
        """Site -> samples that it has labelled."""
        self.gone: dict[str, str] = {}
        """Site -> the step in which it was lost."""
        self.withheld: Mapping[str, str] = {}
        self.paid: dict[str, float] = {}
        self.is_closed = False
        self.signed = 0
        """Signatures that are good."""
        self.unsigned = 0
        """Answers and statements of those who have no key."""
        self.followed = 0
        """Payments that follow from the contributions by the rule."""
        self._mistakes: NDArray[np.int64] | None = None
        self._mistakes_of: dict[str, NDArray[np.int64]] = {}
        self._reports: dict[str, Reported] = {}
        self._waiting: dict[str, str] = {}
        self._planned: Mapping[str, int] = {}
        self._settled: Mapping[str, float] | None = None
        self._digests: dict[str, str] = {}
        self._is_stopped = False

    def read(self, entry: Entry) -> list[str]:
        """Read the next entry of the run; returns what is wrong with it."""
        is_known = entry.kind in _READERS
        if entry.kind != "open" and not self.pact:
            return [f"run {entry.run} was not opened"] if is_known else []
        if self.is_closed and entry.kind != "refuse":
            return ["something follows after the run was closed"]
        if not is_known:
            return [f"entries of kind {shorten(entry.kind)} are none of a run"]
        try:
            return list(_READERS[entry.kind](self, entry))
        except _UNREADABLE as error:
            return [f"an entry of kind {entry.kind!r} has another form than it should: {error!r}"]

    def _open(self, entry: Entry) -> Iterator[str]:
        if self.pact:
            yield "a run was opened twice"
            return
        pact = entry.body["pact"]
        self.costs = {agent["name"]: read_cost(agent["cost"]) for agent in pact["agents"]}
        self.given = dict.fromkeys(self.costs, 0)
        self.pact = pact

    def _ask(self, entry: Entry) -> Iterator[str]:
        body = entry.body
        name, site, step = body["request"], body["site"], body["step"]
        if name in self.asks:
            yield f"{name} was asked twice"
        if site not in self.given:
            yield f"{site!r} is not in the pact and was asked"
        elif step != "pay" and site in self.gone:
            yield f"{site} is gone and was asked"
        elif step == "contribute":
            yield from self._ask_for_samples(body["body"], site)
            self._waiting[site] = name
        self.asks[name] = body

    def _ask_for_samples(self, body: Mapping[str, Any], site: str) -> Iterator[str]:
        first, last = body["have"], body["total"]
        if last <= first:
            yield f"{site} was asked for nothing"
        if site in self._waiting:
            yield f"{site} was asked twice for the same samples"
        if first != self.given[site]:
            yield f"{site} has given {self.given[site]}, not {first}"
        if last > self._planned.get(site, 0):
            yield f"{site} was asked for {last} samples, and the plan says {self._planned.get(site, 0)}"

    def _answer(self, entry: Entry) -> Iterator[str]:
        name, body = entry.body["request"], entry.body["body"]
        ask = self.asks.get(name)
        if ask is None:
            yield "an answer to nothing"
            return
        site, step = ask["site"], ask["step"]
        if name in self.answered:
            yield f"{name} was answered twice"
        if step != "pay" and site in self.gone:
            yield f"{site} is gone and was listened to"
        if entry.body["digest"] != digest_of_value(body):
            yield f"the digest of {site}'s answer is not that of what it said"
        signature = entry.body["signature"]
        said = signed_answer(run=entry.run, request=name, site=site, step=step, body=body, signature=signature)
        yield from self._signature(self.pact["keys"].get(site), said, f"{site} did not say that")
        self.answered.add(name)
        yield from self._take(ask, body)

    def _signature(self, public: str | None, value: Mapping[str, Any], problem: str) -> Iterator[str]:
        if public is None:
            self.unsigned += 1
        elif check_signature(public, dict(value)):
            self.signed += 1
        else:
            yield problem

    def _take(self, ask: Mapping[str, Any], body: Any) -> Iterator[str]:
        site, step = ask["site"], ask["step"]
        if step == "report":
            self.reported.add(site)
            said = read_body("report", body)
            if isinstance(said, Reported):
                self._reports[site] = said
        elif step == "contribute":
            yield from self._take_samples(ask, body)
        elif step == "pay" and body["statement"] != self._digests.get(site):
            yield f"{site} signed for another statement"

    def _take_samples(self, ask: Mapping[str, Any], body: Any) -> Iterator[str]:
        said, site = read_body("contribute", body), ask["site"]
        if not isinstance(said, Contributed):
            yield f"{site} gave no samples, and that was taken for a contribution"
            return
        if said.m > ask["body"]["total"] - ask["body"]["have"]:
            yield f"{site} gave more than it was asked for"
        self.given[site] += said.m
        self._mistakes = said.mistakes if self._mistakes is None else self._mistakes + said.mistakes
        self._mistakes_of[site] = self._mistakes_of.get(site, 0) + said.mistakes
        self._waiting.pop(site, None)

    def _pass(self, entry: Entry) -> Iterator[str]:
        yield from ()

    def _gone(self, entry: Entry) -> Iterator[str]:
        site, step = entry.body["site"], entry.body["step"]
        if site not in self.given:
            yield f"{site!r} is not in the pact and was lost"
        elif step != "pay":
            self.gone[site] = step

    def _stop(self, entry: Entry) -> Iterator[str]:
        self._is_stopped = True
        yield from ()

    def _resume(self, entry: Entry) -> Iterator[str]:
        if self._is_stopped:
            self.gone, self._is_stopped = {}, False
        yield from ()

    def _plan(self, entry: Entry) -> Iterator[str]:
        self._planned = dict(entry.body["plan"]["contributions"])
        for site in self._planned:
            if site not in self.given:
                yield f"the plan asks {site!r}, who is not in the pact"
        for site, count in self.given.items():
            if self._planned.get(site, 0) < count:
                yield f"the plan asks {site} for less than it has given"

    def _choose(self, entry: Entry) -> Iterator[str]:
        body, total = entry.body, self._mistakes
        if total is not None and (total[body["index"]] != total.min() or body["index"] < 0):
            yield "another candidate has fewer mistakes"
        if total is not None and body["mistakes"] != total.tolist():
            yield "the mistakes are not those that were contributed"
        if body["m"] != sum(self.given.values()):
            yield f"{sum(self.given.values())} samples were contributed, not {body['m']}"
        self.withheld = body["withheld"]
        flagged = {site for site, check in body["checks"].items() if check["is_flagged"]}
        if set(body["checks"]) != {site for site, count in self.given.items() if count}:
            yield "contributions were paid for that were not checked"
        if flagged != set(self.withheld):
            yield f"flagged is {sorted(flagged)}, and withheld from {sorted(self.withheld)}"
        for site in self._reports:
            if self.given[site] and site in body["checks"] and self._is_flagged(site) != (site in flagged):
                yield f"{site} is flagged or not, and the check of what it gave says otherwise"

    def _is_flagged(self, site: str) -> bool:
        """Check a contribution again."""
        said, m = self._reports[site], self.given[site]
        report, is_distinct = from_bytes(said.report, "report"), said.pool is not None
        level = self.pact["level"]
        return check_mistakes(report, self._mistakes_of[site], m, level=level, distinct=is_distinct).is_flagged

    def _settle(self, entry: Entry) -> Iterator[str]:
        payments = entry.body["settlement"]["payments"]
        self._settled = {site: float(amount) for site, amount in payments.items()}
        for site in self._settled:
            if site not in self.given:
                yield f"{site!r} is not in the pact and is settled with"

    def _due(self, site: str) -> float | None:
        """Return what the rule says; None if it takes more than contributions and costs to know."""
        own, has_left = float(self.costs[site](self.given[site])), self._has_left(site)
        assert self._settled is not None, "asked only of a site that was settled with"
        match self.pact["rule"]:
            case "pwyc":
                is_free = has_left or self.pact["fee"] is None
                return own - (0.0 if is_free else float(self.pact["fee"][site]))
            case "none":
                return 0.0
            case "equal-split":
                total = sum(float(self.costs[name](self.given[name])) for name in self._settled)
                return own - (0.0 if has_left else total / sum(not self._has_left(name) for name in self._settled))
        return None

    def _has_left(self, site: str) -> bool:
        """Whether a site left before its target was met; then it has no part, and bears none of the cost."""
        return self.gone.get(site) in ("report", "contribute")

    def _pay(self, entry: Entry) -> Iterator[str]:
        site, statement = entry.body["site"], entry.body["statement"]
        if site in self.paid:
            yield f"{site} was paid twice"
        if site not in self.given or self._settled is None or site not in self._settled:
            yield f"{site!r} was paid, and nothing was settled with it"
            return
        about = (statement["run"], statement["site"], statement["pact_digest"])
        if about != (entry.run, site, digest_of_value(self.pact)):
            yield f"the statement of {site} is about another run, site or pact"
        public = self.pact["operator"]
        yield from self._signature(public, statement, f"the statement of {site} is not signed by the operator")
        self._digests[site] = digest_of_value(statement)
        yield from self._check_amounts(site, statement, self._settled[site])
        self.paid[site] = float(statement["amount"])

    def _check_amounts(self, site: str, statement: Mapping[str, Any], settled: float) -> Iterator[str]:
        given, due = self.given[site], self._due(site)
        if statement["contributed"] != given:
            yield f"{site} gave {given}"
        if not _is_near(statement["labelling"], float(self.costs[site](given))):
            yield f"{given} samples of {site} cost {float(self.costs[site](given)):g}"
        wanted = settled if due is None else due
        withheld = max(wanted, 0.0) if site in self.withheld else 0.0
        if not _is_near(settled, wanted):
            yield f"{site} is owed {wanted:g}, and the settlement says {settled:g}"
        if not _is_near(statement["amount"], wanted - withheld):
            yield f"{site} is owed {wanted - withheld:g}"
        elif due is not None:
            self.followed += 1
        if not _is_near(statement["withheld"], withheld):
            yield f"{withheld:g} is withheld from {site}"
        if statement["why"] != self.withheld.get(site):
            yield f"the statement of {site} gives another reason than the check"

    def _close(self, entry: Entry) -> Iterator[str]:
        self.is_closed = True
        unpaid = sorted(site for site, count in self.given.items() if count and site not in self.paid)
        if unpaid:
            yield f"not paid: {unpaid}"
        if not _is_near(entry.body["paid"], sum(self.paid.values())):
            yield f"{sum(self.paid.values()):g} was paid in all, not {entry.body['paid']:g}"


_READERS: Mapping[str, Callable[[RunBooks, Entry], Iterator[str]]] = {
    "open": RunBooks._open,
    "ask": RunBooks._ask,
    "answer": RunBooks._answer,
    "gone": RunBooks._gone,
    "refuse": RunBooks._pass,
    "train": RunBooks._pass,
    "stop": RunBooks._stop,
    "resume": RunBooks._resume,
    "plan": RunBooks._plan,
    "choose": RunBooks._choose,
    "settle": RunBooks._settle,
    "pay": RunBooks._pay,
    "close": RunBooks._close,
}
