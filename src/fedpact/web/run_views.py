"""Runs, statements and checks as plain values."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import fedpact as fp
from fedpact.protocol.pact import RULES
from fedpact.web.api import view_federation
from fedpact.web.jobs import Job
from fedpact.web.models import CheckView, JobView, RunLine, RunPageView, RunView, Standing, StatementView, StepView
from fedpact.web.read_ledger import read_newest, read_steps
from fedpact.web.run_record import Run
from fedpact.web.run_request import METHODS, say_why_not
from fedpact.web.runs import RunManager
from fedpact.web.view import View

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
        read, where = manager.reader.read, run.feed.where
        try:
            steps = await (read(read_newest, where) if after is None else read(read_steps, where, after))
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
