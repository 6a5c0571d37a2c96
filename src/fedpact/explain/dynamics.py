"""Best-response dynamics in words: how play went and where it ended; and the data of their charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fedpact.explain.explanation import Chart, Explanation, Table
from fedpact.explain.generic import explain_as, make_chart, make_table
from fedpact.explain.phrases import say_profile, skip_middle
from fedpact.explain.words import words_of
from fedpact.game.dynamics import Dynamics
from fedpact.game.result import Equilibria

Plans = Mapping[str, Mapping[str, Any] | None]
"""Plan by "plan", "union", "lp" -> its contributions and cost, or None."""

_WORDS = words_of("dynamics")
_STEPS = 12
_DRAWN_STEPS = 60
_LISTED_STEPS = 100
_LISTED_EQUILIBRIA = 200


def say_step(played: Dynamics, m: Sequence[int]) -> str:
    """Say who contributes how much at a step."""
    return say_profile(dict(zip(played.names, m, strict=True)))


def _list_sentences(played: Dynamics, unmet: Sequence[str]) -> tuple[str, ...]:
    start = say_step(played, played.path[0]) if any(played.path[0]) else _WORDS.say("nothing")
    order, moves = _WORDS.say(f"order.{played.order}"), len(played.path) - 1
    said = [_WORDS.say("moves", start=start, order=order, moves=moves, rounds=played.rounds)]
    if played.cycle:
        return (*said, _WORDS.say("cycle", n=len(played.cycle)))
    said.append(_WORDS.say("end", cost=played.costs[-1], profile=say_step(played, played.path[-1])))
    if unmet:
        said.append(_WORDS.say("unmet", n=len(unmet), names=tuple(unmet)))
    return tuple(said)


def _list_steps(played: Dynamics) -> Table:
    shown, skipped = skip_middle(len(played.path), _STEPS)
    rows = [(step, say_step(played, played.path[step]), played.costs[step]) for step in shown]
    gap = _WORDS.say("table.gap", n=skipped) if skipped else ""
    return make_table(_WORDS, "steps", "step, profile prose, cost number", rows, gap=gap)


def find_movers(played: Dynamics) -> list[int]:
    """Agents that ever contribute; everybody, if nobody does."""
    movers = [agent for agent in range(len(played.names)) if any(m[agent] for m in played.path)]
    return movers or list(range(len(played.names)))


def chart_path(played: Dynamics) -> Chart:
    """Give the data of the chart of the last steps of play."""
    movers = find_movers(played)
    steps = range(len(played.path))[-_DRAWN_STEPS:]
    known = {
        "path.description": True,
        "path.last": len(steps) < len(played.path),
        "path.never" if played.cycle else "path.ends": True,
    }
    said = _WORDS.say_those(
        known, movers=len(movers), steps=len(played.path), n=_DRAWN_STEPS, cost=played.costs[-1]
    )
    columns = (_WORDS.name("step"), *(played.names[agent] for agent in movers), _WORDS.name("cost"))
    rows = [(step, *(played.path[step][agent] for agent in movers), played.costs[step]) for step in steps]
    return make_chart(_WORDS, "path", columns, rows, said, _WORDS.say("path.title"))


def _describe_two(played: Dynamics, found: Equilibria | None, plans: Plans) -> tuple[str, ...]:
    plan, alone = plans.get("plan"), played.staircase[0] if played.staircase else None
    known = {
        "two.description": True,
        "two.without_first": alone is not None,
        "two.without_second": 0 in played.staircase,
        "path.never" if played.cycle else "two.ends": True,
        "two.found": found is not None,
        "two.plan": plan is not None,
    }
    return _WORDS.say_those(
        known,
        first=played.names[0],
        second=played.names[1],
        of_second=alone,
        of_first=played.staircase.index(0) if 0 in played.staircase else None,
        profile=say_step(played, played.path[-1]),
        n=0 if found is None else len(found.costs),
        plan="" if plan is None else say_profile(plan["contributions"]),
    )


def _list_points(played: Dynamics, found: Equilibria | None, plans: Plans) -> tuple[tuple[Any, ...], ...]:
    rows: list[tuple[Any, ...]] = []
    for key in ("lp", "union", "plan"):
        plan = plans.get(key)
        if plan is not None:
            counts = [plan["contributions"][name] for name in played.names]
            rows.append((_WORDS.say(f"two.plans.{key}"), *counts, plan["cost"]))
    if found is not None:
        pairs = zip(found.profiles[:_LISTED_EQUILIBRIA], found.costs, strict=False)
        rows += [(_WORDS.say("two.equilibrium"), *m, cost) for m, cost in pairs]
    steps = zip(played.path[:_LISTED_STEPS], played.costs, strict=False)
    rows += [(_WORDS.say("two.step", step=step), *m, cost) for step, (m, cost) in enumerate(steps)]
    return tuple(rows)


def chart_two(played: Dynamics, found: Equilibria | None, plans: Plans) -> Chart:
    """Give the data of the chart of two agents: what is enough, the path, the equilibria and plans if known."""
    columns = (_WORDS.say("two.point"), *played.names, _WORDS.name("cost"))
    said = _describe_two(played, found, plans)
    return make_chart(_WORDS, "game", columns, _list_points(played, found, plans), said, _WORDS.say("two.title"))


def explain_dynamics(played: Dynamics) -> Explanation:
    """Explain best-response dynamics."""
    return explain_as(
        played,
        sentences=_list_sentences(played, ()),
        charts=(chart_two(played, None, {}) if played.responses else chart_path(played),),
        tables=(_list_steps(played),),
    )


def explain_play(played: Dynamics, unmet: Sequence[str]) -> Explanation:
    """Explain dynamics whose last profile misses some targets, for a page that draws the path."""
    return replace(explain_dynamics(played), sentences=_list_sentences(played, unmet), tables=())
