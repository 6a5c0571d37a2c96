"""``fedpact realizability``: whether some candidate can be right, and what more labels would settle."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

import fedpact as fp
from fedpact.cli.common import JsonOption, answer, names_candidates, read_amounts
from fedpact.cli.mistake_file import read_mistake_file
from fedpact.describe.numbers import read_whole_number

Candidates: TypeAlias = fp.sites.CandidateList
_FORMS = "SITE=PREDICTIONS,LABELS or SITE=MISTAKES,M"


def realizability(
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN or SITE=PREDICTIONS,LABELS...",
            help="A run: its home, its ledger's file or URL, or a JSON export. Or for every site what each "
            "candidate predicts on its labelled samples, .csv with a column per candidate under its name or .npy "
            "with a row per candidate, and their labels, one column or row; or instead SITE=MISTAKES,M: a .csv "
            "with the header candidate,mistakes and a line per candidate, and the number of samples.",
        ),
    ],
    noise: Annotated[str, typer.Option(help="Share of the labels that may be wrong.")] = "0",
    false_alarm_rate: Annotated[str, typer.Option(help="Chance, at most, of refuting what is true.")] = "0.01",
    confidence: Annotated[
        str, typer.Option(help="Chance, at least, that all limits of errors are right.")
    ] = "0.95",
    epsilon: Annotated[
        str | None,
        typer.Option(
            metavar="ERROR",
            help='The error that every site tolerates, or "alice=0.1,bob=0.2"; of a run, what was agreed on. Says '
            "where the chosen candidate is within it, and how many more labels would settle it.",
        ),
    ] = None,
    chosen: Annotated[
        str | None,
        typer.Option(
            metavar="CANDIDATE", help="Whose error is held against epsilon; else the run's choice, or the best."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Test on labelled samples whether some candidate can be right, as every guarantee assumes.

    After a run its mistake counts are enough. For every site it says whether the error of the chosen candidate is
    within epsilon, and how many more labels would settle it.

    Example: [bold]fedpact realizability fedpact-runs/alice-bob[/bold]

    Example: [bold]fedpact realizability alice=alice.csv,alice-labels.csv bob=bob.csv,bob-labels.csv[/bold]
    """
    contributions, names = _read(given)
    seen = fp.realizability(
        contributions,
        noise=noise,
        false_alarm_rate=false_alarm_rate,
        confidence=confidence,
        hypotheses=names,
        epsilon=read_amounts(epsilon, "epsilon"),
        chosen=chosen,
    )
    answer(seen, as_json=as_json)


def _read(given: list[str]) -> tuple[Any, tuple[str, ...] | None]:
    """Read what came of a run, or every site's files and the candidates' names."""
    text = given[0]
    if len(given) > 1 or ("=" in text and "://" not in text and not Path(text).exists()):
        return _read_sites(given)
    if "://" not in text and not Path(text).exists():
        raise fp.FederationError(f"there is no run at {text!r}; of labelled samples give {_FORMS} for every site")
    return fp.protocol.read_outcome(text), None


def _split(text: str) -> tuple[str, str, str]:
    name, equals, files = text.partition("=")
    first, comma, second = files.rpartition(",")
    if not (name and equals and first and comma and second):
        raise fp.FederationError(
            f"a site must be given as {_FORMS}, as in alice=alice.csv,alice-labels.csv; one is {text!r}"
        )
    return name.strip(), first.strip(), second.strip()


def _note_strange_labels(site: str, both: fp.sites.Predicted) -> None:
    """Say on stderr which labels of a site no candidate predicts there: they may be misspelt."""
    own = sorted(set(both.labels[-1].tolist()))
    strange = [code for code in own if not (both.labels[:-1] == code).any()]
    if strange:
        words = ", ".join(repr(both.classes[code]) for code in strange)
        print(f"note: at {site!r} some samples are labelled {words}, which no candidate predicts", file=sys.stderr)


def _read_labels(site: str, predictions: str, labels: str) -> tuple[Any, tuple[str, ...] | None]:
    if fp.sites.read_predictions(labels).H != 1:
        raise fp.FederationError(f"{labels}: labels must be one column (.csv) or one row (.npy)")
    both = fp.sites.read_predictions([predictions, labels])
    _note_strange_labels(site, both)
    names = both.candidates.names[:-1] if names_candidates(predictions) else None
    return (both.labels[:-1], both.labels[-1]), names


def _read_counts(_: str, file: str, m: str) -> tuple[Any, tuple[str, ...] | None]:
    mistakes = read_mistake_file(Path(file))
    return (list(mistakes.values()), read_whole_number(m, f"{file}: M")), tuple(mistakes)


def _read_sites(sites: list[str]) -> tuple[dict[str, Any], tuple[str, ...] | None]:
    """Read every site's files, and the candidates' names; an ``.npy`` file has none."""
    contributions: dict[str, Any] = {}
    named: list[tuple[str, Candidates]] = []
    for text in sites:
        site, *files = _split(text)
        if site in contributions:
            raise fp.FederationError(f"every site must be given once; {site!r} is there twice")
        contributions[site], names = (_read_counts if files[1].isdecimal() else _read_labels)(site, *files)
        if names is not None:
            named.append((site, Candidates.from_names(names)))
    for site, own in named:
        difference = named[0][1].difference(own)
        if difference is not None:
            raise fp.FederationError(
                f"{named[0][0]!r} and {site!r} predict with different candidates: {difference}"
            )
    return contributions, named[0][1].names if named else None
