"""``fedpact keys``: make, add, renew, check and register the keys of a federation."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import JsonOption, answer, console, make_table, print_json, print_table, read_list

app = typer.Typer(
    no_args_is_help=True,
    help="Keys and certificates of the operator and its sites. "
    "Example: [bold]fedpact keys make keys --sites alice,bob --host fl.example.org[/bold]",
    rich_markup_mode="rich",
)

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_PORT = 9092

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
    answer(made, lambda: _print_made(made), as_json=as_json)


@app.command()
def add(folder: FolderArgument, sites: SitesOption, as_json: JsonOption = False) -> None:
    """Make the keys of more sites; those that are there stay as they are.

    Example: [bold]fedpact keys add keys --sites carol[/bold]
    """
    made = fp.protocol.add_keys(folder, read_list(sites, "sites") or [])
    answer(made, lambda: _print_made(made), as_json=as_json)


@app.command()
def renew(
    folder: FolderArgument, host: HostOption = None, days: DaysOption = 365, as_json: JsonOption = False
) -> None:
    """Give the server a new certificate, for the same hosts unless others are named; sites need nothing new.

    Example: [bold]fedpact keys renew keys --days 90[/bold]
    """
    renewed = fp.protocol.renew_certificate(folder, hosts=host, days=days)
    answer(renewed, lambda: _print_renewed(renewed), as_json=as_json)


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
    if as_json:
        print_json({"sites": list(names), "superlink": superlink})
    else:
        _print_lines([f"{', '.join(names)} may join {superlink}"])


@app.command()
def check(folder: FolderArgument, as_json: JsonOption = False) -> None:
    """Say whether all keys are there, belong together, are in time and private; exit code 1 if not.

    The operator checks the whole folder, a site the one that it was handed.

    Example: [bold]fedpact keys check keys[/bold], at a site [bold]fedpact keys check keys/sites/alice[/bold]
    """
    found = fp.protocol.check_keys(folder)
    if as_json:
        print_json(found.to_dict())
    else:
        _print_check(found)
    for problem in found.problems:
        print(f"error: {problem}", file=sys.stderr)
    if found.problems:
        raise typer.Exit(1)


def _print_lines(lines: Iterable[str]) -> None:
    out = console()
    for line in lines:
        out.print(escape(line), soft_wrap=True)


def _quote(path: Path) -> str:
    return shlex.quote(str(path))


def _say_day(seconds: float) -> str:
    """Write a day.

    Examples
    --------
    >>> _say_day(86_400.0)
    '1970-01-02'
    """
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _say_server(keys: fp.protocol.KeySet) -> list[str]:
    """Say under which names the server can be reached, and what to do if that is from nowhere else."""
    said = f"the server is certified until {_say_day(keys.valid_until)} as {', '.join(keys.hosts)}"
    if not set(keys.hosts) <= _LOOPBACK:
        return [said]
    renew = f"fedpact keys renew {_quote(Path(keys.folder))} --host NAME"
    return [said, f"no site on another machine will trust it under a name of its own; if there are any: {renew}"]


def _print_made(keys: fp.protocol.KeySet) -> None:
    """Print which file goes to whom, and what to run next."""
    folder = Path(keys.folder)
    table = make_table("what", "for whom", left=2)
    table.add_row(escape(str(folder / "operator")), "the operator alone")
    for name in keys.new_sites:
        table.add_row(escape(str(folder / keys.folders[name])), escape(f"{name} alone, all of it"))
    table.add_row(escape(str(folder / "public-keys.json")), "everybody: the public keys that the pact takes")
    print_table(keys.status.value, table)
    _print_lines([*_say_server(keys), "next:", *_list_commands(keys)])


def _list_commands(keys: fp.protocol.KeySet) -> list[str]:
    """List the commands that take the files, in the order in which they are run."""
    folder = Path(keys.folder)
    host = f"[{keys.hosts[0]}]" if ":" in keys.hosts[0] else keys.hosts[0]
    start = [] if len(keys.new_sites) < len(keys.sites) else ["- operator, once:", f"  {_start_server(folder)}"]
    return [
        *start,
        "- operator, before new sites join; a run does it, too:",
        f"  fedpact keys register {_quote(folder)} --superlink {host}:{_PORT}",
        "- operator, for every run:",
        f"  fedpact run FILE --engine flower --superlink {host}:{_PORT} --keys {_quote(folder)}",
        "- every new site, then, with the folder of keys that it was handed:",
        f"  fedpact site join SITE_FOLDER --superlink {host}:{_PORT} --keys KEYS",
    ]


def _start_server(folder: Path) -> str:
    tls = folder / "operator" / "tls"
    files = [("--ssl-ca-certfile", "ca.crt"), ("--ssl-certfile", "server.crt"), ("--ssl-keyfile", "server.key")]
    options = " ".join(f"{option} {_quote(tls / name)}" for option, name in files)
    plain = "--enable-supernode-auth --disable-runtime-dependency-installation"
    return f"flower-superlink --host 0.0.0.0 --port {_PORT} {options} {plain}"


def _print_renewed(keys: fp.protocol.KeySet) -> None:
    _print_lines([keys.status.value, *_say_server(keys)])


def _say_where(found: fp.protocol.KeysCheck, name: str) -> str:
    """Say where a site's private keys are; what is missing is among the problems."""
    if name in found.incomplete:
        return "incomplete"
    return "handed over" if name in found.handed_over else "here"


def _print_check(found: fp.protocol.KeysCheck) -> None:
    """Print one line per site and certificate, then the verdict."""
    table = make_table("site", "private keys", left=2)
    for name in found.sites:
        table.add_row(escape(name), _say_where(found, name))
    print_table(found.folder, table)
    dates = [
        f"{made.file}: valid from {_say_day(made.valid_from)} until {_say_day(made.valid_until)}"
        for made in found.certificates
    ]
    _print_lines([*dates, found.status.value])
