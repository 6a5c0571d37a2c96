"""What a site is told at the end: what it gave, what it gets, what is withheld and why.

A statement is a table of plain values that the operator signs and the ledger keeps; the site's receipt names
its digest. It stands by itself: whoever has it and the operator's public key can check it without the ledger.
Amounts are in the unit of the costs that were agreed on, whatever that is; times are UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fedpact import formats
from fedpact.describe.ties import exceeds
from fedpact.plain import to_plain
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.operator.run_state import RunState

_OF_CHECK = ("status", "false_alarm_rate", "m", "suspicious", "tested", "false_alarm")


def say_time(at: float) -> str:
    """Write a time of the ledger, seconds since the epoch, as UTC.

    Examples
    --------
    >>> say_time(1_000_000_000.25)
    '2001-09-09T01:46:40Z'
    """
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _requests_of(state: RunState, site: str) -> list[dict[str, Any]]:
    """List what a site was asked to label, request by request, and what it delivered."""
    return [
        {
            "request": name,
            "first": ask.body["have"] + 1,
            "last": ask.body["total"],
            "quota": ask.body["total"] - ask.body["have"],
            "delivered": state.delivered.get(name, 0),
            "asked": say_time(state.asked_at[name]),
            "answered": say_time(state.answered_at[name]) if name in state.answered_at else None,
        }
        for name, ask in state.asks.items()
        if (ask.site, ask.step) == (site, "contribute")
    ]


def _check_of(state: RunState, site: str) -> dict[str, Any] | None:
    found = state.checks.get(site)
    return None if found is None else {key: found[key] for key in _OF_CHECK}


def make_statement(state: RunState, site: str, now: float) -> dict[str, Any]:
    """Return a site's statement of payment, in plain values; needs a settlement.

    ``amount`` is what the operator owes, or is owed if negative; ``withheld`` is what it would have owed more had
    the contribution not been flagged. Whoever owes something itself owes it all the same.
    """
    assert state.settlement is not None, "nobody is paid before the settlement"
    assert state.settled is not None, "noted with the settlement"
    bill, why, pact = state.settlement, state.withheld.get(site), state.pact
    due = bill.payments[site]
    withheld = max(due, 0.0) if why else 0.0
    requests = _requests_of(state, site)
    return {
        "format": formats.STATEMENT,
        "run": state.run,
        "pact": pact.name,
        "pact_digest": digest_of_value(pact.to_dict()),
        "site": site,
        "site_key": pact.keys.get(site),
        "operator": pact.operator,
        "rule": bill.rule,
        "cost": pact.agent(site).cost.to_plain(),
        "requests": requests,
        "quota": sum(request["quota"] for request in requests),
        "contributed": bill.contributions[site],
        "labelling": bill.labelling[site],
        "fee": bill.fees[site],
        "amount": due - withheld,
        "withheld": withheld,
        "why": why,
        "verified": why is None and bill.contributions[site] > 0,
        "check": _check_of(state, site),
        "left": to_plain(state.gone.get(site)),
        "evaluation": to_plain(evaluation_of(state, site)),
        "hypothesis": state.hypothesis,
        "opened": say_time(state.opened),
        "settled": say_time(state.settled),
        "issued": say_time(now),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """How the outcome does on a site's held-out samples."""

    n: int
    mistakes: int
    error: float
    epsilon: float
    met: bool
    """Whether the site's target is met there."""


def evaluation_of(state: RunState, site: str) -> Evaluation | None:
    """Return how the outcome does on a site's held-out samples, and whether its target is met there."""
    seen = state.evaluated.get(site)
    if seen is None or not seen.n:
        return None
    error = seen.mistakes / seen.n
    epsilon = state.pact.agent(site).epsilon
    met = not exceeds(error, epsilon)
    return Evaluation(n=seen.n, mistakes=seen.mistakes, error=error, epsilon=epsilon, met=met)
