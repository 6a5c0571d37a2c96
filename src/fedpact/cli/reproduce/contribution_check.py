"""``fedpact reproduce contribution-check``: how often honest and lying sites are flagged."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    PlotOption,
    SeedOption,
    answer,
    console,
    format_number,
    make_table,
    print_table,
    progress_bar,
    read_seed,
)


def contribution_check(
    sites: Annotated[int, typer.Option(help="Honest sites that are simulated per hospital and quota.")] = 10_000,
    level: Annotated[str, typer.Option(help="Chance with which an honest site may be flagged.")] = "0.01",
    seed: SeedOption = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate honest and lying hospitals, and count how often the check of contributions flags them.

    Example: [bold]fedpact reproduce contribution-check --plot caught.svg[/bold]
    """
    rng = read_seed(seed)
    with progress_bar("Simulating sites") as report:
        found = fp.experiments.reproduce_contribution_check(sites=sites, level=level, rng=rng, progress=report)
    answer(found, lambda: print_simulation(found), as_json=as_json, plot=plot)


def print_simulation(found: fp.experiments.ContributionSimulation) -> None:
    """Print one line per quota for honest sites, one per quota and lie for lying ones."""
    honest = make_table("samples", "honest sites", "flagged", "share", "upper limit of the worst hospital's")
    by_quota = defaultdict(list)
    for row in found.honest:
        by_quota[row.m].append(row)
    for m, rows in by_quota.items():
        sites, flagged = sum(row.sites for row in rows), sum(row.flagged for row in rows)
        worst = max(row.high for row in rows)
        cells = (f"{m:,}", f"{sites:,}", f"{flagged:,}", f"{flagged / sites:.5f}", f"{worst:.5f}")
        honest.add_row(*cells)
    print_table(f"{found.federation}: honest sites, level {found.level:g}", honest)
    lying = make_table("samples", "share that is not what was reported", "caught", "caught at least, exactly")
    by_lie = defaultdict(list)
    for liar in found.lying:
        by_lie[liar.m, liar.lie].append(liar)
    for (m, lie), group in by_lie.items():
        caught = sum(row.flagged for row in group) / sum(row.sites for row in group)
        bound = sum(row.caught for row in group) / len(group)
        lying.add_row(f"{m:,}", format_number(lie), f"{caught:.3f}", f"{bound:.3f}")
    print_table("lying sites", lying)
    console().print(found.status.value, soft_wrap=True)
