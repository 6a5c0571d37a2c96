"""``fedpact pay``: what each agent is paid for its contribution, and who brings the money."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    AloneOption,
    CeilingOption,
    ConfidenceOption,
    FeeOption,
    FileArgument,
    JsonOption,
    PivotOption,
    PlotOption,
    RecoverOption,
    SecondsOption,
    WorthOption,
    answer,
    console,
    format_amount,
    format_number,
    make_table,
    plan_with_bar,
    print_table,
    read_amounts,
    read_federation,
    read_m,
    say_rule,
)
from fedpact.cli.complete import METHODS, RULES, one_of


def pay(
    file: FileArgument,
    rule: Annotated[
        str,
        typer.Option(
            help='"pwyc" (pay what you contribute), "vcg", "vcg-verified", "threshold", "none", "equal-split" or '
            '"proportional" (to the cost alone).',
            autocompletion=one_of(*RULES),
        ),
    ] = "pwyc",
    method: Annotated[
        str | None,
        typer.Option(
            help='How contributions are planned: "lp", "union", "tree", "exact", or "auto" if not given.',
            autocompletion=one_of(*METHODS),
        ),
    ] = None,
    confidence: ConfidenceOption = None,
    time_limit: SecondsOption = None,
    m: Annotated[
        str | None,
        typer.Option(metavar="LIST", help='Pay for these contributions instead, "3,2" or "alice=3,bob=2".'),
    ] = None,
    fee: FeeOption = None,
    cost_recovery: RecoverOption = None,
    min_standalone: AloneOption = None,
    pivot: PivotOption = "none",
    ceiling: CeilingOption = None,
    worth: WorthOption = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Pay for the plan by a rule: payments, what everybody is left with, spend, and the deficit.

    "alone" is what an agent would be left with that labels by itself all it needs.

    Example: [bold]fedpact pay examples/alice-bob.toml --cost-recovery 0.2[/bold]
    """
    fed = read_federation(file)
    bill = fp.settle(
        fed,
        _find_contributions(fed, rule, method, m, confidence=confidence, time_limit=time_limit),
        rule,
        fee=read_amounts(fee, "fee"),
        cost_recovery=cost_recovery,
        min_standalone=read_amounts(min_standalone, "min_standalone"),
        pivot=pivot,
        ceiling=read_amounts(ceiling, "ceiling"),
        worth=read_amounts(worth, "worth"),
    )
    answer(bill, lambda: print_settlement(fed.name, bill), as_json=as_json, plot=plot)


def _find_contributions(
    fed: fp.Federation, rule: str, method: str | None, m: str | None, **options: Any
) -> fp.Plan | list[str] | dict[str, str] | None:
    """Plan, unless contributions are given or the rule has its own."""
    if m is not None and method is not None:
        raise fp.FederationError(
            "--method and --m cannot both be given: contributions are planned, or they are given"
        )
    if options["confidence"] is not None and (m is not None or rule == "threshold"):
        raise fp.FederationError(
            "--confidence is about planning, and with --m or rule threshold nothing is planned; leave it out"
        )
    if m is not None:
        return read_m(m)
    if rule == "threshold":
        if method not in (None, "lp"):
            raise fp.FederationError(
                f"--method is given by rule 'threshold', the paper's program; it is {method!r}"
            )
        return None
    return plan_with_bar(fed, method or "auto", **options)


def print_settlement(name: str, bill: fp.Settlement) -> None:
    """Print one line per agent, then where the money comes from."""
    columns = ["samples", "labelling cost", "fee", "payment", "worth of target", "left with", "alone"]
    table = make_table("agent", *columns)
    for agent in bill.payments:
        table.add_row(
            escape(agent),
            f"{bill.contributions[agent]:,}",
            *(
                format_amount(amounts[agent], bill.worth[agent])
                for amounts in (
                    bill.labelling,
                    bill.fees,
                    bill.payments,
                    bill.worth,
                    bill.utility,
                    bill.utility_alone,
                )
            ),
        )
    print_table(f"{name}: rule {say_rule(bill.rule, bill.pivot)}", table)
    out = console()
    out.print("worth of target: what meeting it is worth to an agent; set it with --worth")
    if bill.rule == "threshold":
        out.print("threshold pays for contributions of its own: those of the paper's program, rounded up")
    out.print(escape(say_money(bill)), soft_wrap=True)
    missed = [agent for agent, is_met in bill.met.items() if not is_met]
    whom = missed or bill.leaving
    out.print(escape(f"{bill.status.value}{': ' if whom else ''}{', '.join(whom)}"), soft_wrap=True)


def say_money(bill: fp.Settlement) -> str:
    """Say what is paid out, what comes back, and what that is beside the cost of labelling."""
    size = max(abs(bill.spend), bill.cost)
    spend, recovered, deficit = (format_amount(part, size) for part in (bill.spend, bill.recovered, bill.deficit))
    money = f"spend {spend}, recovered {recovered}{_say_share(bill)}, deficit {deficit}"
    if bill.overpayment > 1e-9 * size:
        return f"{money}: {format_number(bill.overpayment)} more than labelling costs"
    return money if bill.deficit > -1e-9 * size else f"{money}: the agents pay more than is spent"


def _say_share(bill: fp.Settlement) -> str:
    """Say which share of the spend fees bring back, where one was asked for."""
    if bill.cost_recovery is None or not bill.spend:
        return ""
    return f" ({bill.recovered / bill.spend:.0%} of it; about {bill.cost_recovery:.0%} were asked for)"
