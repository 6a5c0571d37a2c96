"""``fedpact reproduce faults``: the protocol in worlds where everything goes wrong that can."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import fedpact as fp
from fedpact.cli.common import JsonOption, PlotOption, answer, console
from fedpact.cli.reproduce.experiment import (
    AddressOption,
    DataOption,
    EngineOption,
    FreshOption,
    OutOption,
    QuickOption,
    SeedsOption,
    SetOption,
    SettingsOption,
    Shown,
    ShowSettingsOption,
    StoreOption,
    WorkersOption,
    refuse_options,
    run_experiment,
)

ReplayOption = Annotated[
    int | None, typer.Option(metavar="SEED", help="Only this world, with what happened in it, line by line.")
]


def faults(
    replay: ReplayOption = None,
    data: DataOption = None,
    seeds: SeedsOption = None,
    quick: QuickOption = False,
    engine: EngineOption = "local",
    address: AddressOption = None,
    workers: WorkersOption = None,
    settings: SettingsOption = None,
    changes: SetOption = None,
    show_settings: ShowSettingsOption = False,
    store: StoreOption = None,
    fresh: FreshOption = False,
    out: OutOption = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the protocol in simulated worlds with crashes, losses, liars and worse, and check that its rules hold.

    Example: [bold]fedpact reproduce faults --seeds 200[/bold]
    """
    options: dict[str, Any] = {"data": data, "seeds": seeds, "quick": quick, "address": address}
    options |= {"workers": workers, "settings": settings, "store": store, "fresh": fresh, "engine": engine}
    if replay is not None:
        why = "many worlds; leave it out, or leave out --replay"
        refuse_options({"plot": plot, "out": out, "set": changes} | options, why)
        _replay(replay, as_json=as_json)
        return
    shown = Shown(as_json=as_json, plot=plot, out=out)
    found = run_experiment("faults", shown, changes=changes, **options)
    if found.results["failed"]:
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
