"""Runs, statements and checks as plain values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from urllib.parse import quote

import fedpact as fp
from fedpact.web.api import view_federation, view_job
from fedpact.web.jobs import Job, JobState
from fedpact.web.models import CheckView, RunLine, RunPageView, RunView, SiteView, StatementView, StepView
from fedpact.web.read_ledger import NOTHING_YET, SiteProgress, Standing, Step, read_newest, read_steps
from fedpact.web.run_record import Run, RunNote
from fedpact.web.run_request import METHODS, RULES, say_why_not
from fedpact.web.runs import RunManager
from fedpact.web.view import View


def address_of(run: Run) -> str:
    """Return the address of a run's page."""
    return f"/runs/{run.key}"


def address_of_statement(run: Run, slug: str, ending: str = "html") -> str:
    """Return the address of a site's statement."""
    return f"{address_of(run)}/statements/{quote(slug, safe='')}.{ending}"


def _address_of_federation(note: RunNote) -> str:
    query = f"?{note.query}" if note.query else ""
    return f"/federations/{quote(note.federation, safe='')}/run{query}"


def view_line(manager: RunManager, run: Run) -> RunLine:
    """Return a run as it stands in a list."""
    note = run.note
    return RunLine(
        key=run.key,
        name=run.name,
        condition=run.condition.value,
        problems=list(run.problems),
        created=run.created,
        federation=None if note is None else _address_of_federation(note),
        teacher=None if note is None else note.teacher,
        seed=None if note is None else note.seed,
        can_cancel=run.is_under_way,
        can_continue=run.can_continue,
        continue_with=manager.say_how_to_go_on(run),
        address=address_of(run),
    )


def _view_site(run: Run, seen: SiteProgress) -> SiteView:
    values = asdict(seen)
    slug = values.pop("slug")
    return SiteView(**values, statement=None if slug is None else address_of_statement(run, slug))


def _view_standing(run: Run, standing: Standing) -> dict[str, Any]:
    return {
        "run": standing.run,
        "status": None if standing.status is None else standing.status.value,
        "terms": standing.terms,
        "outcome": standing.outcome,
        "sites": [_view_site(run, seen) for seen in standing.sites],
        "length": standing.length,
        "head": standing.head,
    }


async def look_at(manager: RunManager, run: Run) -> tuple[Standing, str | None]:
    """Return how far a run is, or why that cannot be told."""
    try:
        return await manager.look_at(run), None
    except fp.errors.LedgerError as error:
        return NOTHING_YET, str(error)


async def _read_steps(manager: RunManager, run: Run, after: int | None) -> list[Step]:
    if after is None:
        return await manager.reader.read(read_newest, run.feed.where)
    return await manager.reader.read(read_steps, run.feed.where, after)


async def view_run(manager: RunManager, run: Run, after: int | None = None, *, has_steps: bool = True) -> RunView:
    """Return a run with the entries that follow the one with a number, or with the newest, or with none."""
    standing, trouble = await look_at(manager, run)
    steps: list[Step] = []
    if standing.length and has_steps:
        try:
            steps = await _read_steps(manager, run, after)
        except fp.errors.LedgerError as error:
            trouble = str(error)
    last = steps[-1].seq if steps else standing.length
    return RunView(
        **view_line(manager, run).model_dump(),
        **_view_standing(run, standing),
        entries=[StepView(**asdict(step)) for step in steps],
        more=last < standing.length,
        trouble=trouble,
        events=f"{address_of(run)}/events",
    )


def view_run_page(manager: RunManager, view: View) -> RunPageView:
    """Return what can be run of a federation, and what was."""
    return RunPageView(
        federation=view_federation(view.known, view.fed),
        refused=say_why_not(view.fed),
        methods=list(METHODS),
        rules=list(RULES),
        hypotheses=list(view.fed.hypotheses),
        runs=[view_line(manager, run) for run in manager.runs()],
    )


def view_statement(run: Run, found: fp.protocol.Statement) -> StatementView:
    """Return a statement, and where it is shown."""
    return StatementView(
        site=found.site,
        amount=found.amount,
        status=found.status.value,
        page=address_of_statement(run, found.slug),
        address=address_of_statement(run, found.slug, "json"),
        statement=found.to_dict(),
    )


def view_check(job: Job) -> CheckView:
    """Return what the check of a ledger found."""
    found: dict[str, Any] = job.answer if job.state is JobState.DONE else {"ledger": None, "books": None}
    ledger, books = found["ledger"], found["books"]
    is_sound = None if ledger is None else ledger["is_intact"] and books is not None and books["is_sound"]
    return CheckView(
        state=job.state.value,
        is_sound=is_sound,
        ledger=ledger,
        books=books,
        problems=list(job.problems),
        job=view_job(job),
    )
