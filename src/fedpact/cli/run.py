"""``fedpact run``: report, plan, contribute, pay, with a ledger; in this process or on Flower."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

import fedpact as fp
from fedpact.cli.common import (
    ConfidenceOption,
    FeeOption,
    JsonOption,
    PlotOption,
    SeedOption,
    answer,
    console,
    format_number,
    make_table,
    print_table,
    progress_bar,
    read_amounts,
    read_federation,
    read_seed,
)

ENGINES = ("in-process", "flower", "flower-sim")
TRIALS = ("hospitals", "digits")


class _Trial(NamedTuple):
    """What a trial on real data is asked for."""

    candidates: int
    epsilon: str
    delta: str
    data: Path | None


class _Made(NamedTuple):
    """A run before its home is written."""

    pact: fp.protocol.Pact
    sites: dict[str, fp.protocol.Site] | None = None
    starts: list[Any] | None = None
    """For every candidate, the weights from which training goes on."""


def run(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help='A federation file, an example such as "alice-bob", or a trial on real data: "digits", or '
            '"hospitals" with --data.',
        ),
    ] = None,
    engine: Annotated[str, typer.Option(help=f"Who carries the messages: {', '.join(ENGINES)}.")] = "in-process",
    local: Annotated[
        int | None,
        typer.Option(
            metavar="SITES", help="With flower: start a SuperLink and this many SuperNodes here, and end them."
        ),
    ] = None,
    superlink: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="With flower: a SuperLink that is running already.")
    ] = None,
    home: Annotated[
        Path | None,
        typer.Option(help="Where ledger, keys and sites of the run are kept; else fedpact-runs/NAME."),
    ] = None,
    ledger: Annotated[
        str | None, typer.Option(metavar="PATH|URL", help="The books: a SQLite file or a database's URL.")
    ] = None,
    keys: Annotated[
        Path | None, typer.Option(help="A folder that 'fedpact keys make' made; else one is made in the home.")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="LEDGER", help="Continue a run from its ledger, or its home, wherever it was stopped."
        ),
    ] = None,
    method: Annotated[str, typer.Option(help='As for "fedpact plan": auto, lp, union or tree.')] = "auto",
    confidence: ConfidenceOption = None,
    rule: Annotated[str, typer.Option(help="Payment rule: pwyc, equal-split, proportional or none.")] = "pwyc",
    fee: FeeOption = None,
    level: Annotated[str, typer.Option(help="Chance, at most, of withholding pay from an honest site.")] = "0.01",
    patience: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS",
            help='How long sites may take, for every step or as in "report=60,contribute=86400".',
        ),
    ] = None,
    teacher: Annotated[
        str | None, typer.Option(metavar="HYPOTHESIS", help="Who labels at sites that are made up; else drawn.")
    ] = None,
    train: Annotated[
        int,
        typer.Option(metavar="ROUNDS", min=0, help="Rounds of training from the chosen candidate (trials only)."),
    ] = 0,
    candidates: Annotated[int, typer.Option(help="Candidates to train in a trial.")] = 100,
    epsilon: Annotated[str, typer.Option(help="The error that sites tolerate in a trial.")] = "0.3",
    delta: Annotated[str, typer.Option(help="Chance, at most, that a target is missed in a trial.")] = "0.05",
    data: Annotated[Path | None, typer.Option(help="Folder with the data of the trial 'hospitals'.")] = None,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the protocol: sites report, are planned for, label, contribute, are checked and paid.

    Sites of a federation file are made up from its tables or predictions; a teacher labels. Every step stands in
    the ledger before it is taken, so that a run that was stopped goes on with --resume.

    Example: [bold]fedpact run alice-bob --seed 1[/bold]
    """
    _check_engine(engine, local, superlink)
    if resume is not None:
        place = fp.protocol.read_home(resume)
    else:
        terms = _read_terms(method, confidence, rule, fee, level, patience) | _read_training(train, seed)
        trial = _Trial(candidates=candidates, epsilon=epsilon, delta=delta, data=data)
        made = _make_run(_insist(file), terms, trial, teacher, seed, has_own_sites=superlink is not None)
        folder = Path("fedpact-runs", made.pact.name) if home is None else home
        place = fp.protocol.prepare_home(
            folder, made.pact, made.sites, keys=keys, ledger=ledger, starts=made.starts
        )
    _check_local(place, local)
    outcome = fp.protocol.read_progress(place) if resume is not None else None
    if outcome is None or outcome.status is not fp.protocol.RunStatus.FINISHED:
        outcome = _carry_out(place, engine, superlink)
    found = _Answer(outcome=outcome, gap=_find_gap(outcome, place))
    answer(found, lambda: _print_outcome(found, place), as_json=as_json, plot=plot)
    if outcome.status is fp.protocol.RunStatus.STOPPED:
        raise fp.InfeasibleError(f"{outcome.why}; {_say_resume(place)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What came of a run, and what averaging lost in it if that can be told."""

    outcome: fp.protocol.RunOutcome
    gap: fp.training.AveragingGap | None

    def to_dict(self) -> dict[str, Any]:
        return self.outcome.to_dict() | ({} if self.gap is None else {"pooled": _compare(self.gap)})

    def plot(self) -> Any:
        return self.outcome.plot()


def _compare(gap: fp.training.AveragingGap) -> dict[str, Any]:
    pooled, averaged = gap.last.pooled, gap.last.averaged
    return {
        "error": {name: None if right is None else 1 - right for name, right in pooled.site_accuracy.items()},
        "accuracy": pooled.accuracy,
        "averaged_accuracy": averaged.accuracy,
        "p_value": gap.p_value,
        "status": gap.status.value,
    }


def _find_gap(outcome: fp.protocol.RunOutcome, place: fp.protocol.RunHome) -> fp.training.AveragingGap | None:
    """Compare with pooled training, where all sites, and hence all samples, are on this machine."""
    is_told = outcome.status is fp.protocol.RunStatus.FINISHED and set(place.sites) == set(place.pact.names)
    return fp.protocol.measure_run_gap(place) if is_told and place.pact.training is not None else None


def _say_resume(place: fp.protocol.RunHome) -> str:
    return f"resume with: fedpact run --resume {shlex.quote(str(place.folder))}"


def _check_engine(engine: str, local: int | None, superlink: str | None) -> None:
    if engine not in ENGINES:
        raise fp.FederationError(f"engine must be one of {', '.join(ENGINES)}; it is {engine!r}")
    if engine != "flower" and (local is not None or superlink is not None):
        raise fp.FederationError("--local and --superlink belong to --engine flower")
    if local is not None and superlink is not None:
        raise fp.FederationError("--local starts a SuperLink, --superlink names one; give one of the two")


def _check_local(place: fp.protocol.RunHome, local: int | None) -> None:
    if local is not None and local != len(place.sites):
        raise fp.FederationError(
            f"--local must be the number of sites, {len(place.sites)} ({', '.join(place.sites)}); it is {local}"
        )


def _insist(file: str | None) -> str:
    if file is None:
        raise fp.FederationError("say which federation to run, or give --resume LEDGER to continue a run")
    return file


def _read_terms(
    method: str, confidence: str | None, rule: str, fee: str | None, level: str, patience: str | None
) -> dict[str, Any]:
    return {
        "method": method,
        "confidence": confidence,
        "rule": rule,
        "fee": read_amounts(fee, "fee"),
        "level": level,
        "patience": read_amounts(patience, "patience"),
    }


def _read_training(rounds: int, seed: int) -> dict[str, Any]:
    return {"training": fp.training.TrainingTerms(rounds=rounds, seed=seed)} if rounds else {}


def _make_run(
    file: str, terms: dict[str, Any], trial: _Trial, teacher: str | None, seed: int, *, has_own_sites: bool
) -> _Made:
    """Make the pact of a file, of an example or of a trial, and its sites unless they are on their own."""
    if has_own_sites and "training" in terms:
        raise fp.FederationError("--train is for trials, whose sites are on this machine; leave out --superlink")
    if has_own_sites:
        return _Made(pact=fp.protocol.load_pact(file, **terms))
    if file in TRIALS:
        return _make_trial(file, terms, trial, seed)
    if "training" in terms:
        raise fp.FederationError("--train needs examples to train on; only hospitals and digits have any")
    fed = read_federation(file)
    return _Made(
        pact=fp.protocol.make_pact(fed, **terms), sites=fp.protocol.simulate_sites(fed, teacher=teacher, seed=seed)
    )


def _make_trial(file: str, terms: dict[str, Any], trial: _Trial, seed: int) -> _Made:
    loaded = _load_trial(file, trial.data, seed)
    with progress_bar("Training candidates") as report:
        made = fp.protocol.train_sites(
            loaded.public,
            loaded.private,
            epsilon=trial.epsilon,
            delta=trial.delta,
            candidates=trial.candidates,
            seed=seed,
            name=loaded.name,
            progress=report,
        )
    starts = [made.start(index) for index in range(made.trained.H)] if "training" in terms else None
    return _Made(pact=fp.protocol.make_pact(made.federation, **terms), sites=made.sites, starts=starts)


def _load_trial(file: str, data: Path | None, seed: int) -> fp.experiments.SiteData:
    if file == "digits":
        return fp.experiments.load_digit_sites(read_seed(seed))
    if data is None:
        raise fp.FederationError("the hospitals' patients are in a file that you have: --data FOLDER")
    return fp.experiments.load_hospitals(data, read_seed(seed))


def _carry_out(place: fp.protocol.RunHome, engine: str, superlink: str | None) -> fp.protocol.RunOutcome:
    try:
        with _watching(place) as watch:
            return _run(place, engine, superlink, watch)
    except KeyboardInterrupt:
        print(f"interrupted; {_say_resume(place)}", file=sys.stderr)
        raise typer.Exit(130) from None


def _run(place: fp.protocol.RunHome, engine: str, superlink: str | None, watch: Any) -> fp.protocol.RunOutcome:
    if engine == "in-process":
        return fp.protocol.run_home(place, watch=watch)
    if engine == "flower-sim":
        fp.protocol.flower.run_in_flower_simulation(place, watch=watch)
    elif superlink is not None:
        fp.protocol.flower.run_at_superlink(place, superlink, watch=watch)
    else:
        fp.protocol.flower.run_on_local_flower(place, watch=watch)
    return fp.protocol.read_outcome(place.ledger)


@contextmanager
def _watching(place: fp.protocol.RunHome) -> Iterator[Any]:
    """Show on stderr who has reported, contributed, evaluated and been paid, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    with Live(console=Console(stderr=True), refresh_per_second=4, transient=True) as live:
        yield lambda state, pending: live.update(_progress_table(place, state, pending))


def _progress_table(place: fp.protocol.RunHome, state: fp.protocol.RunState, pending: Mapping[str, str]) -> Table:
    table = make_table("site", "reported", "samples", "evaluated", "paid", "", left=2)
    planned = {} if state.plan is None else state.plan.contributions
    for name in place.pact.names:
        gone, waits = state.gone.get(name), [why for ask, why in pending.items() if state.asks[ask].site == name]
        seen, paid = state.evaluated.get(name), state.payments.get(name)
        table.add_row(
            escape(name),
            "yes" if name in state.reports else "",
            f"{state.contributed.get(name, 0)} of {planned[name]}" if name in planned else "",
            "" if seen is None or not seen.n else f"{seen.mistakes / seen.n:.1%} wrong",
            "" if paid is None else format_number(paid["amount"]),
            escape(f"gone: {gone.why}" if gone is not None else "; ".join(waits)),
        )
    return table


def _print_outcome(found: _Answer, place: fp.protocol.RunHome) -> None:
    outcome = found.outcome
    table = make_table("site", "samples", "paid", "error on held-out", "target", "")
    for name in place.pact.names:
        seen = outcome.evaluation[name]
        table.add_row(
            escape(name),
            str(outcome.contributions[name]),
            format_number(outcome.payments[name]) if name in outcome.payments else "",
            "" if seen is None else f"{seen['error']:.1%}",
            "" if seen is None else f"{'met' if seen['met'] else 'missed'} ({seen['epsilon']:g})",
            escape(_say_what_happened(outcome, name)),
        )
    print_table(f"{outcome.pact}: run {outcome.run}", table)
    out = console()
    if outcome.hypothesis is not None:
        chosen = f"chosen: {outcome.hypothesis}, on {sum(outcome.contributions.values())} samples"
        out.print(escape(f"{chosen}; paid {format_number(outcome.deficit)}"), soft_wrap=True)
    if found.gap is not None:
        out.print(escape(_say_gap(found.gap)), soft_wrap=True)
    out.print(escape(f"{outcome.status.value}"), soft_wrap=True)
    out.print(escape(f"ledger: {place.ledger} (check it: fedpact ledger verify {place.ledger})"), soft_wrap=True)


def _say_gap(gap: fp.training.AveragingGap) -> str:
    averaged, pooled = (f"{score.accuracy:.1%}" for score in (gap.last.averaged, gap.last.pooled))
    rounds = f"{len(gap.rounds) - 1} round{'' if len(gap.rounds) == 2 else 's'}"
    return f"trained for {rounds}: {averaged} of held-out samples right, pooled {pooled}; {gap.status.value}"


def _say_what_happened(outcome: fp.protocol.RunOutcome, name: str) -> str:
    said = [f"gone at {outcome.gone[name]}"] if name in outcome.gone else []
    return "; ".join([*said, *([f"withheld: {outcome.withheld[name]}"] if name in outcome.withheld else [])])
