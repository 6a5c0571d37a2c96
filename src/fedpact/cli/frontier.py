"""``fedpact frontier``: what accuracy, or certainty, costs."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    AssumeOption,
    FileArgument,
    JsonOption,
    PlotOption,
    answer,
    progress_bar,
    read_federation,
    read_list,
)
from fedpact.cli.complete import METHODS, choose

_FACTORS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0)


def frontier(
    file: FileArgument,
    epsilon: Annotated[
        str | None, typer.Option(metavar="LIST", help='Tolerated errors for all agents, such as "0.05,0.1,0.2".')
    ] = None,
    delta: Annotated[
        str | None, typer.Option(metavar="LIST", help='Probabilities of missing a target, such as "0.01,0.1".')
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help='How often labels are wrong, such as "0,0.05,0.1"; a single one is for every point.',
        ),
    ] = None,
    assume: AssumeOption = None,
    method: Annotated[str, choose(METHODS, "As for plan.")] = "auto",
    max_nodes: Annotated[
        int | None, typer.Option(help="Boxes per point that the exact search may look at.")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds per point for the exact search.")] = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what accuracy (epsilon), certainty (delta) or wrong labels (noise) cost: one plan per value.

    Without values: epsilon from half the smallest to three times the largest of the federation.

    Example: [bold]fedpact frontier alice-bob --delta 0.4,0.1,0.02[/bold]
    """
    levels = read_list(noise, "noise") if noise is not None and "," in noise else None
    fed = read_federation(file, assume, noise if levels is None else None)
    with progress_bar("Planning along the curve") as report:
        curve = fp.frontier(
            fed,
            epsilon=_around(fed) if not (epsilon or delta or levels) else read_list(epsilon, "epsilon"),
            delta=read_list(delta, "delta"),
            noise=levels,
            method=method,
            max_nodes=max_nodes,
            time_limit=time_limit,
            progress=report,
        )
    answer(curve, as_json=as_json, plot=plot)


def _around(fed: fp.Federation) -> list[str]:
    """Values around the federation's own."""
    low, high = float(fed.epsilon.min()) or 0.05, float(fed.epsilon.max()) or 0.05
    values = {min(1.0, (low if factor < 1 else high) * factor) for factor in _FACTORS}
    return [f"{value:.6g}" for value in sorted(values)]
