"""``fedpact reproduce``: the paper's claims and our own, computed."""

from __future__ import annotations

from collections.abc import Callable

import typer

import fedpact as fp
from fedpact.cli.reproduce.experiment import make_command
from fedpact.cli.reproduce.faults import faults
from fedpact.cli.reproduce.obliviousness import obliviousness

app = typer.Typer(
    no_args_is_help=True,
    help="Compute what the paper, or fedpact, claims. Example: [bold]fedpact reproduce price-of-stability[/bold]",
    rich_markup_mode="rich",
)
OWN: dict[str, Callable[..., None]] = {"faults": faults, "obliviousness": obliviousness}
for name in fp.experiments.list_experiments():
    app.command(name)(OWN.get(name) or make_command(name))
