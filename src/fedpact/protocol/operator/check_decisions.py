"""Whether what an operator decided follows from what the sites said: plan, choice, settlement and statements.

*Plan.* It meets the targets of those who are left, as far as their reports can tell, goes neither below what was
given nor beyond what a site can give, and asks nothing more of who has left or delivered short. That it is the
cheapest, or that there is none where a run stopped, is not looked at.

*Choice.* The candidate is the first of those with the fewest mistakes, and every contribution was checked with the
outcome that the check has.

*Settlement.* Everybody is settled with who reported and has not left, and whoever gave samples; :func:`find_dues`
says by the rule of the pact what each is due, without the code that settles wherever the rule is simple enough.

*Statements.* They are about this run and pact, their amounts follow from what is due, and everything else in them
stands in the books in other words: requests, samples, check, evaluation, times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from fedpact.coded import Coded, coded
from fedpact.mechanism.payment.rule import Payment
from fedpact.mechanism.payment.settle import bill, judge_targets
from fedpact.mechanism.payment.settlement import Settlement
from fedpact.mechanism.sample_checks.result import ContributionCheck
from fedpact.planning.result import Plan
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.operator.decide import agreed_capacity, check_site, federation_of, settled_federation
from fedpact.protocol.operator.reasons import FLAGGED
from fedpact.protocol.operator.run_state import RunState
from fedpact.protocol.operator.statements import make_statement
from fedpact.statistics.confidence import at_confidence

_TOL = 1e-9
_ABOUT = ("run", "site", "pact_digest")
_OF_STATEMENTS = {
    "contributed": ("statement-contributed", ("given",)),
    "labelling": ("statement-cost", ("given", "expected")),
    "fee": ("statement-fee", ("expected",)),
    "amount": ("statement-amount", ("expected",)),
    "withheld": ("statement-withheld", ("expected",)),
    "why": ("statement-reason", ()),
}
"""Key of a statement -> the problem if it is wrong, and the values that go with it; of others: the key."""


def is_near(found: Any, wanted: float) -> bool:
    """Whether two numbers are the same but for rounding."""
    is_number = type(found) in (int, float)
    return is_number and bool(abs(float(found) - wanted) <= _TOL * max(1.0, abs(wanted)))


def _is_same(found: Any, wanted: Any) -> bool:
    return is_near(found, wanted) if isinstance(wanted, float) else bool(found == wanted)


def _parties(state: RunState) -> list[str]:
    """Sites that a plan is about: who has reported and has not left, and who gave samples before it left."""
    return [
        site
        for site in state.pact.names
        if site in state.covered or (site in state.reports and state.contributed.get(site))
    ]


def _cost_of(state: RunState, site: str, count: int) -> float:
    return float(state.pact.agent(site).cost(count))


def check_reported(state: RunState) -> Iterator[Coded]:
    """Say who has not reported before a plan was made, or none was found."""
    for site in state.left:
        if site not in state.reports:
            yield coded("planned-early", site=site)


def check_plan(state: RunState, plan: Mapping[str, Any]) -> Iterator[Coded]:
    """Say what is wrong with a plan."""
    yield from check_reported(state)
    planned = plan["contributions"]
    for site in planned:
        if site not in state.pact.names:
            yield coded("plan-stranger", site=site)
            return
    if set(planned) != set(_parties(state)):
        yield coded("plan-of-others")
        return
    for key in ("method", "objective", "guarantee", "confidence"):
        if plan[key] != getattr(state.pact, key):
            yield coded("plan-terms", key=key)
    wrong = [problem for site, count in planned.items() for problem in _check_quota(state, site, count)]
    yield from wrong
    if wrong:
        return
    if Plan.from_dict(plan).to_dict() != plan or plan["lower_bound"] > plan["cost"]:
        yield coded("plan-contradiction")
    if not is_near(plan["cost"], sum(_cost_of(state, site, count) for site, count in planned.items())):
        yield coded("plan-cost")
    yield from _check_targets(state, planned)


def _check_quota(state: RunState, site: str, count: int) -> Iterator[Coded]:
    given = state.contributed.get(site, 0)
    if type(count) is not int or count < given:
        yield coded("plan-less", site=site)
    elif count > given and site not in state.covered:
        yield coded("plan-left", site=site)
    elif count > given and site in state.exhausted:
        yield coded("plan-short", site=site)
    elif count > max(given, agreed_capacity(state, site)):
        yield coded("plan-capacity", site=site)


def _check_targets(state: RunState, planned: Mapping[str, int]) -> Iterator[Coded]:
    fed, confidence = federation_of(state), state.pact.confidence
    seen = fed if confidence is None else at_confidence(fed, confidence)
    _, may_be_met = judge_targets(seen, np.array([[planned[site] for site in fed.names]]))
    for site, may_be in zip(fed.names, may_be_met[0].tolist(), strict=True):
        if not may_be:
            yield coded("plan-target", site=site)


def _check_given(state: RunState) -> Iterator[Coded]:
    if state.plan is None:
        yield coded("chosen-without-plan")
        return
    planned = state.plan.contributions
    if set(planned) != set(_parties(state)):
        yield coded("chosen-by-old-plan")
    for site in state.pact.names:
        given = state.contributed.get(site, 0)
        if given != planned.get(site, 0):
            yield coded("chosen-early", site=site, given=given)


def check_choice(state: RunState, body: Mapping[str, Any]) -> Iterator[Coded]:
    """Say what is wrong with the choice of a candidate and with the checks of contributions."""
    yield from _check_given(state)
    names = federation_of(state).evidence.hypotheses
    total = sum(state.mistakes.values(), start=np.zeros(len(names), dtype=np.int64))
    index, m = body["index"], sum(state.contributed.values())
    if index < 0 or total[index] != total.min():
        yield coded("choice-mistakes")
    elif index != int(total.argmin()):
        yield coded("choice-order")
    if body["hypothesis"] != names[index]:
        yield coded("choice-name")
    if body["mistakes"] != total.tolist():
        yield coded("choice-counts")
    if body["m"] != m:
        yield coded("choice-samples", m=m, found=body["m"])
    yield from _check_checks(state, body)


def _check_checks(state: RunState, body: Mapping[str, Any]) -> Iterator[Coded]:
    checks, withheld = body["checks"], body["withheld"]
    flagged = {site for site, check in checks.items() if check["is_flagged"]}
    if set(checks) != {site for site, count in state.contributed.items() if count}:
        yield coded("not-checked")
    if flagged != set(withheld):
        yield coded("flagged-not-withheld", flagged=sorted(flagged), withheld=sorted(withheld))
    for site, said in checks.items():
        found = check_site(state, site)
        if found.is_flagged != (site in flagged):
            yield coded("flag", site=site)
        elif not _says_the_same(said, found):
            yield coded("other-check", site=site)
        elif site in withheld and withheld[site] != FLAGGED:
            yield coded("withheld-reason", site=site)


def _says_the_same(said: Mapping[str, Any], found: ContributionCheck) -> bool:
    """Compare what was written of a check with a check, but for the order of pairs that are as likely."""
    return all(
        _is_same(said[key], wanted) for key, wanted in found.to_dict().items() if key not in ("pairs", "easiest")
    )


def find_dues(state: RunState) -> dict[str, Payment]:
    """Return what the rule says that everybody is paid, before anything is withheld."""
    parties, pact, sharing = _parties(state), state.pact, state.covered
    own = {site: _cost_of(state, site, state.contributed.get(site, 0)) for site in parties}
    match pact.rule:
        case "none":
            return dict.fromkeys(parties, Payment(0.0, 0.0))
        case "pwyc":
            fees = pact.fee or {}
            return {site: Payment(own[site], fees.get(site, 0.0) if site in sharing else 0.0) for site in parties}
        case "equal-split":
            share = sum(own.values()) / len(sharing) if sharing else 0.0
            return {site: Payment(own[site], share if site in sharing else 0.0) for site in parties}
    given = {site: state.contributed.get(site, 0) for site in parties}
    is_sharing = np.array([site in sharing for site in parties])
    found = bill(settled_federation(state), given, pact.rule, sharing=is_sharing)
    return {site: Payment(found.payments[site] + found.fees[site], found.fees[site]) for site in parties}


def _in_order(found: Mapping[str, Any], sites: Iterable[str]) -> dict[str, Any]:
    """Put every table of a settlement into the order of the pact, in which it was added up.

    Canonical JSON has sorted the names.
    """
    return {
        key: {**{site: value[site] for site in sites if site in value}, **value}
        if isinstance(value, dict)
        else value
        for key, value in found.items()
    }


def check_settlement(state: RunState, found: Mapping[str, Any], dues: Mapping[str, Payment]) -> Iterator[Coded]:
    """Say what is wrong with a settlement."""
    for site in found["payments"]:
        if site not in state.pact.names:
            yield coded("stranger-settled", site=site)
    missing = sorted(set(dues) - set(found["payments"]))
    if missing:
        yield coded("settlement-missing", sites=missing)
    if found["rule"] != state.pact.rule:
        yield coded("other-rule", rule=state.pact.rule)
    for site in (site for site in dues if site in found["payments"]):
        yield from _check_share(state, site, found, dues[site])
    if Settlement.from_dict(_in_order(found, dues)).to_dict() != found:
        yield coded("settlement-contradiction")
    sums = {"spend": sum(due.gross for due in dues.values()), "recovered": sum(due.fee for due in dues.values())}
    for key, expected in sums.items():
        if not is_near(found[key], expected):
            yield coded(f"settlement-{key}", expected=expected, found=found[key])


def _check_share(state: RunState, site: str, found: Mapping[str, Any], due: Payment) -> Iterator[Coded]:
    given, settled = state.contributed.get(site, 0), found["payments"][site]
    if not is_near(settled, due.net):
        yield coded("settlement-due", site=site, expected=due.net, found=settled)
    is_own = is_near(found["labelling"][site], _cost_of(state, site, given))
    if found["contributions"][site] != given or not is_own:
        yield coded("settlement-contribution", site=site, given=given)
    if not is_near(found["fees"][site], due.fee):
        yield coded("settlement-fee", site=site, expected=due.fee, found=found["fees"][site])


def check_statement(state: RunState, entry: Entry, due: Payment) -> Iterator[Coded]:
    """Say what is wrong with a site's statement, but for its signature."""
    site, statement = entry.body["site"], entry.body["statement"]
    given = state.contributed.get(site, 0)
    own, withheld = _cost_of(state, site, given), max(due.net, 0.0) if site in state.withheld else 0.0
    expected = make_statement(state, site, entry.at, due=due.net, labelling=own, fee=due.fee)
    expected |= {"amount": due.net - withheld, "withheld": withheld, "why": state.withheld.get(site)}
    if any(statement[key] != expected[key] for key in _ABOUT):
        yield coded("statement-of-another", site=site)
    for key, wanted in expected.items():
        if key not in _ABOUT and not _is_same(statement[key], wanted):
            code, named = _OF_STATEMENTS.get(key, ("statement-key", ("key",)))
            values = {"given": given, "expected": wanted, "key": key}
            yield coded(code, site=site, **{name: values[name] for name in named})
