"""``fedpact reproduce faults``: the protocol in worlds where everything goes wrong that can."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import JsonOption, answer, console, make_table, print_table, progress_bar

_NAMES = {
    "loss": "messages lost",
    "duplicate": "messages duplicated",
    "late": "messages late",
    "garbage": "messages changed",
    "impersonation": "impersonations",
    "replay": "old messages sent again",
    "refusals": "answers refused by the operator",
    "refused_by_site": "requests refused by sites",
    "server_crash": "crashes of the operator",
    "full_disk": "writes refused by the disk",
    "unknown_write": "writes of unknown outcome",
    "zombie": "operators thought dead",
    "clock": "steps of the clock",
    "resumes": "resumes",
    "site_crash": "crashes of sites",
    "death": "of these, for good",
    "folly": "nonsense under a signature",
    "gone": "sites given up",
    "plans": "plans",
    "stops": "stops for lack of a plan",
    "withheld": "payments withheld",
    "paid": "payments",
}


def faults(
    seeds: Annotated[int, typer.Option(help="Worlds to simulate.")] = 20_000,
    first: Annotated[int, typer.Option(help="The first seed.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes to work in.")] = 2,
    replay: Annotated[
        int | None, typer.Option(metavar="SEED", help="Simulate one world, and print what happened, line by line.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run the protocol in simulated worlds with crashes, losses, liars and worse, and check that its rules hold.

    Interrupted by Ctrl-C, it answers with what is done by then.

    Example: [bold]fedpact reproduce faults --seeds 200[/bold]
    """
    if replay is not None:
        _replay(replay, as_json=as_json)
        return
    with progress_bar("Simulating worlds") as report:
        found = fp.protocol.reproduce_faults(seeds, report, first=first, workers=workers)
    answer(found, lambda: print_soak(found), as_json=as_json)
    if found.failed:
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


def print_soak(found: fp.protocol.FaultsSoak) -> None:
    """Print how often everything went wrong, and whether anything came of it."""
    table = make_table("what", "times")
    for key, name in _NAMES.items():
        table.add_row(name, f"{found.tally.get(key, 0):,}")
    days = found.seconds / 86_400
    print_table(f"{found.worlds:,} worlds, {found.runs:,} runs, {days:,.1f} simulated days", table)
    out = console()
    ended = ", ".join(f"{count:,} {status.lower()}" for status, count in found.ended.items())
    out.print(f"{found.entries:,} entries; the last run of each world: {ended}", soft_wrap=True)
    if not found.is_complete:
        out.print("interrupted: fewer worlds were simulated than asked for")
    for one in found.failed:
        out.print(f"seed {one.seed}: {one.why}", soft_wrap=True, markup=False)
    out.print(found.status.value, soft_wrap=True)
