"""``fedpact reproduce faults``: the protocol in worlds where everything goes wrong that can."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import answer, console
from fedpact.cli.reproduce.experiment import Options, refuse_options, run_experiment, with_options

ReplayOption = Annotated[
    int | None, typer.Option(metavar="SEED", help="Only this world, with what happened in it, line by line.")
]


@with_options
def faults(options: Options, replay: ReplayOption = None) -> None:
    """Run the protocol in simulated worlds with crashes, losses, liars and worse, and check that its rules hold.

    Example: [bold]fedpact reproduce faults --seeds 200[/bold]
    """
    if replay is not None:
        refuse_options(options, "many worlds; leave it out, or leave out --replay")
        _replay(replay, as_json=options.as_json)
    elif run_experiment("faults", options).results["failed"]:
        raise typer.Exit(1)


def _replay(seed: int, *, as_json: bool) -> None:
    try:
        seen = fp.protocol.simulate_world(seed)
    except fp.protocol.FailedSeedError as error:
        _print_lines(error.log)
        raise
    answer(seen, lambda: print_world(seen), as_json=as_json)


def _print_lines(lines: tuple[str, ...]) -> None:
    for line in lines:
        print(line)


def print_world(seen: fp.protocol.SimulatedWorld) -> None:
    """Print what happened in one world."""
    _print_lines(seen.events)
    console().print(
        f"seed {seen.seed}: {seen.status.name.lower()} after {seen.seconds:,.0f} simulated seconds, "
        f"{seen.runs} runs, {seen.entries} entries, the last {seen.head[:16]}",
        soft_wrap=True,
    )
