"""``fedpact reproduce truthfulness``: misreports under pay-what-you-contribute, with every planner."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    SeedOption,
    answer,
    console,
    format_number,
    make_table,
    print_table,
    progress_bar,
    read_seed,
)


def truthfulness(
    reports: Annotated[
        int, typer.Option(help="Misreports to try in all, shared equally by the five planners.")
    ] = 100_000,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Try misreports under pay-what-you-contribute with every planner; 100,000 take about half an hour.

    Example: [bold]fedpact reproduce truthfulness --reports 1000[/bold]
    """
    rng = read_seed(seed)
    with progress_bar("Trying misreports") as report:
        found = fp.experiments.reproduce_truthfulness(reports, rng=rng, progress=report)
    answer(found, lambda: print_truthfulness(found), as_json=as_json)


def print_truthfulness(found: fp.experiments.TruthfulnessSoak) -> None:
    """Print one line per planner."""
    table = make_table("planner", "federations", "misreports", "largest gain")
    for row in found.rows:
        table.add_row(row.method, f"{row.federations:,}", f"{row.tried:,}", format_number(row.gain))
    print_table("Pay what you contribute, one agent misreports, the others are truthful", table)
    verdict = "no misreport paid" if found.gain == 0 else f"a misreport paid {format_number(found.gain)}: a defect"
    console().print(f"{found.tried:,} misreports: {verdict}")
