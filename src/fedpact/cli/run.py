"""``fedpact run``: report, plan, contribute, pay, with a ledger; in this process or on Flower."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import fedpact as fp
from fedpact.cli.common import (
    ConfidenceOption,
    FeeOption,
    JsonOption,
    PlotOption,
    SeedOption,
    print_json,
    read_amounts,
    read_federation,
    require_package,
    save_plot,
)
from fedpact.cli.complete import RUN_METHODS, RUN_RULES, choose, complete_federations, list_choices, one_of
from fedpact.cli.show_run import print_outcome, watching

ENGINES = ("in-process", "flower", "flower-sim")
_OVER = ("finished", "disputed", "abandoned")
_OF_RESUMES = {"resume", "budget", "engine", "local_nodes", "superlink", "plot", "as_json"}


def run(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help='A federation file, or an example such as "alice-bob".',
            autocompletion=complete_federations,
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            help=f"Who carries the messages: {', '.join(ENGINES)}.",
            show_default=ENGINES[0],
            autocompletion=one_of(*ENGINES),
        ),
    ] = None,
    local_nodes: Annotated[
        int | None,
        typer.Option(
            metavar="SITES",
            help="With flower: how many nodes to start here beside a SuperLink; one for every site.",
        ),
    ] = None,
    superlink: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="With flower: a SuperLink that is running already.")
    ] = None,
    sites: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="A site's own folder on this machine, as 'fedpact site check' takes it; once for every site.",
        ),
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
        str | None,
        typer.Option(
            metavar="LEDGER", help="Continue a run from its ledger, or its home, wherever it was stopped."
        ),
    ] = None,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Run once more in the home of a finished run; all are paid once more.")
    ] = False,
    method: Annotated[str, choose(RUN_METHODS, f'As for "fedpact plan": {list_choices(*RUN_METHODS)}.')] = "auto",
    confidence: ConfidenceOption = None,
    rule: Annotated[str, choose(RUN_RULES, f"Payment rule: {list_choices(*RUN_RULES)}.")] = "pwyc",
    fee: FeeOption = None,
    false_alarm_rate: Annotated[
        str, typer.Option(help="Chance, at most, of withholding pay from an honest site.")
    ] = "0.01",
    patience: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS",
            help='How long sites may take, for every step or as in "report=60,contribute=86400".',
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="AMOUNT",
            help="Pay so much in all at most; a plan that comes to more stops the run before anybody labels, and "
            "is asked about on a terminal. With --resume: go on up to this amount.",
        ),
    ] = None,
    minimum_count: Annotated[
        int, typer.Option(min=0, help="The largest counts that reports may hide; more weakens the checks.")
    ] = 10,
    classes: Annotated[
        int | None, typer.Option(min=2, help="The most labels that reports may name; else as many as they say.")
    ] = None,
    withstand_liar: Annotated[
        bool,
        typer.Option("--withstand-liar", help="Ask for so many samples that no one site decides for the others."),
    ] = False,
    teacher: Annotated[
        str | None, typer.Option(metavar="HYPOTHESIS", help="Who labels at sites that are made up; else drawn.")
    ] = None,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the protocol: sites report, are planned for, label, contribute, are checked and paid.

    Sites of a federation file are made up from its tables or predictions, and a teacher labels, unless --sites
    names their folders. Every step stands in the ledger before it is taken, so that a run that was stopped goes on
    with --resume.

    Example: [bold]fedpact run alice-bob --seed 1[/bold]
    """
    _check_given(context, file, home, is_resumed=resume is not None)
    if resume is not None:
        place = fp.protocol.read_home(resume)
        if superlink is None and local_nodes is None and engine in (None, place.engine):
            superlink = place.superlink
        engine = _choose_engine(engine or place.engine, local_nodes, superlink)
        _check_local(place.pact.names, local_nodes)
        from fedpact.protocol.home import hold_home
        from fedpact.protocol.runs import approve_run

        with hold_home(place.folder):
            outcome = fp.protocol.read_progress(place)
            if outcome is None or outcome.status not in _OVER:
                if budget is not None:
                    approve_run(place, budget)
                outcome = _carry_out_asking(place, engine, superlink)
    else:
        engine = _choose_engine(engine, local_nodes, superlink)
        terms = {
            "method": method,
            "confidence": confidence,
            "rule": rule,
            "fee": read_amounts(fee, "fee"),
            "false_alarm_rate": false_alarm_rate,
            "patience": read_amounts(patience, "patience"),
            "budget": 0 if budget is None and _is_asked(sites, superlink) else budget,
            "minimum_count": minimum_count,
            "n_classes": classes,
            "withstands_liar": withstand_liar,
        }
        pact, made_up = _agree(str(file), terms, teacher, seed, has_own_sites=bool(sites or superlink))
        _check_local(pact.names, local_nodes)
        folder = home or Path("fedpact-runs", pact.name)
        from fedpact.protocol.home import hold_home

        with hold_home(folder):
            place = fp.protocol.prepare_home(
                folder,
                pact,
                made_up,
                folders=sites or (),
                keys=keys,
                ledger=ledger,
                engine=engine,
                superlink=superlink,
                rerun=rerun,
            )
            outcome = _carry_out_asking(place, engine, superlink)
    if as_json:
        print_json(outcome.to_dict())
    else:
        print_outcome(outcome, place)
    if plot is not None:
        save_plot(outcome, plot)
    if outcome.status is fp.protocol.RunStatus.STOPPED:
        from fedpact.explain.phrases import say_reason

        assert outcome.why is not None, "a run that stops says why"
        why = say_reason(outcome.why.code, outcome.why.values)
        raise fp.InfeasibleError(f"{why}; {_say_resume(place, engine, superlink)}")
    if outcome.status is fp.protocol.RunStatus.DISPUTED:
        raise typer.Exit(1)


