"""``fedpact reproduce coverage``: how often plans from estimated rates miss the true target."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    PlotOption,
    SeedOption,
    answer,
    console,
    make_table,
    print_table,
    progress_bar,
    read_seed,
)


def coverage(
    federations: Annotated[
        int, typer.Option(help="Federations that are simulated for each number of unlabelled points.")
    ] = 300,
    confidence: Annotated[str, typer.Option(help="Confidence of the plans that allow for estimates.")] = "0.95",
    method: Annotated[
        str, typer.Option(help='Planner with and without the confidence: "lp", "union" or "tree".')
    ] = "union",
    seed: SeedOption = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate federations that plan from estimated rates, and count how often the true target is missed.

    Interrupted by Ctrl-C, it answers with what is done by then.

    Example: [bold]fedpact reproduce coverage --federations 30 --plot coverage.svg[/bold]
    """
    rng = read_seed(seed)
    with progress_bar("Planning from estimates") as report:
        found = fp.experiments.reproduce_coverage(
            federations=federations, confidence=confidence, method=method, rng=rng, progress=report
        )
    answer(found, lambda: print_coverage(found), as_json=as_json, plot=plot)


def print_coverage(found: fp.experiments.CoverageSimulation) -> None:
    """Print one line per number of points and way of planning."""
    table = make_table("points", "plan", "federations", "missed", "unsure", "share", "limits", "cost", left=2)
    for row in found.rows:
        table.add_row(
            f"{row.n:,}",
            row.plan,
            f"{row.federations:,}",
            f"{row.missed:,}",
            f"{row.undecided:,}",
            f"{row.share:.3f}",
            f"{row.low:.3f} - {row.high:.3f}",
            f"{row.cost_ratio:.2f}",
        )
    promise = f"confident plans promise at most {1 - found.confidence:.6g}"
    print_table(f"true targets missed by {found.method}; {promise}", table)
    out = console()
    if not found.is_complete:
        out.print("interrupted: fewer federations were simulated than asked for")
    out.print(found.status.value, soft_wrap=True)
