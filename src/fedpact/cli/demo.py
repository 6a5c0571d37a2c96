"""``fedpact demo``: the main job on the embedded Arizona hospitals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import fedpact as fp
from fedpact.cli.common import JsonOption, console, explain, print_json, progress_bar, show
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.explain import Explanation

_WORDS = words_of("demo")
_RECOVERED = 0.3


def work_out() -> Iterator[tuple[str, Any]]:
    """Yield what the demo shows, part by part, so that the plan need not wait for the rest."""
    fed = fp.examples.arizona_hospitals()
    yield "federation", fp.planning.summarise(fed)
    yield "standalone", fp.game.standalone(fed)
    plan = fp.plan(fed, max_nodes=1)  # a long search lowers neither its cost nor the gap to the bound
    yield "plan", plan
    with progress_bar(f"Comparing ways to organise {fed.k} hospitals") as report:
        compared = fp.compare(fed, time_limit=0, progress=report)
    yield "comparison", compared
    selfish = compared.row("best-equilibrium").contributions
    with progress_bar("Planning for every group of them"):
        split = fp.share(fed.restrict([name for name, count in selfish.items() if count]))
    yield "share", split
    yield "settlement", fp.settle(fed, plan, rule="pwyc", cost_recovery=_RECOVERED)
    yield "audit", fp.audit(fp.examples.pwyc_not_dominant(), rule="pwyc", n_misreports=300)


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
        print_json({part: one if part == "standalone" else one.to_dict() for part, one in found.items()})


def _show(part: str, found: dict[str, Any]) -> None:
    """Show a part, and what leads to it; the plan comes with what the hospitals want and would need alone."""
    if part in ("federation", "standalone"):
        return
    if part == "plan":
        show(_introduce(found["federation"], found["standalone"], found["plan"]))
    if f"before.{part}" in _WORDS:
        said = _WORDS.say(f"before.{part}", k=len(found["share"].shares), recovered=_RECOVERED)
        console().print(f"\n{said}", markup=False, soft_wrap=True)
    console().print()
    show(explain(found[part]))


def _introduce(summary: fp.planning.Summary, alone: dict[str, int | None], plan: fp.Plan) -> Explanation:
    from fedpact.explain import Explanation
    from fedpact.explain.against import find_costs, list_needs

    needs = list_needs(alone, find_costs(summary.agents, alone), plan=plan.contributions)
    epsilon, certainty = summary.agents[0].epsilon, 1 - summary.delta
    asked = _WORDS.say("asked", k=summary.k, epsilon=epsilon, certainty=certainty, H=summary.H)
    return Explanation(kind="demo", title=summary.name, headline=asked, tables=(replace(needs, is_folded=False),))
