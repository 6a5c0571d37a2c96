"""Reads the entries of one run as an auditor would: what must hold between them, whoever wrote them.

1. The run opens once, under the name that follows from its pact, and nothing but a refusal follows when it is
   closed. Entries stand in an order in which they can have been written
   (:mod:`fedpact.protocol.operator.check_order`).
2. Every request has a name of its own and the time that was agreed on, goes to a site of the pact that is not
   gone, and asks for samples that follow those the site has given, up to what the plan says; so nobody is
   asked twice for the same samples. Nobody is given up who owes no answer, or for being late before its time
   has passed.
3. Every answer is to a request, the only one to it, is just what its digest says, and carries the signature of
   the site that was asked, if the pact has a key of it.
4. Plan and choice follow from what the sites said
   (:mod:`fedpact.protocol.operator.check_decisions`): a contribution is withheld from payment if its check
   flagged it, and only then, and the check says so if it is done again.
5. Nobody is paid twice; settlement and statements follow from what was contributed by the rule
   (:mod:`fedpact.protocol.operator.check_payments`). Who was settled with is paid before the run closes. A
   receipt is for the statement.

The code that runs the protocol is not used here, except to read one answer, to name a run and to write a time.

What no reader of the books can know: whether a site that is said to be late or to refuse was, whether requests
said what the books say of them, and, for whoever has not noted it elsewhere, whether the keys in the pact are
the sites' and all of it happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fedpact.coded import Coded, coded
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.costs import read_cost
from fedpact.describe.numbers import shorten
from fedpact.describe.report_files import from_bytes
from fedpact.errors import FedpactError
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.signing import check_signature
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.ledger.form import MALFORMED
from fedpact.protocol.messages import Contributed, Evaluated, Receipt, Reported, read_body, signed_answer
from fedpact.protocol.operator.check_decisions import check_choice, check_plan
from fedpact.protocol.operator.check_order import check_order, name_of
from fedpact.protocol.operator.check_payments import check_settlement, check_statement, find_dues
from fedpact.protocol.operator.reasons import Why
from fedpact.protocol.operator.run_facts import RunFacts, is_near
from fedpact.protocol.pact import name_run


def _fingerprint(listed: Mapping[str, Any] | None) -> str | None:
    """Return the fingerprint of the candidates that a pact lists, if it does."""
    if listed is None:
        return None
    return CandidateList(names=tuple(listed["names"]), digests=tuple(listed["digests"])).fingerprint


class RunBooks:
    """What the entries of a run say so far, and whether it holds."""

    def __init__(self) -> None:
        self.facts = RunFacts()
        self.paid: dict[str, float] = {}
        self.signed = 0
        """Signatures that are good."""
        self.unsigned = 0
        """Answers and statements of those who have no key."""
        self.followed = 0
        """Payments that follow from the contributions by the rule."""
        self._dues: Mapping[str, float] = {}

    def read(self, entry: Entry) -> list[Coded]:
        """Read the next entry of the run; returns what is wrong with it."""
        is_known, facts = entry.kind in _READERS, self.facts
        if entry.kind != "open" and not facts.pact:
            return [coded("not-opened")] if is_known else []
        if facts.is_closed and entry.kind != "refuse":
            return [coded("after-close")]
        if not is_known:
            return [coded("unknown-kind", found=shorten(entry.kind))]
        found: list[Coded] = []
        try:
            found.extend(self._read(entry))
        except (FedpactError, *MALFORMED) as error:
            found.append(coded("malformed", kind=entry.kind, detail=repr(error)))
        return found

    def _read(self, entry: Entry) -> Iterator[Coded]:
        if self.facts.pact:
            yield from check_order(self.facts, entry)
        yield from _READERS[entry.kind](self, entry)
        self.facts.last = name_of(entry)

    def _open(self, entry: Entry) -> Iterator[Coded]:
        facts, pact = self.facts, entry.body["pact"]
        if facts.pact:
            yield coded("opened-twice")
            return
        if entry.run != name_run(pact, previous=entry.previous, at=entry.at):
            yield coded("other-name")
        facts.costs = {agent["name"]: read_cost(agent["cost"]) for agent in pact["agents"]}
        facts.given = dict.fromkeys(facts.costs, 0)
        facts.pact, facts.opened = pact, entry.at

    def _ask(self, entry: Entry) -> Iterator[Coded]:
        facts, body = self.facts, entry.body
        name, site, step = body["request"], body["site"], body["step"]
        if name in facts.asks:
            yield coded("asked-twice", request=name)
        if site not in facts.given:
            yield coded("stranger-asked", site=site)
            return
        if step != "pay" and site in facts.gone:
            yield coded("gone-asked", site=site)
        if body["deadline"] != entry.at + facts.pact["patience"][step]:
            yield coded("other-deadline", site=site)
        yield from self._check_question(site, step, body["body"])
        facts.asks[name], facts.asked_at[name], facts.deadlines[name] = body, entry.at, body["deadline"]
        facts.open[name] = site

    def _check_question(self, site: str, step: str, body: Mapping[str, Any]) -> Iterator[Coded]:
        facts = self.facts
        match step:
            case "report" if body != {"candidates": _fingerprint(facts.pact["candidates"])}:
                yield coded("asked-other-candidates", site=site)
            case "contribute":
                yield from self._check_samples(site, body["have"], body["total"])
            case "evaluate" if facts.chosen is not None and body["index"] != facts.chosen["index"]:
                yield coded("asked-other-candidate", site=site)

    def _check_samples(self, site: str, first: int, last: int) -> Iterator[Coded]:
        facts, planned = self.facts, self.facts.planned or {}
        if site not in facts.reports:
            yield coded("asked-before-report", site=site)
        if last <= first:
            yield coded("asked-nothing", site=site)
        if any(name not in facts.delivered for name, _ in facts.asks_for_samples(site)):
            yield coded("same-samples", site=site)
        if first != facts.given[site]:
            yield coded("other-given", site=site, given=facts.given[site], found=first)
        if last > planned.get(site, 0):
            yield coded("beyond-plan", site=site, asked=last, planned=planned.get(site, 0))

    def _answer(self, entry: Entry) -> Iterator[Coded]:
        facts, name, body = self.facts, entry.body["request"], entry.body["body"]
        ask = facts.asks.get(name)
        if ask is None:
            yield coded("answer-to-nothing")
            return
        site, step = ask["site"], ask["step"]
        if name in facts.answered_at:
            yield coded("answered-twice", request=name)
        elif name not in facts.open:
            yield coded("gone-heard", site=site)
        if entry.body["digest"] != digest_of_value(body):
            yield coded("other-digest", site=site)
        signature = entry.body["signature"]
        said = signed_answer(run=entry.run, request=name, site=site, step=step, body=body, signature=signature)
        yield from self._signature(facts.pact["keys"].get(site), said, coded("not-signed", site=site))
        facts.answered_at[name] = entry.at
        facts.open.pop(name, None)
        yield from self._take(name, ask, body)

    def _signature(self, public: str | None, value: Mapping[str, Any], problem: Coded) -> Iterator[Coded]:
        if public is None:
            self.unsigned += 1
        elif check_signature(public, dict(value)):
            self.signed += 1
        else:
            yield problem

    def _take(self, name: str, ask: Mapping[str, Any], body: Any) -> Iterator[Coded]:
        facts, site = self.facts, ask["site"]
        match read_body(ask["step"], body):
            case Reported() as said:
                facts.reports[site], facts.pools[site] = from_bytes(said.report, "report"), said.pool
                if facts.reports[site].name != site or (said.pool or 0) > facts.reports[site].n:
                    yield coded("report-of-another", site=site)
            case Contributed() as said:
                yield from self._take_samples(name, ask, said)
            case Evaluated() as said:
                facts.evaluated[site] = said
            case Receipt() as said:
                if said.statement != digest_of_value(facts.statements.get(site)):
                    yield coded("other-receipt", site=site)
            case _:
                yield coded("no-answer", site=site)

    def _take_samples(self, name: str, ask: Mapping[str, Any], said: Contributed) -> Iterator[Coded]:
        facts, site, asked = self.facts, ask["site"], ask["body"]["total"] - ask["body"]["have"]
        if said.m > asked:
            yield coded("gave-more", site=site)
        if said.m < asked:
            facts.short.add(site)
        facts.given[site] += said.m
        facts.delivered[name] = said.m
        facts.mistakes[site] = facts.mistakes.get(site, 0) + said.mistakes

    def _pass(self, entry: Entry) -> Iterator[Coded]:
        yield from ()

    def _gone(self, entry: Entry) -> Iterator[Coded]:
        facts, site, step = self.facts, entry.body["site"], entry.body["step"]
        if site not in facts.given:
            yield coded("stranger-lost", site=site)
            return
        owed = [name for name in facts.open if facts.open[name] == site and facts.asks[name]["step"] == step]
        if not owed:
            yield coded("owed-nothing", site=site, step=step)
        if entry.body["code"] == Why.LATE and any(entry.at < facts.deadlines[name] for name in owed):
            yield coded("given-up-early", site=site)
        if step != "pay":
            facts.gone[site] = {key: entry.body[key] for key in ("step", "code", "values")}
        for name in owed:
            del facts.open[name]

    def _stop(self, entry: Entry) -> Iterator[Coded]:
        self.facts.is_stopped = True
        yield from ()

    def _resume(self, entry: Entry) -> Iterator[Coded]:
        """Everybody has its whole time again; after a stop, also who was gone."""
        facts = self.facts
        if facts.is_stopped:
            facts.gone, facts.short, facts.is_stopped = {}, set(), False
            facts.open = {name: ask["site"] for name, ask in facts.asks.items() if name not in facts.answered_at}
        for name in facts.open:
            facts.deadlines[name] = entry.at + facts.pact["patience"][facts.asks[name]["step"]]
        yield from ()

    def _plan(self, entry: Entry) -> Iterator[Coded]:
        plan = entry.body["plan"]
        self.facts.planned = dict(plan["contributions"])
        yield from check_plan(self.facts, plan)

    def _choose(self, entry: Entry) -> Iterator[Coded]:
        self.facts.chosen = entry.body
        yield from check_choice(self.facts, entry.body)

    def _settle(self, entry: Entry) -> Iterator[Coded]:
        facts = self.facts
        facts.settlement, facts.settled = entry.body["settlement"], entry.at
        self._dues = find_dues(facts)
        yield from check_settlement(facts, entry.body["settlement"], self._dues)

    def _pay(self, entry: Entry) -> Iterator[Coded]:
        facts, site, statement = self.facts, entry.body["site"], entry.body["statement"]
        if site in self.paid:
            yield coded("paid-twice", site=site)
        if site not in self._dues:
            yield coded("not-settled", site=site)
            return
        public = facts.pact["operator"]
        yield from self._signature(public, statement, coded("statement-not-signed", site=site))
        facts.statements[site] = statement
        problems = list(check_statement(facts, entry, self._dues[site]))
        self.followed += not problems
        yield from problems
        self.paid[site] = float(statement["amount"])

    def _close(self, entry: Entry) -> Iterator[Coded]:
        self.facts.is_closed = True
        unpaid = sorted(set(self._dues) - set(self.paid))
        if unpaid:
            yield coded("not-paid", sites=unpaid)
        if not is_near(entry.body["paid"], sum(self.paid.values())):
            yield coded("other-total", paid=sum(self.paid.values()), found=entry.body["paid"])


_READERS: Mapping[str, Callable[[RunBooks, Entry], Iterator[Coded]]] = {
    "open": RunBooks._open,
    "ask": RunBooks._ask,
    "answer": RunBooks._answer,
    "gone": RunBooks._gone,
    "refuse": RunBooks._pass,
    "stop": RunBooks._stop,
    "resume": RunBooks._resume,
    "plan": RunBooks._plan,
    "choose": RunBooks._choose,
    "settle": RunBooks._settle,
    "pay": RunBooks._pay,
    "close": RunBooks._close,
}
