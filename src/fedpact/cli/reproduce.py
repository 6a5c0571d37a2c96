"""``fedpact reproduce``: where it went."""

from __future__ import annotations

import typer

import fedpact as fp

app = typer.Typer(add_completion=False)


@app.command(hidden=True, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def reproduce() -> None:
    """Say how the paper's experiments are run now."""
    raise fp.FederationError(
        "experiments are run from a clone of the repository now: make reproduce NAME=planner-table"
    )
