"""``fedpact reproduce``: the paper's claims and our own, computed."""

from __future__ import annotations

import typer

from fedpact.cli.reproduce.averaging import averaging
from fedpact.cli.reproduce.contribution_check import contribution_check
from fedpact.cli.reproduce.coverage import coverage
from fedpact.cli.reproduce.faults import faults
from fedpact.cli.reproduce.obliviousness import obliviousness
from fedpact.cli.reproduce.price_of_stability import price_of_stability
from fedpact.cli.reproduce.private_sites import digits, hospitals
from fedpact.cli.reproduce.truthfulness import truthfulness

app = typer.Typer(
    no_args_is_help=True,
    help="Compute what the paper, or fedpact, claims. Example: [bold]fedpact reproduce price-of-stability[/bold]",
    rich_markup_mode="rich",
)
for command in (
    price_of_stability,
    obliviousness,
    truthfulness,
    contribution_check,
    coverage,
    faults,
    hospitals,
    digits,
    averaging,
):
    app.command()(command)
