"""Whether what an operator wrote down is what follows from the state of the run: the decisions, made once more.

:func:`fedpact.protocol.operator.decide.decide` is a pure function of the state. So an auditor makes every decision
anew, from the entries before it, and compares: requests with their times and samples, the choice and the checks of
contributions, the settlement, every statement, the sum. Numbers may differ by rounding.

A plan is not searched for again. It must be about who is left, by the terms of the pact, ask nobody for less than
it has given or more than it can give, cost what it says, and meet the targets as far as the reports can tell. That
it is the cheapest, or that there is none where a run stopped, is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fedpact.coded import Coded, coded
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError
from fedpact.mechanism.payment.settle import judge_targets
from fedpact.planning.result import Plan
from fedpact.protocol.keys.signing import SIGNATURE
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.operator.decide import Draft, decide, federation_of
from fedpact.protocol.operator.run_state import RunState
from fedpact.statistics.confidence import at_confidence

_TOL = 1e-9
_ANY_ORDER = ("pairs", "easiest")
"""Of a check of a contribution; pairs that are as likely have no order."""
_ABSENT = {"assume": "realizable"}
"""Keys that results of version 0.2 do not have, and what that means."""


class NoPlan(Exception):  # noqa: N818
    """What is no plan at all, so that nothing follows from it; never leaves the audit."""

    def __init__(self, problem: Coded) -> None:
        self.problem = problem
        super().__init__()


def decide_again(state: RunState, entry: Entry) -> list[Draft]:
    """Return what an operator writes next; the plan is the one that it has written, if it has written one."""
    written = Plan.from_dict(entry.body["plan"]) if "plan" in entry.body else None  # a stop may have one

    def planner(*asked: Any, **terms: Any) -> Plan:
        if written is None:
            raise FederationError("no plan was written")
        _insist_on_plan(state, written)
        return written

    return decide(state, entry.at, planner=planner)


def _insist_on_plan(state: RunState, plan: Plan) -> None:
    """Insist on a number of samples for everybody who is left, between what is given already and what there is."""
    fed = federation_of(state)
    if plan.contributions.keys() != set(fed.names):
        raise NoPlan(coded("plan-of-others"))
    for agent in fed.agents:
        count, least = plan.contributions[agent.name], state.contributed.get(agent.name, 0)
        if not least <= count <= max(least, agent.capacity or 0):
            raise NoPlan(coded("plan-samples", site=agent.name, found=count, least=least, most=agent.capacity))


def name_draft(kind: str, body: Mapping[str, Any]) -> str:
    """Say what an entry is in a few words.

    Examples
    --------
    >>> name_draft("ask", {"step": "report", "site": "alice"}), name_draft("plan", {})
    ('ask report alice', 'plan')
    """
    return " ".join([kind, *(str(body[key]) for key in ("step", "site") if key in body)])


def compare(kind: str, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[Coded]:
    """Say what an entry says otherwise than it must."""
    name = name_draft(kind, wanted)
    for path, given, due in _differences(_comparable(kind, found), _comparable(kind, wanted), ()):
        key = ".".join(path)
        yield coded("other-value", what=name, key=key, found=shorten(given), expected=shorten(due))


def _comparable(kind: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    match kind:
        case "choose":
            checks = {
                site: {key: value for key, value in check.items() if key not in _ANY_ORDER}
                for site, check in body["checks"].items()
            }
            return {**body, "checks": checks}
        case "pay":
            said = {key: value for key, value in body["statement"].items() if key != SIGNATURE}
            return {**body, "statement": said}
        case "stop":  # its details are words, and a planner's
            return {"code": str(body["code"])}
    return body


def _differences(found: Any, wanted: Any, key: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """List where two values differ: the key, what is there, what must be."""
    if not isinstance(wanted, Mapping) or not isinstance(found, Mapping):
        if not _is_same(found, wanted):
            yield key, found, wanted
        return
    found = {name: value for name, value in _ABSENT.items() if name in wanted} | dict(found)
    if found.keys() != wanted.keys():
        yield key, sorted(found), sorted(wanted)
    else:
        for name, value in wanted.items():
            yield from _differences(found[name], value, (*key, name))


def _is_same(found: Any, wanted: Any) -> bool:
    """Whether two values are the same but for rounding."""
    if isinstance(wanted, float):
        is_number = type(found) in (int, float)
        return is_number and bool(abs(float(found) - wanted) <= _TOL * max(1.0, abs(wanted)))
    return bool(found == wanted)


def check_plan(state: RunState, plan: Mapping[str, Any]) -> Iterator[Coded]:
    """Say what is wrong with a plan that does not contradict itself."""
    fed = federation_of(state)
    m = [plan["contributions"][name] for name in fed.names]
    for key in ("method", "objective", "guarantee", "confidence"):
        if plan[key] != getattr(state.pact, key):
            yield coded("plan-terms", key=key)
    cost = float(sum(float(agent.cost(count)) for agent, count in zip(fed.agents, m, strict=True)))
    if not _is_same(plan["cost"], cost) or plan["lower_bound"] > plan["cost"]:
        yield coded("plan-cost", cost=cost)
    confidence = state.pact.confidence
    seen = fed if confidence is None else at_confidence(fed, confidence)
    _, may_be_met = judge_targets(seen, np.array([m]))
    for name, may_be in zip(fed.names, may_be_met[0].tolist(), strict=True):
        if not may_be:
            yield coded("plan-target", site=name)
    if state.pact.withstands_liar and fed.k > 1:
        without = np.array(
            [
                [0 if name == liar else count for name, count in zip(fed.names, m, strict=True)]
                for liar in fed.names
            ]
        )
        _, may_be_met = judge_targets(seen, without)
        for liar, row in zip(fed.names, may_be_met.tolist(), strict=True):
            for name, may_be in zip(fed.names, row, strict=True):
                if name != liar and not may_be:
                    yield coded("plan-target-without", site=name, liar=liar)
