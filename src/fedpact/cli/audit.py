"""``fedpact audit``: look for misreports that pay, under one payment rule or under all of them."""

from __future__ import annotations

from typing import Annotated, Any

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
    RecoverOption,
    SeedOption,
    WorthOption,
    answer,
    console,
    format_amount,
    format_number,
    make_table,
    print_table,
    progress_bar,
    read_amounts,
    read_federation,
    read_seed,
    say_rule,
)
from fedpact.cli.complete import METHODS, RULES, one_of

_SHOWN = 6
_HAS = {False: "has", True: "have"}


def audit(
    file: FileArgument,
    rule: Annotated[
        str,
        typer.Option(
            help='"pwyc", "vcg", "vcg-verified", "threshold", "none", "equal-split", "proportional", or "all" '
            "for a table of them.",
            autocompletion=one_of(*RULES, "all"),
        ),
    ] = "pwyc",
    method: Annotated[
        str | None,
        typer.Option(
            help='How the mechanism plans; "lp" if not given, and "exact" for the VCG rules.',
            autocompletion=one_of(*METHODS),
        ),
    ] = None,
    n_misreports: Annotated[
        int | None, typer.Option(help="How many misreports to try; 1000 if not given, 200 for each of all rules.")
    ] = None,
    private: Annotated[
        str | None,
        typer.Option(help='What agents may misreport: "data", or "costs" as for "threshold" if not given.'),
    ] = None,
    fee: FeeOption = None,
    cost_recovery: RecoverOption = None,
    min_standalone: AloneOption = None,
    pivot: PivotOption = "none",
    ceiling: CeilingOption = None,
    worth: WorthOption = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds after which an audit stops with what it has found.")
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Look for misreports that pay: of one agent, against liars, of two together, and under two names.

    Example: [bold]fedpact audit "pwyc-not-dominant(1/20)" --rule all --ceiling 1[/bold]
    """
    fed, rng = read_federation(file), read_seed(seed)
    ceilings, worths = read_amounts(ceiling, "ceiling"), read_amounts(worth, "worth")
    if rule == "all":
        _refuse_with_all(
            fee=fee,
            cost_recovery=cost_recovery,
            min_standalone=min_standalone,
            private=private,
            pivot=None if pivot == "none" else pivot,
        )
        with progress_bar("Settling and auditing") as report:
            table = fp.mechanism.compare_rules(
                fed,
                **_given(method=method, n_misreports=n_misreports),
                ceiling=ceilings,
                worth=worths,
                time_limit=time_limit,
                rng=rng,
                progress=report,
            )
        answer(table, lambda: print_rules(fed.name, table), as_json=as_json)
        return
    with progress_bar("Trying misreports") as report:
        seen = fp.audit(
            fed,
            rule,
            **_given(method=method, n_misreports=n_misreports),
            private=private,
            fee=read_amounts(fee, "fee"),
            cost_recovery=cost_recovery,
            min_standalone=read_amounts(min_standalone, "min_standalone"),
            pivot=pivot,
            ceiling=ceilings,
            worth=worths,
            time_limit=time_limit,
            rng=rng,
            progress=report,
        )
    answer(seen, lambda: print_audit(fed.name, seen), as_json=as_json)


def _given(**options: Any) -> dict[str, Any]:
    return {key: value for key, value in options.items() if value is not None}


def _refuse_with_all(**options: Any) -> None:
    for key in _given(**options):
        raise fp.FederationError(
            f"--{key.replace('_', '-')} belongs to one rule; name it with --rule instead of 'all'"
        )


def print_audit(name: str, seen: fp.Audit) -> None:
    """Print the largest gain in every sense, the worst lie, and the verdict."""
    table = make_table("who misreports", "largest gain found", "reports tried")
    for who, gain, tried in (
        ("one agent, the others truthful (ex post)", seen.gain, seen.ex_post.tried),
        ("one agent, others lie as well (dominant)", seen.gain_dominant, seen.dominant.tried),
        ("two agents together (coalition)", seen.pair.gain, seen.pair.tried),
        ("one agent under two names (coalition)", seen.split.gain, seen.split.tried),
    ):
        table.add_row(who, _say_gain(gain, tried), f"{tried:,}")
    rule = say_rule(seen.rule, seen.pivot)
    print_table(f"{name}: rule {rule}, plans by {seen.method}, private {seen.private}", table)
    out = console()
    if seen.witness is not None:
        for line in say_witness(seen.witness):
            out.print(escape(line), soft_wrap=True)
    if seen.undecided:
        out.print(f"{seen.undecided:,} reports were left out: their optimum could not be proved")
    out.print(escape(seen.verdict), soft_wrap=True)


def _say_gain(gain: float, tried: int) -> str:
    return format_number(gain) if tried or gain else "-"


def say_witness(lie: fp.mechanism.Witness) -> list[str]:
    """Say in a few lines what is reported, what that changes and what it brings."""
    lines = [f"where {name} lies and reports {_say_report(report)}:" for name, report in lie.given.items()]
    lines += [f"{name} reports {_say_report(report)} instead of the truth" for name, report in lie.reports.items()]
    before, after = _say_plan(lie.contributions_truthful), _say_plan(lie.contributions_lying)
    lines.append(f"the plan stays {after}" if before == after else f"the plan becomes {after} instead of {before}")
    lost = [name for name, is_met in lie.met_lying.items() if lie.met_truthful[name] and not is_met]
    won = [name for name, is_met in lie.met_lying.items() if is_met and not lie.met_truthful[name]]
    if lost:
        lines.append(f"which in truth misses the target of {', '.join(lost)}")
    if won:
        lines.append(f"which in truth meets the target of {', '.join(won)}, missed otherwise")
    left, had = format_number(lie.utility_lying), format_number(lie.utility_truthful)
    who = " and ".join(lie.agents)
    lines.append(f"{who} {_HAS[len(lie.agents) > 1]} {left} instead of {had}, a gain of {format_number(lie.gain)}")
    return lines


def _say_report(report: dict[str, float]) -> str:
    """Write the largest entries of a report.

    Examples
    --------
    >>> _say_report({"x1": 0.25, "x2": 0.75})
    'x1 0.25, x2 0.75'
    """
    largest = sorted(report, key=lambda entry: -report[entry])[:_SHOWN]
    shown = ", ".join(f"{entry} {format_number(report[entry])}" for entry in report if entry in largest)
    return shown if len(report) <= _SHOWN else f"{shown} and {len(report) - _SHOWN} more"


def _say_plan(contributions: dict[str, int]) -> str:
    giving = [f"{name} {count:,}" for name, count in contributions.items() if count]
    return ", ".join(giving) if giving else "nothing"


def print_rules(name: str, comparison: fp.mechanism.RuleComparison) -> None:
    """Print one line per rule, then why some could not be applied."""
    columns = ["rule", "truthful", "cost", "spend", "deficit", "overpaid", "gain ex post", "dominant", "coalition"]
    table = make_table(*columns, left=2)
    for row in comparison.rows:
        title = say_rule(row.rule, row.pivot)
        bill, seen = row.settlement, row.audit
        if bill is None or seen is None:
            table.add_row(title, "refused", *["-"] * 7)
            continue
        size = max(abs(bill.spend), bill.cost)
        amounts = [format_amount(x, size) for x in (bill.cost, bill.spend, bill.deficit, bill.overpayment)]
        gains = [
            _say_gain(seen.gain, seen.ex_post.tried),
            _say_gain(seen.gain_dominant, seen.dominant.tried),
            _say_gain(seen.gain_coalition, seen.pair.tried + seen.split.tried),
        ]
        table.add_row(title, f"{seen.truthful.value} ({seen.private})", *amounts, *gains)
    print_table(f"{name}: payment rules side by side", table)
    out = console()
    for row in comparison.rows:
        if row.refused is not None:
            out.print(f"- {escape(row.rule)}: {escape(row.refused)}", soft_wrap=True)
    tried = sum(row.audit.tried for row in comparison.rows if row.audit is not None)
    out.print(
        f"gains are the largest found in {tried:,} misreports; plans by {comparison.method}, the VCG rules' by "
        f"exact, threshold's by the paper's program",
        soft_wrap=True,
    )
    if not comparison.is_complete:
        out.print("stopped early: not all misreports were tried that were asked for")
