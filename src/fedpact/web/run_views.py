"""What is asked of runs and what is answered, as plain values: requests, runs, statements, checks, events."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from fastapi.sse import ServerSentEvent

import fedpact as fp
from fedpact.planning.methods import PLANNERS
from fedpact.protocol.pact import RUN_RULES
from fedpact.web.jobs import Job
from fedpact.web.library import Known
from fedpact.web.models import (
    CheckView,
    JobView,
    RunLine,
    RunPageView,
    RunRequest,
    RunView,
    Standing,
    StatementView,
    StepView,
)
from fedpact.web.routes import view_federation
from fedpact.web.run_ledger import read_steps
from fedpact.web.run_record import Run, RunNote
from fedpact.web.runs import RunManager
from fedpact.web.view import View, read_address
from fedpact.web.worker import PATIENCE, RunTask

METHODS = tuple(name for name, planner in PLANNERS.items() if not planner.needs_joint)
"""Sites send reports, which is not enough for "exact"."""


def _find_problems(make: Callable[..., object], *given: Any, **options: Any) -> list[str]:
    """Return why something cannot be made."""
    try:
        make(*given, **options)
    except fp.FederationError as error:
        return list(error.problems)
    return []


def say_why_not(fed: fp.Federation) -> str | None:
    """Say why sites cannot be made up from a federation, if they cannot."""
    problems = _find_problems(fp.protocol.simulate_sites, fed) if hasattr(fed.evidence, "reports") else []
    return str(fp.FederationError(problems)) if problems else None


def _find_pact_problems(fed: fp.Federation, terms: Mapping[str, Any]) -> list[str]:
    found = _find_problems(fp.protocol.make_pact, fed, patience=PATIENCE, **terms)
    if isinstance(terms["fee"], dict):
        return found
    return [problem.removeprefix(f"agent {fed.names[0]!r}: ") for problem in found[:1]]  # the same for everybody


def read_request(asked: RunRequest, known: Known) -> tuple[RunTask, RunNote]:
    """Return what a process is to do, and what is noted beside its ledger.

    Raises
    ------
    FederationError
        With everything that stands in the way.
    """
    view = read_address(known, asked.query)
    fed, teacher, refused = view.fed, asked.teacher or None, say_why_not(view.fed)
    terms = asked.model_dump(include={"method", "rule", "fee", "false_alarm_rate"})
    terms["fee"] = None if asked.fee == "" else asked.fee
    problems = [] if refused is None else [refused]
    problems += [f"{field}: {problem}" for field, problem in view.changed.problems.items()]
    problems += _find_pact_problems(fed, terms)
    if teacher is not None and refused is None:
        problems += _find_problems(fp.protocol.simulate_sites, fed, teacher=teacher)
    if problems:
        raise fp.FederationError(problems)
    task = RunTask(federation=fed, terms=terms, teacher=teacher, seed=asked.seed)
    note = RunNote(
        federation=known.key,
        query=urlencode(view.changed.given),
        teacher=teacher,
        seed=asked.seed,
        created=time.time(),
    )
    return task, note


_BETWEEN = 0.2
"""Seconds between two looks at a file."""
_BETWEEN_FAR = 1.0
"""Seconds between two looks at a database, which means a connection each time."""
_KEPT = ("key", "name", "condition", "problems", "created", "can_continue", "address")


def _address_of(run: Run, slug: str, ending: str = "html") -> str:
    """Return the address of a site's statement."""
    return f"{run.address}/statements/{quote(slug, safe='')}.{ending}"


def view_line(manager: RunManager, run: Run) -> RunLine:
    """Return a run as it stands in a list."""
    values: dict[str, Any] = {name: getattr(run, name) for name in _KEPT}
    if (note := run.note) is not None:
        values |= {"federation": note.address, "teacher": note.teacher, "seed": note.seed}
    return RunLine(**values, can_cancel=run.is_under_way, continue_with=manager.say_how_to_go_on(run))


