"""What a seed draws before a simulated world begins: the federation, the pact of every run, and the sites."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from fedpact.describe.federation import Federation
from fedpact.describe.reports import Report
from fedpact.errors import InfeasibleError
from fedpact.planning.plan import plan
from fedpact.planning.result import Plan
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.signing import SigningKey
from fedpact.protocol.pact import Pact, make_pact
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site import Site, make_site_report
from simulation.event_queue import Faults
from simulation.truth import Enough

_TABLES: dict[str, dict[str, Any]] = {
    "two": {
        "labels": [[0, 0], [0, 1], [1, 0], [1, 1]],
        "distributions": [[0.8, 0.2], [0.2, 0.8]],
        "epsilon": 0.1,
        "delta": 0.05,
        "names": ["alice", "bob"],
    },
    "long": {
        "labels": [[0, 0], [0, 1], [1, 0], [1, 1]],
        "distributions": [[0.8, 0.2], [0.7, 0.3]],
        "epsilon": 0.05,
        "delta": 0.0001,
        "names": ["east", "west"],
        "cost": [{"quadratic": [1, 0.5]}, 2],
    },
    "three": {
        "labels": [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 0, 0]],
        "distributions": [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.25, 0.25, 0.5]],
        "epsilon": 0.3,
        "delta": 0.1,
        "names": ["north", "south", "west"],
        "cost": [1.0, 2.0, 1.5],
    },
    "generous": {
        "labels": [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]],
        "distributions": [[0.5, 0.5, 0.0], [0.1, 0.1, 0.8], [0.3, 0.2, 0.5]],
        "epsilon": [0.6, 0.05, 0.1],
        "delta": 0.1,
        "names": ["giver", "taker", "other"],
        "cost": [1.0, 4.0, 2.0],
    },
    "blind": {
        "labels": [[0, 0, 0], [0, 0, 1], [1, 1, 0]],
        "distributions": [[0.9, 0.1, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]],
        "epsilon": 0.2,
        "delta": 0.1,
        "names": ["one", "two", "three"],
        "capacity": [20, 20, 20],
    },
}
_POINTS: dict[str, Any] = {
    "predictions": {
        "left": [[0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1], [1, 0, 1, 0, 1, 0], [1, 1, 1, 1, 0, 0]],
        "right": [[0, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 1], [0, 1, 0, 1, 1]],
    },
    "epsilon": 0.3,
    "delta": 0.2,
    "cost": [1.0, 1.25],
}
"""Sites with a few points each, of which none can be labelled twice."""
NAMES = (*_TABLES, "points")
_ENOUGH: dict[str, Enough] = {name: {} for name in NAMES}
_PLANS: dict[Any, Plan | InfeasibleError] = {}
_PATIENCE, _RETRY = 60, 5


@cache
def _federation(name: str) -> Federation:
    if name in _TABLES:
        return Federation.from_table(**_TABLES[name])
    return Federation.from_predictions(**_POINTS)


@cache
def _key(who: str) -> SigningKey:
    return SigningKey.from_seed(bytes.fromhex(digest_of_value(who)))


@cache
def _pact(name: str, fee: float | None) -> Pact:
    fed = _federation(name)
    return make_pact(
        fed,
        method="tree",
        fee=fee,
        patience=_PATIENCE,
        retry=_RETRY,
        keys={site: _key(site).public for site in fed.names},
        operator=_key("operator").public,
    )


def _plan_once(fed: Federation, method: str, *, confidence: Any, at_least: Mapping[str, int] | None) -> Plan:
    """Plan, and remember: many worlds ask for the same plan."""
    key = fed.fingerprint, method, tuple(sorted((at_least or {}).items()))
    if key not in _PLANS:
        try:
            _PLANS[key] = plan(fed, method, confidence=confidence, at_least=at_least)
        except InfeasibleError as error:
            _PLANS[key] = error
    found = _PLANS[key]
    if isinstance(found, InfeasibleError):
        raise found
    return found


@cache
def _report(name: str, site: str) -> Report:
    """Count once what a site reports, which is the same in many worlds."""
    return make_site_report(simulate_sites(_federation(name))[site])


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A world before anything has happened."""

    federation: Federation
    pacts: tuple[Pact, ...]
    """Of the runs that are wanted."""
    sites: Mapping[str, Site]
    resumes: int
    own: Mapping[str, Any]
    """The operator's key and planner."""
    enough: Enough


def set_stage(rng: random.Random, faults: Faults) -> Stage:
    """Draw who is there, and what they have agreed on."""
    name = rng.choice(NAMES)
    fed = _federation(name)
    sites = simulate_sites(fed, seed=rng.randrange(2**31))
    short = rng.choice(list(sites)) if faults.short else None
    keyed = {
        site: replace(
            own,
            key=_key(site),
            report=_report(name, site),
            operator=_key("operator").public,
            most=rng.randrange(3) if site == short else None,
        )
        for site, own in sites.items()
    }
    return Stage(
        federation=fed,
        pacts=tuple(_pact(name, rng.choice([None, 0.25])) for _ in range(rng.choice([1, 1, 1, 2, 3]))),
        sites=keyed,
        resumes=rng.choice([0, 1, 2]),
        own={"key": _key("operator"), "planner": _plan_once},
        enough=_ENOUGH[name],
    )
