"""``fedpact report``: what a site sends instead of its data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import fedpact as fp
from fedpact.cli.common import (
    ForceOption,
    JsonOption,
    check_free,
    explain,
    print_json,
    progress_bar,
    read_list,
    say,
    show,
)


def report(
    predictions: Annotated[
        list[Path],
        typer.Argument(
            metavar="PREDICTIONS...",
            help="What the candidates predict on this site's points: .npy (candidates by points), or .csv or "
            ".parquet (a column per candidate, a row per point). Several files add candidates.",
        ),
    ],
    name: Annotated[str, typer.Option(help="The site.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it: SITE.report.npz.")
    ] = None,
    classes: Annotated[
        str | None, typer.Option(metavar="LIST", help='The labels that may occur, as in "healthy,ill".')
    ] = None,
    minimum_count: Annotated[
        int, typer.Option(help="Do not tell counts below this apart, nor those of less than this below n.")
    ] = 0,
    privacy: Annotated[
        str | None,
        typer.Option(
            metavar="EPSILON,DELTA",
            help='Add noise for differential privacy, as in "1,1e-6"; needs --classes and "fedpact\\[privacy]".',
        ),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Count how often any two candidates disagree on this site's points; the points stay here.

    Example: [bold]fedpact report alice.csv --name alice[/bold]
    """
    if privacy is not None and classes is None:
        raise fp.FederationError(
            "--privacy needs --classes: which labels occur at this site must not be read off its data"
        )
    path = _find_output(name, output, predictions)
    check_free(path, force=force)
    predicted = fp.sites.read_predictions(predictions, classes=read_list(classes, "classes"))
    with progress_bar("Counting disagreements") as counted:
        made = fp.report(predicted, name=name, progress=counted)
    if privacy is not None:
        made = fp.sites.add_noise(made, **_read_budget(privacy))
    if minimum_count:
        made = fp.sites.hide_small_counts(made, minimum_count)
    made.save(path)
    if as_json:
        print_json(made.to_dict())
    else:  # what is about to leave the site, but not its rates
        show(replace(explain(made), tables=()))
        say(f"Wrote {path} ({path.stat().st_size:,} bytes).")


def _find_output(name: str, output: Path | None, predictions: list[Path]) -> Path:
    """Where the report goes: never outside this folder for its name alone, never over the predictions."""
    if output is None and Path(name).name != name:
        raise fp.FederationError(
            f"name {name!r} cannot be part of a file's name; say where to write with --output"
        )
    path = output or Path(f"{name}.report.npz")
    if any(path.resolve() == source.resolve() for source in predictions):
        raise fp.FederationError(f"output must be another file than the predictions; it is {str(path)!r}")
    return path


def _read_budget(text: str) -> dict[str, Any]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2:
        raise fp.FederationError(f'privacy must be an epsilon and a delta, as in "1,1e-6"; it is {text!r}')
    return {"privacy_epsilon": parts[0], "privacy_delta": parts[1]}
