"""``fedpact compare``: going alone, counting samples only, equilibria and every planner, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    AssumeOption,
    FileArgument,
    JsonOption,
    NodesOption,
    NoiseOption,
    PlotOption,
    answer,
    progress_bar,
    read_federation,
)


def compare(
    file: FileArgument,
    max_nodes: NodesOption = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for the exact search, and as many for that of equilibria.")
    ] = None,
    assume: AssumeOption = None,
    noise: NoiseOption = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare what labelling alone, counting samples only, no coordination and every planner cost and achieve.

    Example: [bold]fedpact compare singletons[/bold]
    """
    fed = read_federation(file, assume, noise)
    with progress_bar("Comparing") as report:
        table = fp.compare(fed, max_nodes=max_nodes, time_limit=time_limit, progress=report)
    answer(table, as_json=as_json, plot=plot)
