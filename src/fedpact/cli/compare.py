"""``fedpact compare``: going alone, counting samples only, equilibria and every planner, side by side."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    FileArgument,
    JsonOption,
    NodesOption,
    PlotOption,
    answer,
    console,
    format_number,
    make_table,
    print_table,
    progress_bar,
    read_federation,
)


def compare(
    file: FileArgument,
    max_nodes: NodesOption = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for the exact search, and as many for that of equilibria.")
    ] = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare what going alone, counting samples only, no coordination and every planner cost and achieve.

    Example: [bold]fedpact compare examples/singletons.toml[/bold]
    """
    fed = read_federation(file)
    with progress_bar("Comparing") as report:
        table = fp.compare(fed, max_nodes=max_nodes, time_limit=time_limit, progress=report)
    answer(table, lambda: print_comparison(table), as_json=as_json, plot=plot)


def print_comparison(comparison: fp.Comparison) -> None:
    """Print one line per row, then what stands out."""
    table = make_table("method", "samples", "cost", "times the best", "targets met")
    table.add_column("note", overflow="fold")
    for row in comparison.rows:
        times = comparison.times_best(row)
        table.add_row(
            escape(row.title),
            "-" if row.samples is None else f"{row.samples:,}",
            "-" if row.cost is None else format_number(row.cost),
            "-" if times is None else f"{times:.2f}",
            _targets_met(row),
            escape(_note(row)),
        )
    print_table(comparison.name, table)
    console().print(escape(describe(comparison)), soft_wrap=True)


def _targets_met(row: fp.planning.ComparedRow) -> str:
    if not row.met:
        return "-"
    colour = "green" if row.is_feasible else "red"
    return f"[{colour}]{_count_met(row)}[/{colour}]"


def _count_met(row: fp.planning.ComparedRow) -> str:
    return f"{sum(row.met.values())} of {len(row.met)}"


def _note(row: fp.planning.ComparedRow) -> str:
    if not row.is_feasible or row.ratio is None:
        return row.status
    return "optimal" if row.ratio == 1 else f"at most {row.ratio:.3f} times the optimum"


def _say_alone(comparison: fp.Comparison) -> str:
    row = comparison.row("alone")
    times = comparison.times_best(row)
    if row.cost is None:
        return f"Alone, {_count_met(row)} can meet their targets"
    if not row.is_feasible:
        return f"Everyone alone costs {format_number(row.cost)} and misses the {comparison.guarantee} guarantee"
    if times is None:
        return f"Everyone alone costs {format_number(row.cost)}"
    return f"Everyone alone costs {'as much as' if times == 1 else f'{times:.2f} times'} the best plan"


def _say_exchangeable(comparison: fp.Comparison) -> str:
    row = comparison.row("exchangeable")
    if not row.met:
        return "whoever counts samples only has no plan"
    jointly = ", but not all at once" if all(row.met.values()) and not row.is_feasible else ""
    return f"the exchangeable plan meets {_count_met(row)} targets{jointly}"


def _say_equilibria(comparison: fp.Comparison) -> str:
    best, worst = (comparison.row(f"{which}-equilibrium") for which in ("best", "worst"))
    times = [comparison.times_best(row) for row in (best, worst)]
    if not best.contributions:
        return f"if nobody coordinates: {best.status}"
    if not best.is_feasible or times[0] is None or times[1] is None:
        jointly = ", but not all at once" if all(best.met.values()) and not best.is_feasible else ""
        return f"if nobody coordinates, {_count_met(best)} targets are met{jointly}"
    span = f"{times[0]:.4g}" if times[0] == times[1] else f"{times[0]:.4g} to {times[1]:.4g}"
    return f"if nobody coordinates, the equilibria found cost {span} times the best plan"


def describe(comparison: fp.Comparison) -> str:
    """Say in plain words what going alone, counting samples only and no coordination lead to.

    Examples
    --------
    >>> print(describe(fp.compare(fp.examples.singletons())))
    Everyone alone costs 1.64 times the best plan; the exchangeable plan meets 1 of 2 targets;
    if nobody coordinates, the equilibria found cost 1 times the best plan.
    """
    said = f"{_say_alone(comparison)}; {_say_exchangeable(comparison)};\n{_say_equilibria(comparison)}."
    return said if comparison.best is not None else f"{said} No row is known to be enough."
