"""``fedpact realizability``: whether labelled samples bear out that some candidate is right."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import JsonOption, answer, console, format_number, make_table, print_table
from fedpact.cli.matrix_files import number_labels, read_matrix


def realizability(
    sites: Annotated[
        list[str],
        typer.Argument(
            metavar="SITE=PREDICTIONS,LABELS...",
            help="For every site what each candidate predicts on its labelled samples, .csv with a column per "
            "candidate under its name or .npy with a row per candidate, and their labels, one column or row.",
        ),
    ],
    noise: Annotated[str, typer.Option(help="Share of the labels that may be wrong.")] = "0",
    level: Annotated[str, typer.Option(help="Chance, at most, of refuting what is true.")] = "0.01",
    confidence: Annotated[
        str, typer.Option(help="Chance, at least, that all limits of errors are right.")
    ] = "0.95",
    as_json: JsonOption = False,
) -> None:
    """Test on labelled samples whether some candidate can be right, as every guarantee assumes.

    If none is, the sites can label by the best candidate as a teacher; what stands then is printed.

    Example: [bold]fedpact realizability alice=alice.csv,alice-labels.csv bob=bob.csv,bob-labels.csv[/bold]
    """
    contributions, names = _read_sites(sites)
    seen = fp.realizability(contributions, noise=noise, level=level, confidence=confidence, hypotheses=names)
    answer(seen, lambda: print_realizability(seen), as_json=as_json)


def _split(text: str) -> tuple[str, str, str]:
    name, equals, files = text.partition("=")
    predictions, comma, labels = files.rpartition(",")
    if not (name and equals and predictions and comma and labels):
        raise fp.FederationError(
            "a site must be given as SITE=PREDICTIONS,LABELS, as in alice=alice.csv,alice-labels.csv; "
            f"one is {text!r}"
        )
    return name.strip(), predictions.strip(), labels.strip()


def _read_sites(sites: list[str]) -> tuple[dict[str, Any], tuple[str, ...] | None]:
    contributions: dict[str, Any] = {}
    names, first = None, ""
    for text in sites:
        site, *files = _split(text)
        if site in contributions:
            raise fp.FederationError(f"every site must be given once; {site!r} is there twice")
        predicted, labels = (read_matrix(file) for file in files)
        if len(labels.labels) != 1:
            raise fp.FederationError(f"{files[1]}: labels must be one column (.csv) or one row (.npy)")
        if predicted.names is not None:
            names, first = names or predicted.names, first or site
            _check_names(first, names, site, predicted.names)
        numbered = number_labels(predicted.labels, labels.labels)
        contributions[site] = (numbered[0], numbered[1][0])
    return contributions, names


def _check_names(first: str, names: tuple[str, ...], site: str, others: tuple[str, ...]) -> None:
    if len(names) != len(others):
        raise fp.FederationError(
            f"every site must predict with the same candidates; {first!r} has {len(names)} of them and "
            f"{site!r} {len(others)}"
        )
    for place, (own, other) in enumerate(zip(names, others, strict=True), 1):
        if own != other:
            raise fp.FederationError(
                "every site must predict with the same candidates, in the same order; candidate "
                f"{place} is {own!r} at {first!r} and {other!r} at {site!r}"
            )


def print_realizability(seen: fp.Realizability) -> None:
    """Print the errors of the best candidate, the verdict, and what a teacher would promise."""
    table = make_table("site", "samples", "mistakes", "error", "at least", "at most")
    everywhere = {"all": seen.error} if len(seen.errors) > 1 else {}
    for site, error in [*seen.errors.items(), *everywhere.items()]:
        rate = "-" if error.rate is None else format_number(error.rate)
        cells = (f"{error.m:,}", f"{error.mistakes:,}", rate, f"{error.low:.3g}", f"{error.high:.3g}")
        table.add_row(escape(site), *cells)
    best = f", of which {seen.best} has the fewest mistakes" if seen.best is not None else ""
    print_table(f"{len(seen.mistakes):,} candidates{best}", table)
    out = console()
    out.print(escape(seen.status.value), soft_wrap=True)
    out.print(escape(seen.excess), soft_wrap=True)
    if seen.best is not None and not seen.consistent:
        out.print(escape(_say_teacher(seen)), soft_wrap=True)


def _say_teacher(seen: fp.Realizability) -> str:
    limits = ", ".join(f"{site} {limit:.3g}" for site, limit in seen.error_with_teacher.items())
    return (
        f"if the sites label new samples by {seen.teacher!r}, whatever agrees with all of them errs at most at "
        f"epsilon plus the teacher's own rate: {limits} (confidence {seen.confidence:g})"
    )
