"""``fedpact pay``: what each agent is paid for its contribution, and who brings the money."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import fedpact as fp
from fedpact.cli.common import (
    AloneOption,
    AssumeOption,
    CeilingOption,
    ConfidenceOption,
    FeeOption,
    FileArgument,
    JsonOption,
    NoiseOption,
    PivotOption,
    PlotOption,
    RecoverOption,
    SecondsOption,
    WorthOption,
    answer,
    plan_with_bar,
    read_amounts,
    read_federation,
    read_m,
)
from fedpact.cli.complete import METHOD_NAMES, METHODS, RULES, choose, list_choices


def pay(
    file: FileArgument,
    rule: Annotated[
        str,
        choose(
            RULES, f"{list_choices(*RULES)}; pwyc is pay what you contribute, proportional is to the cost alone."
        ),
    ] = "pwyc",
    method: Annotated[
        str | None, choose(METHODS, f"How contributions are planned: {METHOD_NAMES}, which it is if not given.")
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
    assume: AssumeOption = None,
    noise: NoiseOption = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Pay for the plan by a rule: payments, what everybody is left with, spend, and the deficit.

    "alone" is what an agent would be left with that labels by itself all it needs.

    Example: [bold]fedpact pay alice-bob --cost-recovery 0.2[/bold]
    """
    fed = read_federation(file, assume, noise)
    if confidence is not None:
        fed = fp.planning.at_confidence(fed, confidence)
    bill = fp.settle(
        fed,
        _find_contributions(fed, rule, method, m, time_limit=time_limit),
        rule,
        fee=read_amounts(fee, "fee"),
        cost_recovery=cost_recovery,
        min_standalone=read_amounts(min_standalone, "min_standalone"),
        pivot=pivot,
        ceiling=read_amounts(ceiling, "ceiling"),
        worth=read_amounts(worth, "worth"),
    )
    answer(bill, as_json=as_json, plot=plot)


def _find_contributions(
    fed: fp.Federation, rule: str, method: str | None, m: str | None, **options: Any
) -> fp.Plan | list[str] | dict[str, str] | None:
    """Plan, unless contributions are given or the rule has its own."""
    from fedpact.mechanism.payment.rule import PlanningRule
    from fedpact.mechanism.payment.rules import RULES as TABLE

    plans_itself = isinstance(TABLE.get(rule), PlanningRule)
    if m is not None and method is not None:
        raise fp.FederationError(
            "--method and --m cannot both be given: contributions are planned, or they are given"
        )
    if m is not None:
        return read_m(m)
    if plans_itself:
        if method not in (None, "lp"):
            raise fp.FederationError(f"--method is given by rule {rule!r}, the paper's program; it is {method!r}")
        return None
    return plan_with_bar(fed, method or "auto", **options)
