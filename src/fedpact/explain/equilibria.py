"""Equilibria in words: the pure ones with what they cost, and a mixed one with what each agent draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fedpact.explain.explanation import Chart, Explanation, Mark, Table
from fedpact.explain.generic import explain_as, list_facts, make_chart, make_facts, make_table
from fedpact.explain.numbers import format_share, join_names
from fedpact.explain.phrases import say_profile, say_shortfall, skip_middle
from fedpact.explain.words import words_of
from fedpact.game.mixed import MixedEquilibrium
from fedpact.game.result import Equilibria
from fedpact.statistics.verification import Interval

_WORDS = words_of("equilibria")
_SHOWN = 20
_NAMED = 6
_STRIPS = 40


def _say_headline(found: Equilibria) -> str:
    said = [_WORDS.say(f"status.{found.status}", n=len(found.costs))]
    if not found.is_complete and found.status != "cut":
        share = format_share(found.share_searched)
        key = "searched_undecided" if found.undecided else "searched"
        said.append(_WORDS.say(key, share=share[:1].upper() + share[1:], undecided=found.undecided))
    return " ".join(said)


def _say_excess(found: Equilibria) -> list[str]:
    """Say who spends more in the worst equilibrium than in the best plan; nothing if it costs no more."""
    excess = {} if found.worst is None else found.worst.excess
    total = sum(excess.values())
    if found.worst is None or total <= 1e-9 * max(found.worst.cost, 1):
        return []
    moved = sorted((name for name in excess if excess[name]), key=lambda name: -excess[name])[:_NAMED]
    each = ", ".join(_WORDS.say("excess_of", name=name, extra=excess[name]) for name in moved)
    return [_WORDS.say("excess", total=total, each=each)]


def _list_sentences(found: Equilibria) -> tuple[str, ...]:
    said = [_WORDS.say("joint")] if found.guarantee == "joint" else []
    said += [_WORDS.say("dependent", why=say_shortfall(name, why)) for name, why in found.dependent.items()]
    return (*said, *([_WORDS.say("no_plan")] if found.optimum is None else _say_excess(found)))


def _compare(cost: float, optimum: Interval | None) -> float | str | None:
    """Return how many times the optimum a cost is, as far as that is known."""
    if optimum is None or cost <= optimum.low:
        return None if optimum is None else 1.0
    if optimum.low <= 0:
        return None
    times = cost / optimum.low
    return float(f"{times:.4g}") if optimum.is_exact else _WORDS.say("at_most", times=times)


def _list_equilibria(found: Equilibria) -> Table:
    order = sorted(range(len(found.costs)), key=found.costs.__getitem__)
    shown, skipped = skip_middle(len(order), _SHOWN)
    rows = []
    for place in (order[at] for at in shown):
        cost, unmet = found.costs[place], found.unmet[place]
        times = None if unmet else _compare(cost, found.optimum)
        missed = Mark(join_names(unmet), "bad") if unmet else Mark(_WORDS.say("none_missed"))
        rows.append((say_profile(found.equilibria[place]), cost, times, missed))
    title = _WORDS.say(f"table.{'some' if skipped else 'one' if len(order) == 1 else 'all'}")
    gap = _WORDS.say("table.gap", n=skipped) if skipped else ""
    columns = "profile prose, cost number, times number, unmet"
    return make_table(_WORDS, "equilibria", columns, rows, title=title, gap=gap)


def find_strips(found: Equilibria, plan: Mapping[str, int]) -> list[str]:
    """Agents that give anything in an equilibrium or in the plan; everybody, if nobody does."""
    giving = [name for name in found.names if plan.get(name) or any(m[name] for m in found.equilibria)]
    return (giving or list(found.names))[:_STRIPS]


def _say_range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else _WORDS.say("strips.range", low=low, high=high)


def chart_strips(found: Equilibria, plan: Mapping[str, int]) -> Chart:
    """Give the data of the chart of what everybody gives in every equilibrium, and in the plan."""
    strips = find_strips(found, plan)
    counts = {name: [m[name] for m in found.equilibria] for name in strips}
    said = _WORDS.say("strips.description", n=len(found.costs))
    if len(found.costs) > 1:
        widest = max(strips, key=lambda name: max(counts[name]) - min(counts[name]))
        said += _WORDS.say("strips.varies", name=widest, range=_say_range(counts[widest]))
    left = len(found.names) - len(strips)
    if left:
        said += _WORDS.say("strips.idle" if len(strips) < _STRIPS else "strips.left_out", n=left)
    rows = [(name, _say_range(counts[name]), plan.get(name)) for name in strips]
    return make_chart(_WORDS, "strips", "agent, in_equilibria, in_plan", rows, [said], _WORDS.say("strips.title"))


def explain_equilibria(found: Equilibria) -> Explanation:
    """Explain a search for pure equilibria."""
    return explain_as(
        found,
        headline=_say_headline(found),
        facts=make_facts(_WORDS, {key: getattr(found, key) for key in ("optimum", "stability", "anarchy")}),
        sentences=_list_sentences(found),
        charts=(chart_strips(found, {}),) if found.equilibria else (),
        tables=(_list_equilibria(found),) if found.equilibria else (),
    )


def explain_beside_plans(found: Equilibria, plans: Mapping[str, Mapping[str, Any] | None]) -> Explanation:
    """Explain equilibria beside plans: "plan", the one that was asked for, "union" and "lp"."""
    rows = []
    for key in ("plan", "union", "lp"):
        plan = plans[key]
        title = "plan_by" if plan and "method" in plan else key
        who = _WORDS.say("plans.none") if plan is None else say_profile(plan["contributions"])
        rows.append((_WORDS.say(f"plans.{title}", **(plan or {})), who, plan and plan["cost"]))
    table = make_table(_WORDS, "plans", "plan, profile prose, cost number", rows)
    said = explain_equilibria(found)
    return replace(said, tables=(*said.tables, table))


_MIXED = words_of("mixed-equilibrium")


def _list_mixtures(found: MixedEquilibrium) -> Table:
    rows = []
    for name, mixture in found.strategies.items():
        drawn = ", ".join(_MIXED.say("drawn", count=count, share=share) for count, share in mixture.items())
        expected = found.expected_contributions[name]
        rows.append((name, drawn, expected, found.probability_met[name], found.regret[name]))
    columns = "agent, drawn prose, expected_contributions number, probability_met number, regret number"
    return make_table(_MIXED, "agents", columns, rows)


def explain_mixed_equilibrium(found: MixedEquilibrium) -> Explanation:
    """Explain a mixed equilibrium."""
    worth = tuple(_MIXED.say("worth_of", worth=value, name=name) for name, value in found.worth.items())
    return explain_as(
        found,
        title=_MIXED.say("title_pure" if found.is_pure else "title"),
        facts=list_facts(found, _MIXED),
        sentences=(_MIXED.say("worth", worth=worth),),
        tables=(_list_mixtures(found),),
    )
