"""``fedpact select``: which candidate each site should use, from as few labels as possible."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import fedpact as fp
from fedpact.cli.common import (
    AssumeOption,
    ConfidenceOption,
    FileArgument,
    JsonOption,
    NoiseOption,
    PlotOption,
    answer,
    progress_bar,
    read_federation,
    read_m,
    say,
)
from fedpact.cli.complete import SCOPES, WAYS, choose
from fedpact.describe.whole_files import alone_at

if TYPE_CHECKING:
    from fedpact.selection.result import Selection


def select(
    file: FileArgument,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Labels that are known: a folder with one file per site, named as the site, .csv with one column "
            "or .npy, a label for each point. For a table one .csv with the columns point and label.",
        ),
    ] = None,
    truth: Annotated[str | None, typer.Option(metavar="NAME", help="The candidate that labels.")] = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For people who label: what was asked and told is kept here."),
    ] = None,
    ask: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the points to label next, numbered from 1, to this CSV file."),
    ] = None,
    tell: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Read labels from this file of --ask; rows without one stay open."),
    ] = None,
    any_label: Annotated[
        bool, typer.Option("--any-label", help="Accept labels that no candidate predicts.")
    ] = False,
    assume: AssumeOption = None,
    noise: NoiseOption = None,
    scope: Annotated[
        str | None, choose(SCOPES, '"each": every site may use another candidate; "one": all use the same.')
    ] = None,
    how: Annotated[
        str | None,
        choose(WAYS, '"adaptive", or "implied-free": the draws of a plan, asked only where candidates disagree.'),
    ] = None,
    m: Annotated[
        str | None,
        typer.Option(metavar="COUNTS", help='For "implied-free", the plan: "3,2" or "alice=3,bob=2".'),
    ] = None,
    batch: Annotated[
        int,
        typer.Option(
            help="Labels before one looks again: of every site where nothing is assumed, else of all together."
        ),
    ] = 1,
    max_labels: Annotated[int | None, typer.Option(help="Labels to ask for at most.")] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="WEIGHTS",
            help='How much is expected of candidates before any label, as "forest=2,stump=1"; or "chosen-before".',
        ),
    ] = None,
    confidence: ConfidenceOption = None,
    seed: Annotated[int | None, typer.Option(help="Seed of everything that is drawn at random.")] = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the candidate that each site should use, asking for as few labels as possible.

    Where labels are known, this says how many were needed.

    People label round by round: --ask writes which points, --tell reads their labels; both together go on.

    Example: [bold]fedpact select alice-bob --truth nowhere[/bold]
    """
    options: dict[str, Any] = {
        "assume": assume,
        "noise": noise,
        "scope": scope,
        "ask": how,
        "plan": None if m is None else read_m(m),
        "max_labels": max_labels,
        "weights": weights if weights is None or "=" not in weights else read_m(weights, "weights"),
        "confidence": confidence,
        "rng": seed,
    }
    lines: list[str] = []
    if state is not None:
        if labels is not None or truth is not None:
            raise fp.FederationError(
                "--labels and --truth are for labels that are known, --state is for people; choose"
            )
        if ask is not None and ask.resolve() == state.resolve():
            raise fp.FederationError(f"--state and --ask must be two files; both are {state}")
        if not state.parent.is_dir():
            raise fp.FederationError(f"{state} cannot be written: there is no such folder")
        with alone_at(state.with_name(f".{state.name}.lock")):
            found, lines = _ask_people(file, options, state, ask, tell, batch, any_label=any_label)
    elif ask is not None or tell is not None:
        raise fp.FederationError("--ask and --tell need --state FILE, which keeps what was asked and told")
    elif (labels is None) == (truth is None):
        raise fp.FederationError(
            "select needs labels, in one way: --labels PATH, --truth NAME, or people's: --state FILE --ask FILE"
        )
    else:
        found = _use_known(read_federation(file), labels, truth or "", options, batch)
    answer(found, as_json=as_json, plot=plot)
    if not as_json:
        for line in lines:
            say(line)


def _use_known(
    fed: fp.Federation, labels: Path | None, truth: str, options: Mapping[str, Any], batch: int
) -> Selection:
    """Select by labels that are known: those of files, or of the candidate that labels."""
    from fedpact.cli.label_files import read_label_files

    known = truth if labels is None else read_label_files(fed, labels)
    usual = {"ask": options["ask"] or "adaptive", "rng": options["rng"] or 0}
    with progress_bar("Ruling out candidates") as report:
        return fp.select(fed, known, batch=batch, progress=report, **{**options, **usual})


def _ask_people(
    file: str,
    options: Mapping[str, Any],
    state: Path,
    ask: Path | None,
    tell: Path | None,
    batch: int,
    *,
    any_label: bool,
) -> tuple[Selection, list[str]]:
    """Read labels, keep the state, then write what is asked next; return how it stands, and lines that say so."""
    from fedpact.cli import asks
    from fedpact.explain.words import words_of

    fed, words, lines = read_federation(file), words_of("selection"), []
    is_new = not state.exists()
    if is_new and (tell is not None or ask is None):
        raise fp.FederationError(f"{state}: there is no such state; begin with --ask FILE and without --tell")
    given = {key: value for key, value in options.items() if value is not None}
    selector = fp.Selector(fed, **given) if is_new else asks.load_selector(state, fed, options)
    told = {} if tell is None else asks.read_answers(tell, selector, any_label=any_label)
    for site, own in told.items():
        selector.tell(site, list(own), list(own.values()))
    waiting = sum(map(len, selector.pending.values()))
    if tell is not None:
        count = sum(map(len, told.values()))
        lines.append(words.say("asks.told", told=count, file=str(tell), pending=waiting))
    if ask is not None and selector.result().status == "open":
        asks.check_replaceable(ask, selector)
        if not waiting:
            selector.ask(batch)
    asks.save_selector(state, selector)
    found = selector.result()
    if ask is not None and found.status == "open":
        asks.write_asks(ask, selector)
        points = sum(map(len, selector.pending.values()))
        lines.append(words.say("asks.written", file=str(ask), points=points))
        lines += [words.say("asks.again")] if waiting else []
        command = ["fedpact", "select", file, "--state", state, "--tell", ask, "--ask", ask]
        more = ["--batch", batch] if batch > 1 else []
        lines.append(words.say("asks.next", command=shlex.join(map(str, command + more))))
    elif ask is not None:
        key = "decided" if found.status == "certified" else "ended"
        lines.append(words.say(f"asks.{key}", file=str(ask)))
    return found, lines
