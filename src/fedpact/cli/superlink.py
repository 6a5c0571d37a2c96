"""``fedpact superlink``: where the nodes of the sites come together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import JsonOption, require_package


def superlink(
    keys: Annotated[Path, typer.Option(help="The operator's folder of keys.")],
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="What sites join.")] = "0.0.0.0:9092",
    home: Annotated[Path, typer.Option(help="A folder for Flower's files and logs.")] = Path("superlink"),
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="For the operator's own commands, on this machine only.")
    ] = 9093,
    as_json: JsonOption = False,
) -> None:
    """Start Flower's SuperLink behind a gate that lets registered sites join, and nobody start anything.

    Runs are started on this machine: fedpact run FILE --engine flower --superlink 127.0.0.1:9093 --keys KEYS.

    Example: [bold]fedpact superlink --keys keys --listen 0.0.0.0:9092[/bold]
    """
    require_package("flwr", "a SuperLink", extra="flower")

    def ready(superlink: str) -> None:
        if as_json:
            typer.echo(json.dumps({"listen": listen, "superlink": superlink, "keys": str(keys)}))
        else:
            typer.echo(
                f"sites join {listen}; start runs with --superlink {superlink} --keys {keys}, until Ctrl-C",
                err=True,
            )

    fp.protocol.flower.serve_superlink(keys, listen, home, port=port, ready=ready)
