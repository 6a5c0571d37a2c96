"""``fedpact demo``: the main job on the embedded Arizona hospitals."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from rich.markup import escape

import fedpact as fp
from fedpact.cli.audit import print_audit
from fedpact.cli.common import (
    JsonOption,
    answer,
    console,
    format_number,
    make_table,
    print_table,
    progress_bar,
)
from fedpact.cli.compare import print_comparison
from fedpact.cli.pay import say_money
from fedpact.cli.plan import print_certificate
from fedpact.cli.share import print_share

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
    answer(shown, lambda: _print(shown), as_json=as_json)


def _print(shown: Demonstration) -> None:
    fed = shown.fed
    console().print(
        f"{fed.k} hospitals want one model of their cardiac patients. Each tolerates an error of "
        f"{fed.epsilon[0]:g} on its own patients,\nwith probability {1 - fed.delta:g}; "
        f"{fed.H} candidate rules, any of which may be the right one. Who should label how many charts?\n"
    )
    _print_shares(fed, shown.standalone, shown.plan)
    print_certificate(shown.plan)
    console().print()
    print_comparison(shown.comparison)
    consortium = shown.consortium
    console().print(
        f"\nIf nobody coordinates, {consortium.k} hospitals end up labelling for all. Those {consortium.k} by "
        "themselves, with nobody to pay for them,\nwould split the cost of their own plan so that no group of "
        "them does better by leaving:\n"
    )
    print_share(consortium, shown.share)
    console().print(
        f"\nWith a funder, whoever labels is paid what that costs, and fees bring back about {_RECOVERED:.0%}:\n"
    )
    _print_payments(fed, shown.settlement)
    console().print(
        "\nDoes it pay to misreport? Among truthful agents never; but agents may have to answer a lie, as in the "
        "example pwyc-not-dominant:\n"
    )
    print_audit("pwyc-not-dominant", shown.audit)


def _print_payments(fed: fp.Federation, bill: fp.Settlement) -> None:
    table = make_table("hospital", "charts", "labelling cost", "fee", "payment")
    for name in (name for name in fed.names if bill.contributions[name]):
        amounts = (bill.labelling[name], bill.fees[name], bill.payments[name])
        table.add_row(escape(name), f"{bill.contributions[name]:,}", *(f"{amount:.2f}" for amount in amounts))
    idle = [bill.fees[name] for name in fed.names if not bill.contributions[name]]
    print_table("Pay what you contribute", table)
    out = console()
    out.print(
        f"the other {len(idle)} hospitals label nothing and pay fees from {min(idle):.2f} to {max(idle):.2f}"
    )
    out.print(say_money(bill))
    out.print(bill.status.value)


def _print_shares(fed: fp.Federation, alone: dict[str, int | None], found: fp.Plan) -> None:
    table = make_table(
        "hospital", "cost per chart", "charts alone", "cost alone", "charts planned", "cost planned"
    )
    for agent in fed.agents:
        need, share = alone[agent.name], found.contributions[agent.name]
        cells = ("never enough", "-") if need is None else (f"{need:,}", format_number(float(agent.cost(need))))
        planned = (f"{share:,}", format_number(float(agent.cost(share)))) if share else ("-", "-")
        table.add_row(escape(agent.name), format_number(float(agent.cost(1))), *cells, *planned)
    print_table(f"The plan: {found.m.sum():,} charts for {format_number(found.cost)}", table)
