"""``fedpact serve``: the page in the browser."""

from __future__ import annotations

import json
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import console, read_federation
from fedpact.cli.complete import complete_federations


def serve(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="A federation file, or an example; if not given, the Arizona hospitals.",
            show_default=False,
            autocompletion=complete_federations,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; beyond this machine only with a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at; 0 takes one that is free.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option(envvar="FEDPACT_TOKEN", help="Access token, 16 characters or more.", show_envvar=True),
    ] = None,
    ledger: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH|URL", help="A ledger to follow on the page; may be given several times."),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where runs are kept; if not given, they end with the page."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=64, help="Processes for long work.", show_default="processors less one, at least 2"
        ),
    ] = None,
    max_upload: Annotated[
        float, typer.Option(metavar="MB", min=0.001, max=2000, help="Most that is taken in one request.")
    ] = 20,
    max_agents: Annotated[int, typer.Option(min=1, help="Most agents of a federation.")] = 200,
    max_hypotheses: Annotated[int, typer.Option(min=1, help="Most hypotheses of a federation.")] = 2000,
    job_seconds: Annotated[float, typer.Option(min=1, help="Seconds after which long work is stopped.")] = 300,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as JSON.")] = False,
) -> None:
    """Show a federation in the browser: plan, play, pay, run.

    Example: [bold]fedpact serve alice-bob --open[/bold]
    """
    fed = None if file is None else read_federation(file)
    for place in ledger or ():
        if "://" not in place and not Path(place).exists():
            print(f"note: there is no ledger at {place} yet; it is followed as soon as there is", file=sys.stderr)

    def say(address: str) -> None:
        if as_json:
            print(json.dumps({"address": address}), flush=True)
        else:
            console().print(f"fedpact is at {escape(address)} (stop with Ctrl-C)", soft_wrap=True)
        if browser:
            webbrowser.open(address)

    limits = fp.web.Limits(
        upload_bytes=int(max_upload * 1e6), agents=max_agents, hypotheses=max_hypotheses, job_seconds=job_seconds
    )
    fp.web.serve(
        fed,
        host=host,
        port=port,
        token=token,
        ready=say,
        limits=limits,
        workers=workers,
        ledgers=ledger or (),
        runs_folder=runs,
    )