def _is_asked(sites: list[Path] | None, superlink: str | None) -> bool:
    """Whether somebody is there to say yes or no before people label."""
    return bool(sites or superlink) and sys.stdin.isatty()


def _carry_out_asking(place: fp.protocol.RunHome, engine: str, superlink: str | None) -> fp.protocol.RunOutcome:
    """Carry a run out; on a terminal ask whether a plan that goes beyond the budget may go on."""
    from fedpact.explain.phrases import say_reason
    from fedpact.protocol.runs import approve_run

    while True:
        outcome = _carry_out(place, engine, superlink)
        why = outcome.why
        if why is None or why.code != "over-budget" or not sys.stdin.isatty():
            return outcome
        said = say_reason(why.code, why.values)
        if not typer.confirm(f"{said[:1].upper()}{said[1:]}. Go on?", err=True):
            return outcome
        approve_run(place, why.values["cost"])


def _say_resume(place: fp.protocol.RunHome, engine: str, superlink: str | None) -> str:
    """Give the command that continues a run; what carried it first is kept in its home."""
    words = ["fedpact", "run", "--resume", str(place.folder)]
    words += ["--engine", engine] if engine != (place.engine or ENGINES[0]) else []
    if superlink is not None and superlink != place.superlink:
        words += ["--superlink", superlink]
    return f"resume with: {shlex.join(words)}"


def _check_given(context: typer.Context, file: str | None, home: Path | None, *, is_resumed: bool) -> None:
    """Refuse options that would be passed over in silence, and to run nothing, or in no folder of its own."""
    if file is None and not is_resumed:
        raise fp.FederationError("say which federation to run, or give --resume LEDGER to continue a run")
    if home == Path():
        raise fp.FederationError("--home must name a folder of the run's own; it is this one, or empty")
    options = {str(option.name): max(option.opts, key=len) for option in context.command.params}
    sources = {name: context.get_parameter_source(name) for name in options}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    for name in given:
        if is_resumed and name not in _OF_RESUMES:
            what = repr(file) if name == "file" else options[name]
            raise fp.FederationError(f"a run is resumed as it was agreed on; leave out {what}")
    if "sites" in given and "superlink" in given:
        raise fp.FederationError(
            "--sites names sites on this machine; --superlink is for those on machines of their own"
        )
    if "sites" in given and file in fp.examples.CATALOGUE:
        raise fp.FederationError(f"--sites are those of a federation file; the sites of {file!r} are made up")
    if "teacher" in given and ("superlink" in given or "sites" in given):
        raise fp.FederationError("--teacher labels at sites that are made up; these have labels of their own")


def _choose_engine(engine: str | None, local_nodes: int | None, superlink: str | None) -> str:
    chosen = ENGINES[0] if engine is None else engine
    if chosen not in ENGINES:
        raise fp.FederationError(f"engine must be one of {', '.join(ENGINES)}; it is {chosen!r}")
    if chosen != "flower" and (local_nodes is not None or superlink is not None):
        raise fp.FederationError("--local-nodes and --superlink belong to --engine flower")
    if local_nodes is not None and superlink is not None:
        raise fp.FederationError("--local-nodes starts a SuperLink, --superlink names one; give one of the two")
    if chosen != ENGINES[0]:
        require_package("flwr", f"the engine {chosen}", extra="flower")
    return chosen


def _check_local(sites: tuple[str, ...], local_nodes: int | None) -> None:
    if local_nodes is not None and local_nodes != len(sites):
        raise fp.FederationError(
            f"--local-nodes must be the number of sites, {len(sites)} ({', '.join(sites)}); it is {local_nodes}"
        )


def _agree(
    file: str, terms: dict[str, Any], teacher: str | None, seed: int, *, has_own_sites: bool
) -> tuple[fp.protocol.Pact, dict[str, fp.protocol.Site] | None]:
    """Make the pact of a file or of an example, and its sites unless they have folders of their own."""
    if has_own_sites:
        return fp.protocol.load_pact(file, **terms), None
    fed = read_federation(file)
    return fp.protocol.make_pact(fed, **terms), fp.protocol.simulate_sites(fed, teacher=teacher, seed=seed)


def _carry_out(place: fp.protocol.RunHome, engine: str, superlink: str | None) -> fp.protocol.RunOutcome:
    try:
        with watching(place) as watch:
            return _run(place, engine, superlink, watch)
    except KeyboardInterrupt:
        what = "interrupted" if superlink is None else f"left; the run goes on at {superlink}"
        print(f"{what}; {_say_resume(place, engine, superlink)}", file=sys.stderr)
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
    outcome = fp.protocol.read_progress(place)
    assert outcome is not None, "what carries a run returns when it is over"
    return outcome
