"""``fedpact verify``: whether a contribution vector is enough."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    AssumeOption,
    ConfidenceOption,
    FileArgument,
    JsonOption,
    NoiseOption,
    answer,
    read_federation,
    read_m,
    read_seed,
)


def verify(
    file: FileArgument,
    m: Annotated[
        str,
        typer.Option("--m", help='Samples per agent: "3,2", or by name "alice=3,bob=2" (others give nothing).'),
    ],
    how: Annotated[
        str, typer.Option(help='"exact", "bounds", "estimate", or "auto": the first that settles the question.')
    ] = "auto",
    confidence: ConfidenceOption = None,
    draws: Annotated[int, typer.Option(help="Draws per truth for the estimate.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Seed of the estimate.")] = 0,
    assume: AssumeOption = None,
    noise: NoiseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether a contribution vector meets every agent's target.

    Example: [bold]fedpact verify alice-bob --m 3,2[/bold]
    """
    fed = read_federation(file, assume, noise)
    seen = fp.verify(fed, read_m(m), how=how, confidence=confidence, draws=draws, rng=read_seed(seed))
    answer(seen, as_json=as_json)
