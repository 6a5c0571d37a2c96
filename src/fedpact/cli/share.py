"""``fedpact share``: how the agents can split the cost of their plan, and who would rather leave."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    AssumeOption,
    FileArgument,
    JsonOption,
    NoiseOption,
    PlotOption,
    SecondsOption,
    answer,
    progress_bar,
    read_federation,
    read_seed,
)
from fedpact.cli.complete import METHOD_NAMES, METHODS, choose

_RULES = ("core", "least-core", "shapley", "equal", "proportional")


def share(
    file: FileArgument,
    rule: Annotated[
        str, choose(_RULES, '"core", "least-core", "shapley", "equal" or "proportional" (to the cost alone).')
    ] = "least-core",
    method: Annotated[str, choose(METHODS, f"How every group is planned for: {METHOD_NAMES}.")] = "auto",
    time_limit: SecondsOption = None,
    max_groups: Annotated[
        int | None, typer.Option(help="Beyond twelve agents, how many groups may be planned for instead of 150.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of what is sampled beyond twelve agents.")] = 0,
    assume: AssumeOption = None,
    noise: NoiseOption = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Split the cost of the plan for all agents, and say which groups would do better by leaving.

    "alone" is what an agent would pay without the others; who "receives" money is paid by those with a minus.

    Example: [bold]fedpact share alice-bob --rule shapley[/bold]
    """
    fed, rng = read_federation(file, assume, noise), read_seed(seed)
    with progress_bar("Planning for groups") as report:
        split = fp.share(
            fed, rule=rule, method=method, time_limit=time_limit, max_groups=max_groups, rng=rng, progress=report
        )
    answer(split, as_json=as_json, plot=plot)
