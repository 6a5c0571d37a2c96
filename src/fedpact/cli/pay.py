"""``fedpact pay``: what each agent is paid for its contribution, and who brings the money."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    AloneOption,
    CeilingOption,
    FeeOption,
    FileArgument,
    JsonOption,
    PivotOption,
    PlotOption,
    RecoverOption,
    SecondsOption,
    WorthOption,
    console,
    format_number,
    make_table,
    print_json,
    print_table,
    read_amounts,
    read_federation,
    read_m,
    save_plot,
    say_rule,
)


def pay(
    file: FileArgument,
    rule: Annotated[
        str,
        typer.Option(
            help='"pwyc" (pay what you contribute), "vcg", "vcg-verified", "threshold", "none", "equal-split" or '
            '"proportional" (to the cost alone).'
        ),
    ] = "pwyc",
    method: Annotated[
        str, typer.Option(help='How contributions are planned: "lp", "union", "tree", "exact" or "auto".')
    ] = "auto",
    time_limit: SecondsOption = None,
    m: Annotated[
        str | None,
        typer.Option(metavar="LIST", help='Pay for these contributions instead, "3,2" or "alice=3,bob=2".'),
    ] = None,
    fee: FeeOption = None,
    recover: RecoverOption = None,
    alone_at_least: AloneOption = None,
    pivot: PivotOption = "none",
    ceiling: CeilingOption = None,
    worth: WorthOption = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Pay for the plan by a rule: payments, what everybody is left with, spend, and the deficit.

    "alone" is what an agent would be left with that labels by itself all it needs.

    Example: [bold]fedpact pay examples/alice-bob.toml --recover 0.2[/bold]
    """
    fed = read_federation(file)
    bill = fp.settle(
        fed,
        fp.plan(fed, method, time_limit=time_limit) if m is None else read_m(m),
        rule,
        fee=read_amounts(fee, "fee"),
        recover=recover,
        alone_at_least=read_amounts(alone_at_least, "alone_at_least"),
        pivot=pivot,
        ceiling=read_amounts(ceiling, "ceiling"),
        worth=read_amounts(worth, "worth"),
    )
    if as_json:
        print_json(bill.to_dict())
    else:
        print_settlement(fed.name, bill)
    if plot is not None:
        save_plot(bill, plot)


def print_settlement(name: str, bill: fp.Settlement) -> None:
    """Print one line per agent, then where the money comes from."""
    table = make_table("agent", "samples", "labelling cost", "fee", "payment", "left with", "alone")
    for agent in bill.payments:
        table.add_row(
            escape(agent),
            f"{bill.contributions[agent]:,}",
            *(
                format_number(amounts[agent])
                for amounts in (bill.labelling, bill.fees, bill.payments, bill.utility, bill.utility_alone)
            ),
        )
    print_table(f"{name}: rule {say_rule(bill.rule, bill.pivot)}", table)
    out = console()
    out.print(escape(say_money(bill)), soft_wrap=True)
    missed = [agent for agent, is_met in bill.met.items() if not is_met]
    if missed:
        out.print(escape(f"these contributions do not meet the targets of {', '.join(missed)}"), soft_wrap=True)
    leaving = f": {', '.join(bill.leaving)}" if bill.leaving else ""
    out.print(escape(f"{bill.status.value}{leaving}"), soft_wrap=True)


def say_money(bill: fp.Settlement) -> str:
    """Say what is paid out, what comes back, and what that is beside the cost of labelling."""
    spend, recovered, deficit = (format_number(amount) for amount in (bill.spend, bill.recovered, bill.deficit))
    money = f"spend {spend}, recovered {recovered}, deficit {deficit}"
    if bill.overpayment > 1e-9 * max(1.0, bill.cost):
        return f"{money}: {format_number(bill.overpayment)} more than labelling costs"
    return money if bill.deficit > -1e-9 else f"{money}: the agents pay more than is spent"
