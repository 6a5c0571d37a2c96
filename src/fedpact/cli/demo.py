"""``fedpact demo``: the main job on the embedded Arizona hospitals."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import fedpact as fp
from fedpact.cli.common import JsonOption, console, explain, print_json, progress_bar, show
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.explain import Explanation

_WORDS = words_of("demo")
_RECOVERED = 0.3


class Demonstration:
    """What the demo shows; each part is worked out when it is first asked for, so that the plan need not wait."""

    def __init__(self) -> None:
        self.fed = fp.examples.arizona_hospitals()

    @cached_property
    def plan(self) -> fp.Plan:
        """The plan, without a long search: that lowers neither its cost nor the gap to the bound."""
        return fp.plan(self.fed, max_nodes=1)

    @cached_property
    def standalone(self) -> dict[str, int | None]:
        """What each hospital needs alone."""
        return fp.game.standalone(self.fed)

    @cached_property
    def comparison(self) -> fp.Comparison:
        """Every way to organise it."""
        with progress_bar(f"Comparing ways to organise {self.fed.k} hospitals") as report:
            return fp.compare(self.fed, time_limit=0, progress=report)

    @cached_property
    def consortium(self) -> fp.Federation:
        """Those who label if nobody coordinates."""
        selfish = self.comparison.row("best-equilibrium").contributions
        return self.fed.restrict([name for name, count in selfish.items() if count])

    @cached_property
    def share(self) -> fp.Share:
        """How they would split the cost of their own plan."""
        with progress_bar("Planning for every group of them"):
            return fp.share(self.consortium)

    @cached_property
    def settlement(self) -> fp.Settlement:
        """What each is paid for the plan."""
        return fp.settle(self.fed, self.plan, rule="pwyc", cost_recovery=_RECOVERED)

    @cached_property
    def audit(self) -> fp.Audit:
        """Whether it pays to misreport."""
        return fp.audit(fp.examples.pwyc_not_dominant(), rule="pwyc", n_misreports=300)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "federation": fp.planning.summarise(self.fed).to_dict(),
            "standalone": self.standalone,
            "comparison": self.comparison.to_dict(),
            "plan": self.plan.to_dict(),
            "share": self.share.to_dict(),
            "settlement": self.settlement.to_dict(),
            "audit": self.audit.to_dict(),
        }


def demo(as_json: JsonOption = False) -> None:
    """Plan for 17 Arizona hospitals: who labels how many charts, at what cost, for what pay, and if nobody plans.

    Example: [bold]fedpact demo[/bold]
    """
    shown = Demonstration()
    if as_json:
        print_json(shown.to_dict())
    else:
        _show_all(shown)


def _show_all(shown: Demonstration) -> None:
    show(_introduce(shown))
    _show(shown.plan)
    _show(shown.comparison)
    _lead_to("share", k=shown.consortium.k)
    _show(shown.share)
    _lead_to("settlement", recovered=_RECOVERED)
    _show(shown.settlement)
    _lead_to("audit")
    _show(shown.audit)


def _introduce(shown: Demonstration) -> Explanation:
    """Say what the hospitals want, and what each would need alone."""
    from fedpact.explain import Explanation
    from fedpact.explain.against import list_needs

    fed, alone = shown.fed, shown.standalone
    costs = {
        agent.name: None if (need := alone[agent.name]) is None else float(agent.cost(need))
        for agent in fed.agents
    }
    needs = list_needs(alone, costs, plan=shown.plan.contributions)
    asked = _WORDS.say("asked", k=fed.k, epsilon=float(fed.epsilon[0]), certainty=1 - fed.delta, H=fed.H)
    return Explanation(kind="demo", title=fed.name, headline=asked, tables=(replace(needs, is_folded=False),))


def _lead_to(part: str, **values: Any) -> None:
    console().print(f"\n{_WORDS.say(f'before.{part}', **values)}", markup=False, soft_wrap=True)


def _show(result: Any) -> None:
    console().print()
    show(explain(result))
