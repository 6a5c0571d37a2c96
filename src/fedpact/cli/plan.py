"""``fedpact plan``: who contributes how many samples."""

from __future__ import annotations

from typing import Annotated

import typer

from fedpact.cli.common import (
    AssumeOption,
    ConfidenceOption,
    FileArgument,
    JsonOption,
    NodesOption,
    NoiseOption,
    PlotOption,
    answer,
    plan_with_bar,
    read_federation,
    read_m,
)
from fedpact.cli.complete import METHOD_NAMES, METHODS, choose


def plan(
    file: FileArgument,
    method: Annotated[
        str, choose(METHODS, f"{METHOD_NAMES}: lp is the paper's, auto the best within its budget.")
    ] = "auto",
    confidence: ConfidenceOption = None,
    teacher: Annotated[
        str | None, typer.Option(metavar="NAME", help="The hypothesis that labels the samples, if that is known.")
    ] = None,
    at_least: Annotated[
        str | None,
        typer.Option(
            metavar="COUNTS",
            help='What is contributed already, as "3,0" or "alice=3": the plan does not go below it.',
        ),
    ] = None,
    max_nodes: NodesOption = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for the exact search, after the draft by tree.")
    ] = None,
    assume: AssumeOption = None,
    noise: NoiseOption = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the cheapest contributions that meet every target, with a certificate.

    Example: [bold]fedpact plan alice-bob[/bold]
    """
    found = plan_with_bar(
        read_federation(file, assume, noise),
        method,
        confidence=confidence,
        teacher=teacher,
        at_least=None if at_least is None else read_m(at_least, "at_least"),
        max_nodes=max_nodes,
        time_limit=time_limit,
    )
    answer(found, as_json=as_json, plot=plot)
