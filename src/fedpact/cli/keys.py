"""``fedpact keys``: make, add, renew, check and register the keys of a federation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    answer,
    explain,
    make_group,
    print_json,
    print_json_or_say,
    read_list,
    refuse,
    show,
)

app = make_group(
    "Keys and certificates of the operator and its sites. "
    "Example: [bold]fedpact keys make keys --sites alice,bob --host fl.example.org[/bold]"
)
FolderArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of keys.")]
SitesOption = Annotated[str, typer.Option(metavar="NAMES", help='Names of the sites, as in "alice,bob".')]
HostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--host", metavar="HOST", help="A name or address by which sites reach the server; may be given again."
    ),
]
DaysOption = Annotated[int, typer.Option(help="How long the server's certificate is valid.")]


@app.command()
def make(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that is not there yet.")],
    sites: SitesOption,
    host: HostOption = None,
    days: DaysOption = 365,
    as_json: JsonOption = False,
) -> None:
    """Make all keys of a federation: to sign with, for Flower to know the sites by, and for TLS.

    Example: [bold]fedpact keys make keys --sites alice,bob --host fl.example.org[/bold]
    """
    made = fp.protocol.make_keys(folder, read_list(sites, "sites") or [], hosts=host or (), days=days)
    answer(made, as_json=as_json)


@app.command()
def add(folder: FolderArgument, sites: SitesOption, as_json: JsonOption = False) -> None:
    """Make the keys of more sites; those that are there stay as they are.

    Example: [bold]fedpact keys add keys --sites carol[/bold]
    """
    made = fp.protocol.add_keys(folder, read_list(sites, "sites") or [])
    answer(made, as_json=as_json)


@app.command()
def renew(
    folder: FolderArgument, host: HostOption = None, days: DaysOption = 365, as_json: JsonOption = False
) -> None:
    """Give the server a new certificate, for the same hosts unless others are named; sites need nothing new.

    Example: [bold]fedpact keys renew keys --days 90[/bold]
    """
    renewed = fp.protocol.renew_certificate(folder, hosts=host, days=days)
    answer(renewed, as_json=as_json)


@app.command()
def register(
    folder: FolderArgument,
    superlink: Annotated[str, typer.Option(metavar="HOST:PORT", help="The SuperLink that the sites will join.")],
    as_json: JsonOption = False,
) -> None:
    """Tell a SuperLink which sites may join it; one that is only starting is waited for.

    Example: [bold]fedpact keys register keys --superlink fl.example.org:9092[/bold]
    """
    names = fp.protocol.flower.register_sites(folder, superlink)
    entry = {"sites": list(names), "superlink": superlink}
    print_json_or_say(entry, f"{', '.join(names)} may join {superlink}", as_json=as_json)


@app.command()
def check(folder: FolderArgument, as_json: JsonOption = False) -> None:
    """Say whether all keys are there, belong together, are in time and private; exit code 1 if not.

    The operator checks the whole folder, a site the one that it was handed.

    Example: [bold]fedpact keys check keys[/bold]

    At a site: [bold]fedpact keys check keys/sites/alice[/bold]
    """
    found = fp.protocol.check_keys(folder)
    if as_json:
        print_json(found.to_dict())
    else:
        said = explain(found)
        show(replace(said, tables=said.tables[:1]))
    from fedpact.explain.keys import say_keys_problem

    refuse([say_keys_problem(problem) for problem in found.problems])
