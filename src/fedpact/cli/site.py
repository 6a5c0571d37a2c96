"""``fedpact site``: what a site needs to take part, and to join."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import JsonOption, make_group, print_json_or_say, refuse, require_package

app = make_group("A site's side. Example: [bold]fedpact site join clinic --superlink fl.example.org:9092[/bold]")
_MOST_PROBLEMS = 20
FolderArgument = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The site's folder, with site.toml and the files that it names.")
]


@app.command()
def check(folder: FolderArgument, as_json: JsonOption = False) -> None:
    """Read a site's folder and say what it would report; nothing is sent.

    Example: [bold]fedpact site check clinic[/bold]
    """
    try:
        site = fp.protocol.read_site(folder)
    except fp.FederationError as error:
        refuse(error.problems, _MOST_PROBLEMS)
        raise
    made = fp.protocol.make_site_report(site)
    found = {**made.to_dict(), "pool": site.pool.size, "signs": site.key is not None}
    signs = "signs its answers" if site.key is not None else "does not sign its answers"
    limit = "any number of" if site.pool.size is None else f"up to {site.pool.size}"
    line = f"{site.name}: {made.H} candidates on {made.n} points; labels {limit} samples; {signs}"
    print_json_or_say(found, line, as_json=as_json)


@app.command()
def join(
    folder: FolderArgument,
    superlink: Annotated[str, typer.Option(metavar="HOST:PORT", help="The operator's SuperLink.")],
    keys: Annotated[
        Path | None,
        typer.Option(help="The folder of keys that the operator handed over; needed off this machine."),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show Flower's own log too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every line as JSON, on stdout.")] = False,
) -> None:
    """Answer the operator's requests for a site, until interrupted, and say what was answered.

    Nothing that the operator or the SuperLink sends is run as code. Flower's own log is FOLDER/.flower/flower.log.

    Example: [bold]fedpact site join clinic --superlink fl.example.org:9092 --keys keys/sites/clinic[/bold]
    """
    require_package("flwr", "joining over Flower", extra="flower")
    join: Callable[..., int] = fp.protocol.flower.join_federation
    says = {"say": _say_json} if as_json else {}
    raise typer.Exit(join(folder, superlink, keys=keys, is_verbose=verbose, **says))


def _say_json(what: str, line: str) -> None:
    print(json.dumps({"what": what, "says": line}), flush=True)
