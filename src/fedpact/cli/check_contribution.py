"""``fedpact check-contribution``: whether a site's samples look like what it reported."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import JsonOption, answer, names_candidates


def check_contribution(
    report: Annotated[str, typer.Argument(metavar="REPORT", help="The site's report, an .npz file.")],
    predictions: Annotated[
        str,
        typer.Argument(
            metavar="PREDICTIONS",
            help="What each candidate predicts on the contributed samples: .csv or .parquet with a column per "
            "candidate under its name, or .npy with a row per candidate.",
        ),
    ],
    false_alarm_rate: Annotated[
        str, typer.Option(help="Chance, at most, that an honest site is flagged.")
    ] = "0.01",
    tolerance: Annotated[str, typer.Option(help="By how much an honest site's rates may be off.")] = "0",
    power: Annotated[
        str, typer.Option(help="Chance with which a lie of the size that is told is caught.")
    ] = "0.8",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="The samples are new draws, not draws from the reported points.")
    ] = False,
    distinct: Annotated[
        bool,
        typer.Option("--distinct", help="The samples are different reported points, drawn without replacement."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Test whether the samples that a site contributed look like what it reported.

    The pairs of candidates that look least likely are shown; "any pair" is the chance of one as unlikely.

    Example: [bold]fedpact check-contribution alice.report.npz alice-samples.csv --fresh[/bold]
    """
    said, samples = fp.sites.read_report(report), fp.sites.read_predictions(predictions)
    seen = fp.check_contribution(
        said,
        samples if names_candidates(predictions) else samples.labels,
        false_alarm_rate=false_alarm_rate,
        tolerance=tolerance,
        power=power,
        fresh=fresh,
        distinct=distinct,
    )
    answer(seen, as_json=as_json)
