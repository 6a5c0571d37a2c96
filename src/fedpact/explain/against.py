"""What coordination saves, in words: the plan beside selfish play and everybody alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fedpact.describe.settings import Agent
from fedpact.explain.explanation import Explanation, Table
from fedpact.explain.generic import make_chart, make_table
from fedpact.explain.numbers import format_number
from fedpact.explain.words import words_of
from fedpact.game.dynamics import Dynamics

_WORDS = words_of("against")


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """A plan, what each agent needs alone, and where they end up if each looks after itself."""

    plan: Mapping[str, Any] | None
    """Its contributions, cost and status; None if no plan exists."""
    standalone: Mapping[str, int | None]
    """What each agent needs alone; None where so many samples cannot be had."""
    costs: Mapping[str, float | None]
    """What that costs."""
    played: Dynamics
    unmet: Sequence[str] = ()
    """Whose targets are missed where play ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to go about it, and what it costs in all."""

    name: str
    title: str
    cost: float | None
    """None where there is no such number; the note says why."""
    note: str


def _compare(cost: float, plan: Mapping[str, Any] | None) -> str:
    """Compare a cost with that of the plan.

    Examples
    --------
    >>> [_compare(cost, {"cost": 66.12}) for cost in (798.71, 66.44, 66.12, 60)]
    ['12.1 times the plan', '0.5% more than the plan', 'as much as the plan', '9.3% less than the plan']
    """
    if plan is None:
        return ""
    planned = plan["cost"]
    if math.isclose(cost, planned, rel_tol=1e-9, abs_tol=1e-12):
        return _WORDS.say("note.same")
    if planned <= 0:
        return _WORDS.say("note.more")
    if cost >= 2 * planned:
        return _WORDS.say("note.times", times=format_number(round(cost / planned, 1)))
    change = cost / planned - 1
    return _WORDS.say(f"note.change_{'more' if change > 0 else 'less'}", change=abs(change))


def _go_alone(seen: Against) -> tuple[float | None, str]:
    stuck = tuple(name for name, need in seen.standalone.items() if need is None)
    if stuck:
        return None, _WORDS.say("note.stuck", names=stuck)
    cost = sum(cost for cost in seen.costs.values() if cost is not None)
    return cost, _compare(cost, seen.plan)


def _play(seen: Against) -> tuple[float | None, str]:
    played, cost = seen.played, seen.played.costs[-1]
    if played.cycle:
        costs = played.costs[-len(played.cycle) :]
        low, high = format_number(min(costs)), format_number(max(costs))
        return None, _WORDS.say(f"note.never_{'at' if low == high else 'between'}", low=low, high=high)
    if played.status not in ("settled", "rests"):
        return None, _WORDS.say("note.stopped")
    notes = [_compare(cost, seen.plan)]
    if seen.unmet:
        notes.append(_WORDS.say("note.missed", n=len(seen.unmet)))
    elif seen.plan is not None and cost < seen.plan["cost"] * (1 - 1e-9):
        notes.append(_WORDS.say("note.not_optimal"))
    return cost, "; ".join(filter(None, notes))


def list_ways(seen: Against) -> tuple[Way, ...]:
    """Set the plan against selfish play and everybody alone."""
    found = {"selfish": _play(seen), "alone": _go_alone(seen)}
    if seen.plan is not None:
        status = seen.plan["status"]
        key = status if status in ("optimal", "one-candidate") else "met"
        found = {"plan": (seen.plan["cost"], _WORDS.say(f"note.{key}")), **found}
    return tuple(
        Way(name=name, title=_WORDS.say(f"way.{name}"), cost=cost, note=note)
        for name, (cost, note) in found.items()
    )


def _say_way(way: Way) -> str:
    if way.cost is None:
        return _WORDS.say("saving.without_cost", way=way.title, note=way.note)
    return _WORDS.say(f"saving.{way.name}", cost=way.cost, note=f", {way.note}" if way.note else "")


def find_costs(agents: Iterable[Agent], standalone: Mapping[str, int | None]) -> dict[str, float | None]:
    """Return what it costs each agent to label what it needs alone; None where it needs what cannot be had."""
    needs = ((agent, standalone[agent.name]) for agent in agents)
    return {agent.name: None if need is None else float(agent.cost(need)) for agent, need in needs}


def _list_needs(seen: Against) -> Table:
    """List what each agent would need alone, beside what it gives where play ends and in the plan."""
    planned = None if seen.plan is None else seen.plan["contributions"]
    known = {"end": seen.played.equilibrium, "planned": planned}
    beside = {key: counts for key, counts in known.items() if counts is not None}
    never = _WORDS.say("needs.never")
    rows = [
        (name, never if need is None else need, seen.costs[name], *(counts[name] for counts in beside.values()))
        for name, need in seen.standalone.items()
    ]
    columns = ", ".join(["agent", "need count", "cost_alone number", *(f"{key} count" for key in beside)])
    return make_table(_WORDS, "alone", columns, rows, title=_WORDS.say("needs.title"), is_folded=True)


def explain_against(seen: Against) -> Explanation:
    """Explain what coordination saves; the chart's description says it, and sentences what has no cost."""
    ways = list_ways(seen)
    said = map(_say_way, sorted(ways, key=lambda way: way.name == "selfish"))
    rows = [(way.title, way.cost, way.note) for way in ways]
    chart = make_chart(_WORDS, "against", "way, cost, note", rows, said)
    return Explanation(
        kind="against",
        title=_WORDS.say("title"),
        headline="",
        sentences=tuple(_say_way(way) for way in ways if way.cost is None),
        charts=(chart,) if any(way.cost is not None for way in ways) else (),
        tables=(_list_needs(seen),),
    )
