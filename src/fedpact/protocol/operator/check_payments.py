"""Whether settlement and statements follow from what the sites gave, by the rule of the pact.

Everybody is settled with who reported and has not left, and whoever gave samples. A statement is about this
run and pact, is signed by the operator, and everything in it stands in the books in other words: the requests,
the samples, the check, what is withheld and why, the evaluation, the times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from fedpact import formats
from fedpact.coded import Coded, coded
from fedpact.describe.ties import exceeds
from fedpact.mechanism.payment.settle import bill
from fedpact.mechanism.payment.settlement import Settlement
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.operator.run_facts import RunFacts, is_near
from fedpact.protocol.operator.statement import say_time

_OF_CHECK = ("status", "false_alarm_rate", "m", "suspicious", "tested", "false_alarm")


def find_dues(facts: RunFacts) -> dict[str, float]:
    """Return what the rule says that everybody is paid, before anything is withheld."""
    parties, rule = facts.parties, facts.pact["rule"]
    own = {site: facts.cost_of(site) for site in parties}
    sharing = [site for site in parties if not facts.has_left(site)]
    match rule:
        case "none":
            return dict.fromkeys(parties, 0.0)
        case "pwyc":
            fees = facts.pact["fee"] or {}
            return {site: own[site] - (float(fees.get(site, 0.0)) if site in sharing else 0.0) for site in parties}
        case "equal-split":
            share = sum(own.values()) / len(sharing) if sharing else 0.0
            return {site: own[site] - (share if site in sharing else 0.0) for site in parties}
    fed = facts.federation()
    given = {site: facts.given[site] for site in parties}
    return bill(fed, given, rule, sharing=np.array([site in sharing for site in parties])).payments


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


def check_settlement(facts: RunFacts, found: Mapping[str, Any], dues: Mapping[str, float]) -> Iterator[Coded]:
    """Say what is wrong with a settlement."""
    for site in found["payments"]:
        if site not in facts.given:
            yield coded("stranger-settled", site=site)
    missing = sorted(set(dues) - set(found["payments"]))
    if missing:
        yield coded("settlement-missing", sites=missing)
    if found["rule"] != facts.pact["rule"]:
        yield coded("other-rule", rule=facts.pact["rule"])
    for site in (site for site in dues if site in found["payments"]):
        yield from _check_share(facts, site, found, dues[site])
    if Settlement.from_dict(_in_order(found, facts.parties)).to_dict() != found:
        yield coded("settlement-contradiction")
    is_paid = facts.pact["rule"] != "none"
    spend = sum(facts.cost_of(site) for site in dues) if is_paid else 0.0
    if not is_near(found["spend"], spend):
        yield coded("settlement-spend", expected=spend, found=found["spend"])
    if not is_near(found["recovered"], spend - sum(dues.values())):
        yield coded("settlement-recovered", expected=spend - sum(dues.values()), found=found["recovered"])


def _check_share(facts: RunFacts, site: str, found: Mapping[str, Any], due: float) -> Iterator[Coded]:
    own, settled = facts.cost_of(site), found["payments"][site]
    if not is_near(settled, due):
        yield coded("settlement-due", site=site, expected=due, found=settled)
    if found["contributions"][site] != facts.given[site] or not is_near(found["labelling"][site], own):
        yield coded("settlement-contribution", site=site, given=facts.given[site])
    if not is_near(found["fees"][site], _fee_of(facts, own, due)):
        yield coded("settlement-fee", site=site, expected=_fee_of(facts, own, due), found=found["fees"][site])


def _fee_of(facts: RunFacts, own: float, due: float) -> float:
    return 0.0 if facts.pact["rule"] == "none" else own - due


def check_statement(facts: RunFacts, entry: Entry, due: float) -> Iterator[Coded]:
    """Say what is wrong with a site's statement, but for its signature."""
    site, statement = entry.body["site"], entry.body["statement"]
    about = (statement["run"], statement["site"], statement["pact_digest"])
    if about != (entry.run, site, digest_of_value(facts.pact)):
        yield coded("statement-of-another", site=site)
    yield from _check_amounts(facts, site, statement, due)
    for key, wanted in _expected(facts, site, entry.at).items():
        if statement[key] != wanted:
            yield coded("statement-key", site=site, key=key)


def _check_amounts(facts: RunFacts, site: str, statement: Mapping[str, Any], due: float) -> Iterator[Coded]:
    given, own = facts.given[site], facts.cost_of(site)
    withheld = max(due, 0.0) if site in facts.withheld else 0.0
    if statement["contributed"] != given:
        yield coded("statement-contributed", site=site, given=given)
    if not is_near(statement["labelling"], own):
        yield coded("statement-cost", site=site, given=given, expected=own)
    if not is_near(statement["fee"], _fee_of(facts, own, due)):
        yield coded("statement-fee", site=site, expected=_fee_of(facts, own, due))
    if not is_near(statement["amount"], due - withheld):
        yield coded("statement-amount", site=site, expected=due - withheld)
    if not is_near(statement["withheld"], withheld):
        yield coded("statement-withheld", site=site, expected=withheld)
    if statement["why"] != facts.withheld.get(site):
        yield coded("statement-reason", site=site)


def _expected(facts: RunFacts, site: str, at: float) -> dict[str, Any]:
    """Return what else a statement says."""
    pact, chosen, requests = facts.pact, facts.chosen or {}, _requests(facts, site)
    check = chosen.get("checks", {}).get(site)
    return {
        "format": formats.STATEMENT,
        "pact": pact["name"],
        "site_key": pact["keys"].get(site),
        "operator": pact["operator"],
        "rule": pact["rule"],
        "cost": _agent(facts, site)["cost"],
        "requests": requests,
        "quota": sum(request["quota"] for request in requests),
        "verified": site not in facts.withheld and facts.given[site] > 0,
        "check": None if check is None else {key: check[key] for key in _OF_CHECK},
        "left": facts.gone.get(site),
        "evaluation": _evaluation(facts, site),
        "hypothesis": chosen.get("hypothesis"),
        "opened": say_time(facts.opened),
        "settled": say_time(facts.settled),
        "issued": say_time(at),
    }


def _agent(facts: RunFacts, site: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(agent for agent in facts.pact["agents"] if agent["name"] == site)
    return found


def _requests(facts: RunFacts, site: str) -> list[dict[str, Any]]:
    return [
        {
            "request": name,
            "first": body["have"] + 1,
            "last": body["total"],
            "quota": body["total"] - body["have"],
            "delivered": facts.delivered.get(name, 0),
            "asked": say_time(facts.asked_at[name]),
            "answered": say_time(facts.answered_at[name]) if name in facts.answered_at else None,
        }
        for name, body in facts.asks_for_samples(site)
    ]


def _evaluation(facts: RunFacts, site: str) -> dict[str, Any] | None:
    seen, epsilon = facts.evaluated.get(site), _agent(facts, site)["epsilon"]
    if seen is None or not seen.n:
        return None
    error = seen.mistakes / seen.n
    met = not exceeds(error, epsilon)
    return {"n": seen.n, "mistakes": seen.mistakes, "error": error, "epsilon": epsilon, "met": met}
