"""``fedpact game``: what happens if nobody coordinates."""

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
    console,
    explain,
    print_json,
    progress_bar,
    read_federation,
    read_m,
    read_seed,
    save_plot,
    show,
)


def game(
    file: FileArgument,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Also find a mixed equilibrium (needs QuantEcon).")
    ] = False,
    dynamics: Annotated[
        bool, typer.Option("--dynamics", help="Also let agents respond to each other until they settle or cycle.")
    ] = False,
    order: Annotated[
        str | None, typer.Option(help='Dynamics, in the order "round-robin", "random" or "simultaneous".')
    ] = None,
    start: Annotated[
        str | None, typer.Option(help='Dynamics, starting at "2,3" or "alice=2" instead of nothing.')
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random order.")] = 0,
    worth: Annotated[
        float | None,
        typer.Option(help="Mixed, with a met target worth this instead of 1, or of twice what it may cost."),
    ] = None,
    max_count: Annotated[
        int | None,
        typer.Option(help="How many equilibria to list, beside the cheapest and the dearest; else 10,000."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds for the search, and for the optimum after its draft; else 60."),
    ] = None,
    assume: AssumeOption = None,
    noise: NoiseOption = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what happens if nobody coordinates: equilibria, their cost against the optimum, dynamics.

    --plot draws the path of the dynamics if they are asked for, else what the equilibria cost.

    Example: [bold]fedpact game alice-bob --mixed --dynamics[/bold]
    """
    fed = read_federation(file, assume, noise)
    parts: dict[str, fp.game.MixedEquilibrium | fp.game.Dynamics] = {}
    path = None
    if mixed or worth is not None:
        with progress_bar("Solving for a mixed equilibrium"):
            parts["mixed"] = fp.mixed_equilibrium(fed, worth=worth)
    if dynamics or order is not None or start is not None:
        parts["dynamics"] = path = _play(fed, order or "round-robin", start, seed)
    with progress_bar("Searching profiles") as report:
        found = fp.equilibria(fed, max_count=max_count, time_limit=time_limit, progress=report)
    if as_json:
        print_json(found.to_dict() | {key: part.to_dict() for key, part in parts.items()})
    else:
        show(explain(found))
        for part in parts.values():
            console().print()
            show(explain(part))
    if plot is not None:
        save_plot(found if path is None else path, plot)


def _play(fed: fp.Federation, order: str, start: str | None, seed: int) -> fp.game.Dynamics:
    with progress_bar("Playing rounds") as report:
        begin = None if start is None else read_m(start)
        return fp.best_response_dynamics(fed, order=order, start=begin, rng=read_seed(seed), progress=report)
