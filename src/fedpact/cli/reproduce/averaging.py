"""``fedpact reproduce averaging``: how far federated averaging stays behind pooled training."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    PlotOption,
    SeedOption,
    answer,
    console,
    make_table,
    print_table,
    progress_bar,
    read_list,
)

_COLUMNS = ("model", "start", "sites", "batch", "epochs")


def averaging(
    epochs: Annotated[str, typer.Option(help="Local epochs per round; they divide 60.")] = "1,2,5,10",
    models: Annotated[
        str, typer.Option(help='"softmax", and "network", which needs PyTorch.')
    ] = "softmax,network",
    quota: Annotated[
        int | None, typer.Option(help="Samples of every site; from a plan at a confidence if not given.")
    ] = None,
    runs: Annotated[int, typer.Option(help="How many draws of sites and quotas to train on.")] = 3,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train on digits at five sites by federated averaging, and beside it on all their samples in one place.

    Example: [bold]fedpact reproduce averaging --models softmax --runs 1[/bold]
    """
    with progress_bar("Training") as report:
        found = fp.experiments.reproduce_averaging(
            read_list(epochs, "epochs") or [],
            models=read_list(models, "models") or [],
            quotas=quota,
            runs=runs,
            seed=seed,
            progress=report,
        )
    answer(found, lambda: print_averaging(found), as_json=as_json, plot=plot)


def _say_row(row: fp.experiments.AveragingRow) -> tuple[str, ...]:
    batch = "all" if row.batch is None else str(row.batch)
    losses = f"{row.loss:.4f}", f"{row.pooled_loss:.4f}"
    accuracies = f"{row.accuracy:.2%}", f"{row.pooled_accuracy:.2%}", f"{row.worst_site_gap:.2%}"
    return row.model, row.start, row.sites, batch, str(row.epochs), *losses, *accuracies


def print_averaging(found: fp.experiments.AveragingExperiment) -> None:
    """Print one line per way of training."""
    table = make_table(*_COLUMNS, "loss", "pooled", "accuracy", "pooled", "worst site behind", left=4)
    for row in found.rows:
        table.add_row(*_say_row(row))
    print_table(
        f"averaged and pooled training, {found.total_epochs} epochs, draws of sites: {len(found.settings)}", table
    )
    out = console()
    for setting in found.settings:
        quotas = ", ".join(f"{site} {count}" for site, count in setting.m.items())
        out.print(f"seed {setting.seed}: {quotas}; chosen: {setting.chosen}", soft_wrap=True)
    out.print(found.status.value, soft_wrap=True)
