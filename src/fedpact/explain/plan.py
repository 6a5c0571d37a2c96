"""A plan in words: who labels how many, why that is enough, what it could cost less, what drives the cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fedpact.explain.explanation import Chart, Explanation, Fact, Mark, Point, Table
from fedpact.explain.generic import explain_as, make_chart, make_points, make_table, say_status
from fedpact.explain.words import sentence, words_of

if TYPE_CHECKING:  # a plan is shown without what other results need
    from fedpact.mechanism.payment.settlement import Settlement
    from fedpact.planning.result import Plan
    from fedpact.planning.shadow_prices import ShadowPrices

_WORDS = words_of("plan")
_MOST_RATIO = 1e6
"""Beyond it, a bound says nothing."""
_PAIRS = 8
_NAMED = 6
_FEW = 20
_BARS = 40


def _grade(plan: Plan) -> str:
    """Return what is known of how far a plan is from the optimum: the key of its words."""
    if plan.ratio <= 1 or plan.status == "optimal":
        return "optimal"
    if plan.ratio > _MOST_RATIO:
        return "unknown"
    return "near" if plan.ratio - 1 < 0.001 else "ratio"


def say_quality(plan: Plan) -> str:
    """Say how far a plan can be from the optimum."""
    return _WORDS.say(f"quality.{_grade(plan)}", above=plan.ratio - 1)


def _say_headline(plan: Plan) -> str:
    samples = sum(plan.contributions.values())
    if not samples:
        return _WORDS.say("headline_one" if plan.status == "one-candidate" else "headline_nothing")
    giving = sum(count > 0 for count in plan.contributions.values())
    quality = say_quality(plan)
    return _WORDS.say(
        "headline", giving=giving, k=len(plan.contributions), samples=samples, cost=plan.cost, quality=quality
    )


def _list_facts(plan: Plan) -> tuple[Fact, ...]:
    samples, given = sum(plan.contributions.values()), [count for count in plan.contributions.values() if count]
    if not samples:
        return ()
    labelling = _WORDS.say("facts.labelling_value", giving=len(given), k=len(plan.contributions))
    grade, mood = _grade(plan), "good" if _grade(plan) == "optimal" else ""
    label = _WORDS.say(f"facts.{'optimal' if mood else 'ratio'}", lower_bound=plan.lower_bound)
    value = _WORDS.say(f"facts.{grade}_value", above=plan.ratio - 1)
    said = {"samples": samples, "cost": plan.cost, "labelling": labelling}
    return (
        *(Fact(label=_WORDS.say(f"facts.{key}", n=samples), value=said[key], is_in_headline=True) for key in said),
        Fact(label=label, value=value, mood=mood, is_in_headline=True),  # type: ignore[arg-type]
    )


def _list_points(plan: Plan) -> tuple[Point, ...]:
    by = _WORDS.say(f"lower_bound_by.{plan.lower_bound_by}")
    bound = _WORDS.say("answers.bound", lower_bound=plan.lower_bound, by=by)
    known = {"near": "ratio"}.get(_grade(plan), _grade(plan))
    chosen = _WORDS.texts.get(f"chosen.{plan.chosen}", plan.chosen)
    said = {
        "known": sentence(say_status(plan)),
        "enough": sentence(_WORDS.say(f"proved_by.{plan.objective}.{plan.proved_by}")),
        "cheaper": _WORDS.say(f"answers.bound_{known}", bound=bound, ratio=plan.ratio),
        "found": _WORDS.say("answers.found", method=plan.method, chosen=chosen),
    }
    if plan.delta_price:
        said["certainty"] = _WORDS.say("answers.certainty", more=math.log(2) * plan.delta_price)
    return make_points(_WORDS, said)


def _list_too_few(plan: Plan) -> list[str]:
    """Say at which sites there are fewer points than samples are asked for."""
    few = plan.too_few_points or {}
    sites = [
        _WORDS.say("too_few.site", name=name, count=plan.contributions[name], points=points)
        for name, points in list(few.items())[:_NAMED]
    ]
    more = _WORDS.say("too_few.more", n=len(few) - _NAMED) if len(few) > _NAMED else ""
    return [_WORDS.say("too_few.all", n=len(few), sites=", ".join(sites) + more)] if few else []


def _list_sentences(plan: Plan) -> tuple[str, ...]:
    teacher, confidence = plan.teacher, plan.confidence
    known = {
        "measure": plan.status == "one-candidate",
        "teacher": teacher is not None,
        "sampled": plan.is_sampled,
        "confidence": confidence is not None,
    }
    said = _list_too_few(plan)
    said += _WORDS.say_those(known, teacher=teacher, confidence=confidence)
    for more in plan.more_points:
        key = "exact_points" if more.factor is None else "more_points"
        said.append(_WORDS.say(key, factor=more.factor, cost=more.cost, change=more.cost / plan.cost - 1))
    return tuple(said)


def _list_agents(plan: Plan) -> Table:
    """List who labels, and everybody where the agents are few."""
    shown = [name for name, count in plan.contributions.items() if count or len(plan.contributions) <= _FEW]
    given = plan.at_least
    if given is None:
        rows = [(name, plan.contributions[name], plan.costs[name]) for name in shown]
        return make_table(_WORDS, "plan", "agent, samples count, cost number", rows)
    to_come = [(name, count := plan.contributions[name], count - given[name], plan.costs[name]) for name in shown]
    return make_table(_WORDS, "plan", "agent, samples count, to_come count, cost number", to_come)


def _list_payments(plan: Plan, bill: Settlement) -> list[Table]:
    """List whom the plan concerns with what each is paid, and whom it does not."""
    counts, paid = bill.contributions, bill.payments
    idle = [name for name in counts if not counts[name] and not paid[name] and bill.met[name]]
    concerned = sorted((name for name in counts if name not in idle), key=lambda name: -counts[name])
    met, missed = Mark(_WORDS.say("agents.met")), Mark(_WORDS.say("agents.missed"), "bad")
    money = (plan.contributions, bill.labelling, bill.payments)
    all_met = _WORDS.say("agents.all_met", met=sum(bill.met.values()), k=len(bill.met))
    table = make_table(
        _WORDS,
        "plan",
        "agent, samples count, cost number, paid number, target",
        [(name, *(values[name] for values in money), met if bill.met[name] else missed) for name in concerned],
        title=_WORDS.say("agents.title"),
        note=_WORDS.say("agents.paid"),
        total=(_WORDS.say("agents.total"), sum(plan.contributions.values()), bill.cost, bill.deficit, all_met),
    )
    title = _WORDS.say("idle", n=len(idle))
    others = make_table(_WORDS, "others", "agent", [(name,) for name in idle], title=title, is_folded=True)
    return [*([table] if concerned else []), *([others] if idle else [])]


def _list_pairs(plan: Plan) -> Table:
    everybody = _WORDS.say("pairs.everybody")
    return make_table(
        _WORDS,
        "pairs",
        "truth, hypothesis, for, share share",
        [(pair.truth, pair.hypothesis, pair.agent or everybody, pair.share) for pair in plan.duals[:_PAIRS]],
        note=_WORDS.say("pairs.note"),
        rest=_WORDS.say("pairs.rest", shown=_PAIRS, all=len(plan.duals)) if len(plan.duals) > _PAIRS else "",
    )


def _say_most(counts: Sequence[tuple[int, str]]) -> str:
    """Say who labels most; ``counts`` begin with the largest and end with the smallest."""
    most, name = counts[0]
    if len(counts) == 1:
        return _WORDS.say("chart.all_by", name=name)
    if most > counts[1][0]:
        return _WORDS.say("chart.most_by", count=most, name=name)
    return _WORDS.say("chart.each" if most == counts[-1][0] else "chart.at_most", count=most)


def _chart(plan: Plan) -> tuple[Chart, ...]:
    """Give the data of the chart: contributors, most samples first; nothing where nobody labels."""
    counts = sorted(
        ((count, name) for name, count in plan.contributions.items() if count), key=lambda row: -row[0]
    )
    if not counts:
        return ()
    more = _WORDS.say("chart.more", shown=_BARS) if len(counts) > _BARS else ""
    samples, most = sum(plan.contributions.values()), _say_most(counts)
    said = _WORDS.say("chart.description", samples=samples, n=len(counts), most=most, more=more)
    rows = [(name, count, plan.costs[name]) for count, name in counts]
    return (make_chart(_WORDS, "plan", "agent, samples, cost", rows, [said]),)


def explain_plan(plan: Plan) -> Explanation:
    """Explain a plan."""
    return explain_as(
        plan,
        headline=_say_headline(plan),
        facts=_list_facts(plan),
        sentences=_list_sentences(plan),
        charts=_chart(plan),
        tables=(_list_agents(plan), *([_list_pairs(plan)] if plan.duals else [])),
        points=_list_points(plan),
    )


def explain_paid_plan(plan: Plan, bill: Settlement) -> Explanation:
    """Explain a plan together with what each agent is paid for it."""
    said = explain_plan(plan)
    return replace(said, tables=(*_list_payments(plan, bill), *said.tables[1:]))


_SHADOW = words_of("shadow-prices")


def _list_prices(prices: ShadowPrices) -> Table:
    """List whose target costs something, the largest share first."""
    priced = [(name, price) for name, price in prices.epsilon.items() if price.rate > 0 or price.share > 0]
    steps = ("rate",) if prices.objective == "expected" else ("next_epsilon", "saving")
    columns = ", ".join(["agent", "epsilon number", "share share", *(f"{step} number" for step in steps)])
    rows = [
        (name, price.epsilon, price.share, *(getattr(price, step) for step in steps))
        for name, price in sorted(priced, key=lambda entry: -entry[1].share)
    ]
    return make_table(_SHADOW, "agents", columns, rows)


def explain_shadow_prices(prices: ShadowPrices) -> Explanation:
    """Explain shadow prices."""
    table, said = _list_prices(prices), []
    free = sum(price.rate == 0 for price in prices.epsilon.values())
    if free:
        said.append(_SHADOW.say("free", free=free, k=len(prices.epsilon)))
    if prices.halving_delta:
        said.append(words_of("plan").say("answers.certainty", more=prices.halving_delta))
    return explain_as(
        prices,
        headline=_SHADOW.say("headline" if table.rows else "headline_nothing", cost=prices.fractional_cost),
        sentences=tuple(said),
        tables=(table,) if table.rows else (),
    )
