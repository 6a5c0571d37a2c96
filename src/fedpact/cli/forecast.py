"""``fedpact forecast``: how many labels each way of labelling will take, before anybody labels."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    ConfidenceOption,
    FileArgument,
    JsonOption,
    PlotOption,
    SeedOption,
    answer,
    progress_bar,
    read_federation,
    read_list,
)


def forecast(
    file: FileArgument,
    assume: Annotated[
        str | None,
        typer.Option(metavar="LIST", help='What is assumed of labels, such as "realizable,agnostic"; else all.'),
    ] = None,
    noise: Annotated[
        str | None, typer.Option(help="How often a label is wrong, where labels may be; else 0.05.")
    ] = None,
    batch: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="How many labels come in before one looks again: of every site where nothing is assumed, else of "
            "all together.",
        ),
    ] = "1,25",
    confidence: ConfidenceOption = None,
    runs: Annotated[int, typer.Option(help="Simulated runs of every row.")] = 100,
    time_limit: Annotated[float, typer.Option(help="Seconds after which no more runs are begun.")] = 60,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how many labels everyone alone, a fixed plan and adaptive labelling will take, and what they cost.

    Adaptive labelling is simulated, with every candidate in turn as the truth.

    Example: [bold]fedpact forecast alice-bob --assume realizable --batch 1,2[/bold]
    """
    fed = read_federation(file)
    with progress_bar("Simulating") as report:
        seen = fp.forecast(
            fed,
            assume=read_list(assume, "assume"),
            noise=noise,
            batch=read_list(batch, "batch") or (),  # type: ignore[arg-type]
            confidence=confidence,
            runs=runs,
            time_limit=time_limit,
            rng=seed,
            progress=report,
        )
    answer(seen, as_json=as_json, plot=plot)