async def look_at(manager: RunManager, run: Run) -> tuple[Standing, str | None]:
    """Return how far a run is, or why that cannot be told."""
    try:
        return await manager.look_at(run), None
    except fp.errors.LedgerError as error:
        return Standing(), str(error)


async def view_run(manager: RunManager, run: Run, after: int | None = None, *, has_steps: bool = True) -> RunView:
    """Return a run with the entries that follow the one with a number, or with the newest, or with none."""
    standing, trouble = await look_at(manager, run)
    steps: list[StepView] = []
    if standing.length and has_steps:
        try:
            steps = await manager.reader.read(read_steps, run.ledger, after)
        except fp.errors.LedgerError as error:
            trouble = str(error)
    sites = [
        site.model_copy(update={"statement": site.statement and _address_of(run, site.statement)})
        for site in standing.sites
    ]
    return RunView(
        **dict(view_line(manager, run)) | dict(standing) | {"sites": sites},
        entries=steps,
        more=(steps[-1].seq if steps else standing.length) < standing.length,
        trouble=trouble,
        events=f"{run.address}/events",
    )


def view_run_page(manager: RunManager, view: View) -> RunPageView:
    """Return what can be run of a federation, and what was."""
    return RunPageView(
        federation=view_federation(view.known, view.fed),
        refused=say_why_not(view.fed),
        methods=list(METHODS),
        rules=list(RUN_RULES),
        hypotheses=list(view.fed.hypotheses),
        runs=[view_line(manager, run) for run in manager.runs()],
    )


def view_statement(run: Run, found: fp.protocol.Statement) -> StatementView:
    """Return a statement, and where it is shown."""
    return StatementView(
        site=found.site,
        amount=found.amount,
        status=found.status.value,
        page=_address_of(run, found.slug),
        address=_address_of(run, found.slug, "json"),
        statement=found.to_dict(),
    )


def view_check(job: Job) -> CheckView:
    """Return what the check of a ledger found."""
    ledger, books = job.answer or (None, None)
    return CheckView(
        state=job.state,
        is_sound=ledger and bool(ledger.is_intact and books and books.is_sound),
        ledger=ledger and ledger.to_dict(),
        books=books and books.to_dict(),
        problems=list(job.problems),
        job=JobView.model_validate(job),
    )


async def follow_run(manager: RunManager, run: Run, after: int) -> AsyncIterator[ServerSentEvent]:
    """Yield server-sent events from the entry after a number on, until the run is over, or reader or server leave.

    ``entry``
        An entry of the ledger; its number is the event's id, so that a browser that lost its connection goes on
        there.
    ``run``
        How the run stands, whenever that changes.
    ``trouble``
        Why the ledger cannot be read, or null when it can be again.
    ``over``
        How the run stands, as the last event. Ledgers that are followed have none: they go on until the reader
        leaves.
    """
    told: dict[str, Any] = {"trouble": {"trouble": None}}
    known: str | None = None
    between = _BETWEEN_FAR if "://" in run.ledger else _BETWEEN
    while not run.has_ended:
        change, is_over, condition, trouble = run.change, run.is_over, run.condition, None
        try:
            look = partial(manager.reader.read_once, between, read_steps, run.ledger, given=condition)
            while run.is_there and (steps := await look(after, known)):
                known, after = steps[-1].hash, steps[-1].seq
                for step in steps:
                    yield ServerSentEvent(event="entry", id=str(step.seq), data=step.model_dump())
        except (fp.FedpactError, OSError) as error:
            trouble = str(error)
        stands = {"condition": condition.value, "problems": list(run.problems)}
        news = {"trouble": {"trouble": trouble}, "run": stands, **({"over": stands} if is_over else {})}
        for kind, values in news.items():  # how the run stands comes after the steps that led there
            if told.get(kind) != values:
                told[kind] = values
                yield ServerSentEvent(event=kind, data=values)
        if is_over:
            return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(change.wait(), between)
