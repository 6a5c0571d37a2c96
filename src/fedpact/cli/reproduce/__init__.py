"""``fedpact reproduce``: the paper's claims and our own, computed."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from functools import cache
from typing import Any

import typer
from typer.core import TyperGroup

import fedpact as fp
from fedpact.cli.reproduce.experiment import make_command
from fedpact.cli.reproduce.faults import faults
from fedpact.cli.reproduce.obliviousness import obliviousness

OWN: dict[str, Callable[..., None]] = {"faults": faults, "obliviousness": obliviousness}


@cache
def _make_commands() -> MutableMapping[str, Any]:
    made = typer.Typer(rich_markup_mode="rich")
    for name in fp.experiments.list_experiments():
        made.command(name)(OWN.get(name) or make_command(name))
    return typer.main.get_group(made).commands


class Experiments(TyperGroup):
    """A command for each experiment, made when one is asked for: the others need not wait for their imports."""

    @property
    def commands(self) -> MutableMapping[str, Any]:
        """The commands by name."""
        return _make_commands()

    @commands.setter
    def commands(self, none: MutableMapping[str, Any]) -> None:
        """Take what the class above starts with, which is nothing."""


app = typer.Typer(
    cls=Experiments,
    no_args_is_help=True,
    help="Compute what the paper, or fedpact, claims. Example: [bold]fedpact reproduce price-of-stability[/bold]",
    rich_markup_mode="rich",
)


@app.callback()
def _root() -> None:
    pass
