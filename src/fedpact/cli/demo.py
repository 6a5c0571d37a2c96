"""``fedpact demo``: the main job on the embedded Arizona hospitals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import fedpact as fp
from fedpact.cli.common import JsonOption, console, explain, print_json, progress_bar, show
from fedpact.explain import Explanation
from fedpact.explain.words import words_of

_WORDS = words_of("demo")
_RECOVERED = 0.3
_RUNS = 40


def work_out() -> Iterator[tuple[str, Any]]:
    """Yield what the demo shows, part by part, so that the plan need not wait for the rest."""
    fed = fp.examples.arizona_hospitals()
    yield "federation", fp.planning.summarise(fed)
    yield "standalone", fp.game.standalone(fed)
    plan = fp.plan(fed, max_nodes=1)  # a long search lowers neither its cost nor the gap to the bound
    yield "plan", plan
    yield "asked", _ask_where_it_matters(fed, plan)
    with progress_bar("Asking if no rule is right") as report:
        yield "forecast", fp.forecast(fed, assume="agnostic", batch=1, runs=_RUNS, progress=report)
    with progress_bar(f"Comparing ways to organise {fed.k} hospitals") as report:
        compared = fp.compare(fed, time_limit=0, progress=report)
    yield "comparison", compared
    selfish = compared.row("best-equilibrium").contributions
    with progress_bar("Planning for every group of them"):
        split = fp.share(fed.restrict([name for name, count in selfish.items() if count]))
    yield "share", split
    yield "settlement", fp.settle(fed, plan, rule="pwyc", cost_recovery=_RECOVERED)
    yield "audit", fp.audit(fp.examples.pwyc_not_dominant(), rule="pwyc", n_misreports=300)


def _ask_where_it_matters(fed: fp.Federation, plan: fp.Plan) -> dict[str, dict[str, float]]:
    """Label by every rule in turn: labels and cost, of a plan's draws and of chosen points."""
    found: dict[str, dict[str, float]] = {}
    for way, draws in {"implied-free": plan, "adaptive": None}.items():
        seen = [fp.select(fed, truth, ask=way, plan=draws) for truth in fed.hypotheses]
        labels, costs = [one.labels for one in seen], [one.cost for one in seen]
        means = {"labels": sum(labels) / len(labels), "cost": sum(costs) / len(costs)}
        found[way] = means | {"labels_worst": max(labels), "cost_worst": max(costs)}
    return found


def demo(as_json: JsonOption = False) -> None:
    """Plan for 17 Arizona hospitals: who labels how many charts, at what cost, for what pay, and if nobody plans.

    Example: [bold]fedpact demo[/bold]
    """
    found: dict[str, Any] = {}
    for part, result in work_out():
        found[part] = result
        if not as_json:
            _show(part, found)
    if as_json:
        print_json({part: one if isinstance(one, dict) else one.to_dict() for part, one in found.items()})


def _show(part: str, found: dict[str, Any]) -> None:
    """Show a part, and what leads to it; the plan comes with what the hospitals want and would need alone."""
    if part in ("federation", "standalone", "plan"):
        return
    if part == "asked":
        show(_introduce(found))
        console().print()
        show(explain(found["plan"]))
        return
    shares = found["share"].shares if "share" in found else ()
    if f"before.{part}" in _WORDS:
        said = _WORDS.say(f"before.{part}", k=len(shares), recovered=_RECOVERED)
        console().print(f"\n{said}", markup=False, soft_wrap=True)
    console().print()
    show(explain(found[part]))


def _introduce(found: dict[str, Any]) -> Explanation:
    """Say what is wanted, and what it takes: alone, by the plan, and asked only where it matters."""
    from fedpact.explain.against import find_costs
    from fedpact.explain.generic import make_table, say_assumption

    summary, alone, plan = found["federation"], found["standalone"], found["plan"]
    epsilon, certainty = summary.agents[0].epsilon, 1 - summary.delta
    asked = _WORDS.say("asked", k=summary.k, epsilon=epsilon, certainty=certainty, H=summary.H)
    costs = find_costs(summary.agents, alone)
    rows = [
        (_WORDS.say("way.alone"), sum(alone.values()), sum(cost or 0.0 for cost in costs.values())),
        (_WORDS.say("way.plan"), sum(plan.contributions.values()), plan.cost),
        *((_WORDS.say(f"way.{way}"), round(one["labels"], 1), one["cost"]) for way, one in found["asked"].items()),
    ]
    table = make_table(
        _WORDS, "ways", "way, labels number, cost number", rows, note=_WORDS.say("mean", H=summary.H)
    )
    return Explanation(
        kind="demo", title=summary.name, headline=asked, premise=say_assumption(summary), tables=(table,)
    )
