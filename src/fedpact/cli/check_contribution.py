"""``fedpact check-contribution``: whether a site's samples look like what it reported."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    answer,
    console,
    format_number,
    make_table,
    names_candidates,
    print_table,
)


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
    answer(seen, lambda: print_contribution(seen), as_json=as_json)


def print_contribution(seen: fp.mechanism.ContributionCheck) -> None:
    """Print the least likely pairs, the verdict, and how much such a check can see."""
    columns = ("candidate", "and candidate", "reported", "allowed", "observed", "p-value", "any pair", "")
    table = make_table(*columns, left=2)
    for pair in seen.pairs:
        allowed = f"{pair.low:.3g}" if pair.low == pair.high else f"{pair.low:.3g} to {pair.high:.3g}"
        table.add_row(
            *map(escape, pair.pair),
            f"{pair.reported:.3g}",
            allowed,
            f"{pair.observed / pair.m:.3g}" if pair.m else "-",
            f"{pair.p_value:.2g}",
            f"{pair.adjusted:.2g}",
            "suspicious" if pair.is_suspicious else "",
        )
    pairs = "pair" if seen.tested == 1 else "pairs"
    print_table(f"{seen.site}: {seen.m:,} samples, {seen.tested:,} {pairs} of candidates", table)
    out = console()
    out.print(escape(seen.status.value), soft_wrap=True)
    if seen.counted:
        out.print(escape(_say_power(seen)), soft_wrap=True)


def _say_power(seen: fp.mechanism.ContributionCheck) -> str:
    flagged = f"an honest site is flagged with a chance of {format_number(seen.false_alarm)} at most"
    if seen.detectable is None:
        return f"{flagged}; no lie is caught with a chance of {seen.power:g}"
    size = f"a rate that is off by more than {seen.detectable:.3g}"
    return f"{flagged}; {size} is caught with a chance of {seen.power:g}"
