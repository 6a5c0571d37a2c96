"""Whether what an operator decided follows from what the sites said: plan and choice.

A plan meets the targets of those who are left, as far as their reports can tell, goes neither below what was
given nor beyond what a site can give, and asks nothing more of who has left or delivered short. That it is the
cheapest, or that there is none where a run stopped, is not looked at. The candidate is the first of those with
the fewest mistakes, and every contribution was checked with the outcome that the check has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fedpact.coded import Coded, coded
from fedpact.mechanism.payment.settle import judge_targets
from fedpact.mechanism.sample_checks.check import check_contribution
from fedpact.mechanism.sample_checks.result import ContributionCheck
from fedpact.planning.result import Plan
from fedpact.protocol.operator.reasons import FLAGGED
from fedpact.protocol.operator.run_facts import RunFacts, is_near
from fedpact.statistics.confidence import at_confidence


def check_plan(facts: RunFacts, plan: Mapping[str, Any]) -> Iterator[Coded]:
    """Say what is wrong with a plan."""
    planned = plan["contributions"]
    for site in planned:
        if site not in facts.given:
            yield coded("plan-stranger", site=site)
            return
    if set(planned) != set(facts.parties):
        yield coded("plan-of-others")
        return
    for key in ("method", "objective", "guarantee", "confidence"):
        if plan[key] != facts.pact[key]:
            yield coded("plan-terms", key=key)
    wrong = [problem for site, count in planned.items() for problem in _check_quota(facts, site, count)]
    yield from wrong
    if wrong:
        return
    if Plan.from_dict(plan).to_dict() != plan or plan["lower_bound"] > plan["cost"]:
        yield coded("plan-contradiction")
    if not is_near(plan["cost"], sum(float(facts.costs[site](count)) for site, count in planned.items())):
        yield coded("plan-cost")
    yield from _check_targets(facts, planned)


def _check_quota(facts: RunFacts, site: str, count: int) -> Iterator[Coded]:
    given = facts.given[site]
    if type(count) is not int or count < given:
        yield coded("plan-less", site=site)
    elif count > given and facts.has_left(site):
        yield coded("plan-left", site=site)
    elif count > given and site in facts.short:
        yield coded("plan-short", site=site)
    elif count > max(given, facts.capacity(site)):
        yield coded("plan-capacity", site=site)


def _check_targets(facts: RunFacts, planned: Mapping[str, int]) -> Iterator[Coded]:
    fed, confidence = facts.federation(), facts.pact["confidence"]
    seen = fed if confidence is None else at_confidence(fed, confidence)
    _, may_be_met = judge_targets(seen, np.array([[planned[site] for site in fed.names]]))
    for site, may_be in zip(fed.names, may_be_met[0].tolist(), strict=True):
        if not may_be:
            yield coded("plan-target", site=site)


def check_choice(facts: RunFacts, body: Mapping[str, Any]) -> Iterator[Coded]:
    """Say what is wrong with the choice of a candidate and with the checks of contributions."""
    names = facts.federation().evidence.hypotheses
    total = sum(facts.mistakes.values(), start=np.zeros(len(names), dtype=np.int64))
    index, m = body["index"], sum(facts.given.values())
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
    yield from _check_checks(facts, body)


def _check_checks(facts: RunFacts, body: Mapping[str, Any]) -> Iterator[Coded]:
    checks, withheld = body["checks"], body["withheld"]
    flagged = {site for site, check in checks.items() if check["is_flagged"]}
    if set(checks) != {site for site, count in facts.given.items() if count}:
        yield coded("not-checked")
    if flagged != set(withheld):
        yield coded("flagged-not-withheld", flagged=sorted(flagged), withheld=sorted(withheld))
    for site, said in checks.items():
        found = _check_again(facts, site)
        if found.is_flagged != (site in flagged):
            yield coded("flag", site=site)
        elif not _says_the_same(said, found):
            yield coded("other-check", site=site)
        elif site in withheld and withheld[site] != FLAGGED:
            yield coded("withheld-reason", site=site)


def _check_again(facts: RunFacts, site: str) -> ContributionCheck:
    return check_contribution(
        facts.reports[site],
        mistakes=facts.mistakes[site],
        m=facts.given[site],
        false_alarm_rate=facts.pact["false_alarm_rate"],
        distinct=facts.pools[site] is not None,
    )


def _says_the_same(said: Mapping[str, Any], found: ContributionCheck) -> bool:
    """Compare what was written of a check with a check, but for the order of pairs that are as likely."""
    return all(
        is_near(said[key], wanted) if isinstance(wanted, float) else said[key] == wanted
        for key, wanted in found.to_dict().items()
        if key not in ("pairs", "easiest")
    )
