"""``fedpact realizability``: whether labelled samples bear out that some candidate is right."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    answer,
    names_candidates,
)


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
    false_alarm_rate: Annotated[str, typer.Option(help="Chance, at most, of refuting what is true.")] = "0.01",
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
    seen = fp.realizability(
        contributions, noise=noise, false_alarm_rate=false_alarm_rate, confidence=confidence, hypotheses=names
    )
    answer(seen, as_json=as_json)


def _split(text: str) -> tuple[str, str, str]:
    name, equals, files = text.partition("=")
    predictions, comma, labels = files.rpartition(",")
    if not (name and equals and predictions and comma and labels):
        raise fp.FederationError(
            "a site must be given as SITE=PREDICTIONS,LABELS, as in alice=alice.csv,alice-labels.csv; "
            f"one is {text!r}"
        )
    return name.strip(), predictions.strip(), labels.strip()


def _note_strange_labels(site: str, both: fp.sites.Predicted) -> None:
    """Say on stderr which labels of a site no candidate predicts there: they may be misspelt."""
    own = sorted(set(both.labels[-1].tolist()))
    strange = [code for code in own if not (both.labels[:-1] == code).any()]
    if strange:
        words = ", ".join(repr(both.classes[code]) for code in strange)
        print(f"note: at {site!r} some samples are labelled {words}, which no candidate predicts", file=sys.stderr)


def _read_sites(sites: list[str]) -> tuple[dict[str, Any], tuple[str, ...] | None]:
    """Read every site's predictions and labels, and the candidates' names; an ``.npy`` file has none."""
    contributions: dict[str, Any] = {}
    named: list[tuple[str, fp.sites.CandidateList]] = []
    for text in sites:
        site, *files = _split(text)
        if site in contributions:
            raise fp.FederationError(f"every site must be given once; {site!r} is there twice")
        if fp.sites.read_predictions(files[1]).H != 1:
            raise fp.FederationError(f"{files[1]}: labels must be one column (.csv) or one row (.npy)")
        both = fp.sites.read_predictions(files)
        contributions[site] = (both.labels[:-1], both.labels[-1])
        _note_strange_labels(site, both)
        if names_candidates(files[0]):
            named.append((site, fp.sites.CandidateList.from_names(both.candidates.names[:-1])))
    for site, own in named:
        difference = named[0][1].difference(own)
        if difference is not None:
            raise fp.FederationError(
                f"{named[0][0]!r} and {site!r} predict with different candidates: {difference}"
            )
    return contributions, named[0][1].names if named else None
