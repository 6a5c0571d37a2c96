"""What there is to say about a plan: the answer in a sentence, why it is enough, what it saves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import count_of, format_number, format_share, join_names

METHODS: Mapping[str, str] = {
    "auto": "Searches for the optimum for as long as it may, and shows the best plan it has then.",
    "exact": "Branch and bound: searches until the optimum is proved, or time is up.",
    "tree": "Quick and close: takes into account which hypotheses are missed together (Hunter-Worsley).",
    "union": "Quick: a convex program that needs to know only how often hypotheses disagree.",
    "lp": "The linear program of the paper: the simplest, and usually the dearest.",
}


def read_plan(answer: Mapping[str, Any]) -> fp.Plan:
    """Return the plan of an answer."""
    return fp.Plan.from_dict(answer["plan"])


def read_bill(answer: Mapping[str, Any]) -> fp.Settlement:
    """Return what is paid for the plan of an answer."""
    return fp.Settlement.from_dict(answer["settlement"])


def split_agents(bill: fp.Settlement) -> tuple[list[str], list[str]]:
    """Return who has something to do with a plan, most samples first, and who only profits from it."""
    concerned = [
        name
        for name, count in bill.contributions.items()
        if count or abs(bill.payments[name]) > 0 or not bill.met[name]
    ]
    concerned.sort(key=lambda name: -bill.contributions[name])
    return concerned, [name for name in bill.contributions if name not in set(concerned)]


def is_optimal(plan: fp.Plan) -> bool:
    """Whether no plan can be cheaper."""
    return plan.ratio <= 1 or plan.status is fp.planning.PlanStatus.OPTIMAL


def say_quality(plan: fp.Plan) -> str:
    """Say how far a plan can be from the optimum.

    Examples
    --------
    >>> say_quality(fp.plan(fp.examples.alice_bob(), "exact"))
    'proved optimal'
    """
    if is_optimal(plan):
        return "proved optimal"
    if not math.isfinite(plan.ratio):
        return "not compared with the optimum"
    above = format_share(plan.ratio - 1)
    return f"{above} above the optimum" if above.startswith("less") else f"at most {above} above the optimum"


def say_headline(plan: fp.Plan) -> str:
    """Say the answer in a sentence.

    Examples
    --------
    >>> say_headline(fp.plan(fp.examples.alice_bob(), "exact"))
    '2 of 2 agents label 5 samples, for a cost of 5 in all: proved optimal.'
    """
    samples = sum(plan.contributions.values())
    if not samples:
        return "Nothing has to be labelled: every target is met without a single sample."
    giving = sum(count > 0 for count in plan.contributions.values())
    label = "labels" if giving == 1 else "label"
    who = f"{giving:,} of {count_of(len(plan.contributions), 'agent')} {label} {count_of(samples, 'sample')}"
    return f"{who}, for a cost of {format_number(plan.cost)} in all: {say_quality(plan)}."


def list_certificate(plan: fp.Plan) -> list[tuple[str, str]]:
    """Answer what a sceptical reader asks of a plan: questions, and answers in words."""
    enough = plan.proved_by[:1].upper() + plan.proved_by[1:]
    known = f"No plan costs less than {format_number(plan.lower_bound)} (by {plan.lower_bound_by})"
    if is_optimal(plan):
        known += ", so this one is optimal."
    elif math.isfinite(plan.ratio):
        known += f", so this one costs at most {plan.ratio:.3f} times the optimum."
    else:
        known += "; how far the optimum is from this plan is not known."
    said = [
        ("What is known", plan.status.value[:1].upper() + plan.status.value[1:] + "."),
        ("Why it is enough", f"{enough}."),
        ("Could it be cheaper?", known),
        ("How it was found", f"Asked for: {plan.method}. Found by: {plan.chosen}."),
    ]
    if plan.delta_price:
        more = f"{math.log(2) * plan.delta_price:.2g}"
        said.append(("What certainty costs", f"Half the delta would cost about {more} more, before rounding."))
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to go about it, and what it costs in all."""

    name: str
    title: str
    cost: float | None
    """None where there is no such number; the note says why."""
    note: str


