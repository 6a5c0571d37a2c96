"""What the operator does next: a pure function from the state of a run to entries of its ledger.

The mechanism of the paper (Section 5, sequence of events) is steps 1, 2, 3 and 7.

1. *Report*: everybody is asked; if the pact names no candidates, and sites turn out to compare different ones, the
run stops, since nobody but they can tell which are right. 2. *Plan*: the cheapest contributions that meet the
targets of those who are left. 3. *Contribute*: whoever owes samples is asked for them. If somebody is lost, or
delivers less than it was asked for, step 2 comes again: samples that were delivered are lower bounds of the new
plan, whoever is gone has no target any more and gives nothing more, and nobody is asked for a sample twice. Deaths
must not depend on what the samples show; then the promise of the last plan holds for those who are left, whatever
the plans before it. 4. *Choose*: each contribution is tested against its site's report
(:func:`fedpact.check_contribution`); what is flagged is not paid for and does not count. The mistake counts of all
others are added up, and a candidate with the fewest is chosen (:mod:`fedpact.protocol.operator.choose`). 5.
*Evaluate*. 6. *Settle*. 7. *Pay*: everybody has its statement, including those who left after they had
contributed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from fedpact.coded import coded, refusal_of
from fedpact.describe.candidate_list import find_difference, lists_of
from fedpact.describe.federation import Federation
from fedpact.describe.progress import on_interrupt
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError, InfeasibleError, SolverError
from fedpact.mechanism.payment.rules import RULES, read_terms
from fedpact.mechanism.payment.settle import bill, settle
from fedpact.mechanism.payment.settlement import Settlement
from fedpact.mechanism.sample_checks.check import check_contribution
from fedpact.mechanism.sample_checks.power import LARGEST_QUOTA
from fedpact.mechanism.sample_checks.result import ContributionCheck
from fedpact.plain import to_plain
from fedpact.planning.plan import plan
from fedpact.planning.result import Plan
from fedpact.protocol.operator.choose import add_up, count_in, find_disputes
from fedpact.protocol.operator.reasons import FLAGGED, Why, cut
from fedpact.protocol.operator.run_state import Ask, RunState, RunStatus
from fedpact.protocol.operator.statements import make_statement
from fedpact.protocol.pact import UNFLAGGED
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.verification import verify

Draft: TypeAlias = tuple[str, dict[str, Any]]
"""Kind and body of an entry that is to be written."""
Planner: TypeAlias = Callable[..., Plan]
plan_uncut: Planner = on_interrupt("raise")(plan)
"""An interrupt stops the run: a plan whose search was cut short must not be what people label by."""


def federation_of(state: RunState) -> Federation:
    """Return the federation that a plan is about: who is covered, and who contributed before it was gone."""
    pact, covered = state.pact, state.covered
    names = [name for name in state.reports if name in covered or state.contributed.get(name)]
    names.sort(key=pact.names.index)
    return Federation.from_reports(
        [state.reports[name] for name in names],
        epsilon=[pact.agent(name).epsilon if name in covered else 1.0 for name in names],
        delta=pact.delta,
        cost=[pact.agent(name).cost for name in names],
        capacity=[_capacity(state, name) for name in names],
        objective=pact.objective,
        guarantee=pact.guarantee,
        name=pact.name,
        hypotheses=None if pact.candidates is None else pact.candidates.names,
    )


def _capacity(state: RunState, name: str) -> int:
    if name not in state.covered or name in state.exhausted:
        return state.contributed.get(name, 0)
    return _agreed_capacity(state, name)


def _agreed_capacity(state: RunState, name: str) -> int:
    """Return what a site can give, by the pact and by its pool, as far as its counts can be checked."""
    limits = state.pact.agent(name).capacity, state.pools[name], LARGEST_QUOTA
    return min(limit for limit in limits if limit is not None)


def request_body(state: RunState, ask: Ask) -> dict[str, Any]:
    """Return what an open request says: what the ledger has of it, and what it stands for."""
    if ask.step == "pay":
        return {"statement": state.payments[ask.site]}
    return dict(ask.body)


def _find_difference(state: RunState) -> str | None:
    """Say which sites compare different candidates, beginning with those that most compare; None if all agree."""
    reports = {name: state.reports[name] for name in state.covered}
    listed = lists_of(reports)
    votes = Counter(candidates.fingerprint for _, candidates in listed)
    listed.sort(key=lambda one: -votes[one[1].fingerprint])
    found = find_difference(listed)
    sizes = {report.H: name for name, report in reports.items()}
    if found is None and len(sizes) > 1:
        (one, first), (other, second) = list(sizes.items())[:2]
        return f"{first!r} compares {one} candidates and {second!r} {other}"
    return found


def _plan(state: RunState, planner: Planner) -> Draft:
    difference = _find_difference(state)
    if difference is not None:
        return "stop", to_plain(coded(Why.CANDIDATES_DIFFER, detail=difference))
    if not state.covered:
        return "stop", to_plain(coded(Why.NOBODY_LEFT, without=state.gone))
    try:
        fed = federation_of(state)
        have = {name: count for name, count in state.contributed.items() if count}
        found = planner(fed, state.pact.method, confidence=state.pact.confidence, at_least=have or None)
        if state.pact.withstands_liar:
            found = _plan_without_each(state, fed, found, planner)
        found = replace(found, too_few_points=None)  # capacities are what sites can label; the others draw afresh
        if state.pact.fee is not None:
            settle(fed, found, state.pact.rule, fee=_fees(state, fed))
        due = 0.0
        if RULES[state.pact.rule].is_partial or state.budget is not None:  # it has to say so before anybody labels
            due = sum(max(payment, 0.0) for payment in _bill(state, found).payments.values())
    except (InfeasibleError, FederationError, SolverError) as error:
        refusal = refusal_of(error)
        said = {"detail": cut(str(error))} if refusal.code == "not-applicable" else {}
        return "stop", to_plain(coded(Why.NO_PLAN, without=state.gone, refusal=refusal, **said))
    if state.budget is not None and exceeds(due, state.budget):
        samples = sum(found.contributions.values())
        why = coded(Why.OVER_BUDGET, samples=samples, cost=due, budget=state.budget)
        return "stop", {**to_plain(why), "plan": found.to_dict()}
    return "plan", {"plan": found.to_dict()}


def _plan_without_each(state: RunState, fed: Federation, found: Plan, planner: Planner) -> Plan:
    """Ask for what is needed whoever of the sites lies, that is for the others without its samples."""
    m = found.m
    for liar in fed.names if fed.k > 1 else ():
        others = fed.replace(
            epsilon=[
                1.0 if name == liar else epsilon for name, epsilon in zip(fed.names, fed.epsilon, strict=True)
            ],
            capacity=[0 if agent.name == liar else agent.capacity for agent in fed.agents],
        )
        have = {name: count for name, count in state.contributed.items() if count and name != liar}
        plan_of_others = planner(
            others, state.pact.method, confidence=state.pact.confidence, at_least=have or None
        )
        m = np.maximum(m, [plan_of_others.contributions.get(name, 0) for name in fed.names])
    at_least = dict(zip(fed.names, m.tolist(), strict=True))
    return planner(fed, state.pact.method, confidence=state.pact.confidence, at_least=at_least)


def _fees(state: RunState, fed: Federation) -> list[float] | None:
    """Return what each pays for taking part; who left before its target was met has no part, and pays nothing."""
    if state.pact.fee is None:
        return None
    return [state.pact.fee[name] if name in state.covered else 0.0 for name in fed.names]


def _owing(state: RunState) -> dict[str, dict[str, int]]:
    """Sites that owe samples: how many they have delivered, and how many the plan wants in all."""
    assert state.plan is not None, "nobody owes samples before there is a plan"
    wanted = state.plan.contributions
    counts = {name: {"have": state.contributed.get(name, 0), "total": wanted.get(name, 0)} for name in state.left}
    return {name: count for name, count in counts.items() if count["total"] > count["have"]}


def _choose(state: RunState) -> Draft:
    H = next(iter(state.reports.values())).H
    checks = {name: _check_site(state, name) for name, m in state.contributed.items() if m}
    flagged = [name for name, check in checks.items() if check.is_flagged]
    is_careful = state.pact.choice == UNFLAGGED
    given = {name: counts for name, counts in state.mistakes.items() if state.contributed.get(name)}
    names = count_in(given, flagged if is_careful else ())
    total, fed = add_up(given, names, H), federation_of(state)
    index = int(total.argmin())
    chosen = {
        "index": index,
        "hypothesis": fed.evidence.hypotheses[index],
        "mistakes": total.tolist(),
        "m": sum(state.contributed[name] for name in names),
        "checks": {name: check.to_dict() for name, check in checks.items()},
        "withheld": dict.fromkeys(flagged, FLAGGED),
    }
    if is_careful:
        sure = fed if state.pact.confidence is None else at_confidence(fed, state.pact.confidence)
        doubts = {
            "disputed": to_plain(find_disputes(sure, given, names, index)),
            "unproved": _find_unproved(state, fed, names),
        }
        chosen |= {key: found for key, found in doubts.items() if found}
    return "choose", chosen


def _find_unproved(state: RunState, fed: Federation, names: Sequence[str]) -> list[str]:
    """Sites whose targets the samples that count do not prove any more."""
    if all(name in names for name, count in state.contributed.items() if count):
        return []
    m = {name: state.contributed.get(name, 0) if name in names else 0 for name in fed.names}
    seen = verify(fed, m, how="bounds", confidence=state.pact.confidence)
    return [name for name in state.covered if not seen.met[name]]


def _check_site(state: RunState, name: str) -> ContributionCheck:
    """Test what a site contributed against its report."""
    return check_contribution(
        state.reports[name],
        mistakes=state.mistakes[name],
        m=state.contributed[name],
        false_alarm_rate=state.pact.false_alarm_rate,
        distinct=state.pools[name] is not None,
    )


def _bill(state: RunState, found: Plan) -> Settlement:
    """Pay for a plan, whoever could give no more; who left bears no part of what it costs."""
    fed = federation_of(state)
    fed = fed.replace(capacity=[_agreed_capacity(state, name) for name in fed.names])
    sharing = np.array([name in state.covered for name in fed.names])
    plan_of_fed = replace(found, federation=fed.fingerprint)
    return bill(fed, plan_of_fed, read_terms(fed, state.pact.rule, fee=_fees(state, fed)), sharing=sharing)


def _ask(state: RunState, now: float, step: str, bodies: Mapping[str, dict[str, Any]]) -> list[Draft]:
    """Ask sites for something, each with what it has to know for that."""
    deadline = now + state.pact.patience[step]
    names = {site: f"{step}/{site}/{state.asked_for(site, step) + 1}" for site in bodies}
    return [
        ("ask", {"request": names[site], "site": site, "step": step, "body": body, "deadline": deadline})
        for site, body in bodies.items()
    ]


def decide(state: RunState, now: float, *, planner: Planner = plan_uncut) -> list[Draft]:
    """Return the entries to write next; none if the run is over or waits for answers.

    ``planner`` is called as :func:`fedpact.plan` is.
    """
    if state.status is not RunStatus.RUNNING or state.open:
        return []
    fresh = [name for name in state.left if name not in state.reports]
    if fresh:
        expected = None if state.pact.candidates is None else state.pact.candidates.fingerprint
        return _ask(state, now, "report", {name: {"candidates": expected} for name in fresh})
    if not state.is_plan_current and state.chosen is None:
        return [_plan(state, planner)]
    if state.chosen is None:
        return _ask(state, now, "contribute", _owing(state)) or [_choose(state)]
    return _conclude(state, now)


def _conclude(state: RunState, now: float) -> list[Draft]:
    """Evaluate, settle, pay, close."""
    unseen = [name for name in state.left if not state.asked_for(name, "evaluate")]
    if unseen:
        return _ask(state, now, "evaluate", {name: {"index": state.chosen} for name in unseen})
    if state.settlement is None:
        assert state.plan is not None, "nothing is chosen before there is a plan"
        return [("settle", {"settlement": _bill(state, state.plan).to_dict()})]
    unpaid = [name for name in state.settlement.payments if name not in state.payments]
    if unpaid:
        return [_pay(state, state.settlement, name, now) for name in unpaid]
    unsent = [name for name in state.payments if not state.asked_for(name, "pay")]
    if unsent:
        return _ask(state, now, "pay", {name: {} for name in unsent})
    paid = sum(statement["amount"] for statement in state.payments.values())
    return [("close", {"paid": float(paid)})]


def _pay(state: RunState, found: Settlement, site: str, now: float) -> Draft:
    due, labelling, fee = found.payments[site], found.labelling[site], found.fees[site]
    statement = make_statement(state, site, now, due=due, labelling=labelling, fee=fee)
    return "pay", {"site": site, "statement": statement}