def _say_times(cost: float, plan_cost: float) -> str:
    """Compare a cost with that of the plan.

    Examples
    --------
    >>> _say_times(798.71, 66.12), _say_times(66.44, 66.12), _say_times(66.12, 66.12), _say_times(60, 66.12)
    ('12.1 times the plan', '0.5% more than the plan', 'as much as the plan', '9.3% less than the plan')
    """
    if math.isclose(cost, plan_cost, rel_tol=1e-9, abs_tol=1e-12):
        return "as much as the plan"
    if plan_cost <= 0:
        return "more than the plan"
    if cost >= 2 * plan_cost:
        return f"{cost / plan_cost:.1f} times the plan".replace(".0 times", " times")
    change = cost / plan_cost - 1
    return f"{format_share(abs(change))} {'more' if change > 0 else 'less'} than the plan"


def _compare(cost: float, plan: Mapping[str, Any] | None) -> str:
    return "" if plan is None else _say_times(cost, plan["cost"])


def _go_alone(answer: Mapping[str, Any]) -> Way:
    if answer["cost"] is not None:
        note = _compare(answer["cost"], answer["plan"])
        return Way(name="alone", title="Each alone", cost=answer["cost"], note=note)
    stuck = [name for name, need in answer["standalone"].items() if need is None]
    note = f"{join_names(stuck)} cannot reach the target alone"
    return Way(name="alone", title="Each alone", cost=None, note=note)


def _play(answer: Mapping[str, Any]) -> Way:
    played = fp.game.Dynamics.from_dict(answer["dynamics"])
    cost, title = played.costs[-1], "Nobody coordinates"
    if played.status in (fp.game.DynamicsStatus.SETTLED, fp.game.DynamicsStatus.RESTS):
        note = _compare(cost, answer["plan"])
        if answer["plan"] is not None and cost < answer["plan"]["cost"] * (1 - 1e-9):
            note += "" if answer["unmet"] else "; the plan is not proved optimal"
        if answer["unmet"]:
            note = f"{note}{'; ' if note else ''}{count_of(len(answer['unmet']), 'target')} missed there"
        return Way(name="selfish", title=title, cost=cost, note=note)
    note = "they never settle" if played.cycle else "they had not settled when the rounds were used up"
    if played.cycle:
        costs = played.costs[-len(played.cycle) :]
        low, high = format_number(min(costs)), format_number(max(costs))
        note += f": the cost goes round {f'between {low} and {high}' if low != high else f'at {low}'} for ever"
    return Way(name="selfish", title=title, cost=None, note=note)


def list_ways(answer: Mapping[str, Any]) -> tuple[Way, ...]:
    """Set the plan against everybody alone and against selfish play."""
    plan = answer["plan"]
    ways = [_play(answer), _go_alone(answer)]
    if plan is not None:
        note = (
            "proved optimal" if plan["status"] == fp.planning.PlanStatus.OPTIMAL.value else "every target is met"
        )
        ways.insert(0, Way(name="plan", title="This plan", cost=plan["cost"], note=note))
    return tuple(ways)


def say_saving(answer: Mapping[str, Any]) -> str:
    """Say in a sentence what coordination saves."""
    ways = {way.name: way for way in list_ways(answer)}
    planned = ways.get("plan")
    said = []
    if planned is not None and planned.cost is not None:
        said.append(f"The plan costs {format_number(planned.cost)}.")
    for name, who in (("alone", "Each alone"), ("selfish", "If each looks after itself, they")):
        way = ways[name]
        if way.cost is None:
            said.append(f"{way.note[:1].upper()}{way.note[1:]}.")
            continue
        verb = "would spend" if name == "alone" else "settle at a cost of"
        total = f"{format_number(way.cost)}{' in all' if name == 'alone' else ''}"
        said.append(f"{who} {verb} {total}{f', {way.note}' if way.note else ''}.")
    return " ".join(said)
