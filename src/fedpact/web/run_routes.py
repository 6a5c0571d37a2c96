"""The API of runs: start one, follow it, stop it, continue it; statements, and the check of a ledger."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Query, Response
from fastapi.responses import HTMLResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent

import fedpact as fp
from fedpact.web.api import ADDRESS, Wait
from fedpact.web.jobs import Job, wait_for
from fedpact.web.models import (
    CheckView,
    RunLine,
    RunPageView,
    RunRequest,
    RunView,
    StatementView,
)
from fedpact.web.read_ledger import read_statements
from fedpact.web.run_events import follow_run
from fedpact.web.run_record import Run
from fedpact.web.run_request import read_request
from fedpact.web.run_tasks import CheckTask
from fedpact.web.run_views import look_at, view_check, view_line, view_run, view_run_page, view_statement
from fedpact.web.state import AddressedRun, AddressedView, ServerState, State, find_job

router = APIRouter()
_SHORT = 2_000
"""Entries of a ledger that is checked while a page waits; a longer one must not keep others waiting."""
After = Annotated[int, Query(ge=0, description="Entries up to this number are left out.")]


async def start_run(state: ServerState, asked: RunRequest) -> Run:
    """Start a run.

    Raises
    ------
    FederationError
        With everything that stands in the way.
    BusyError
        If too many are under way.
    """
    task, note = await asyncio.to_thread(read_request, asked, state.library.get(asked.federation))
    return state.runs.start(task, note)


async def check_run(state: ServerState, run: Run, seconds: float, job_id: str | None = None) -> Job:
    """Look through a run's ledger, or wait on for a check that was begun; no longer than some seconds."""
    name = f"check {run.key}"
    if job_id is None:
        standing, _ = await look_at(state.runs, run)
        under_way = (job for job in state.jobs.jobs() if job.name == name and not job.is_over)
        task, is_quick = CheckTask(ledger=run.feed.where), standing.length <= _SHORT
        job = next(under_way, None) or state.jobs.do(name, task, is_quick=is_quick)
    else:
        job = await find_job(state, job_id)
        if job.name != name:
            raise HTTPException(404, f"job {job_id[:40]!r} is no check of this ledger")
    await wait_for(job, seconds)
    return job


@router.get("/federations/{key}/run.json", summary="What can be run of a federation", openapi_extra=ADDRESS)
async def show_run_page(state: State, view: AddressedView) -> RunPageView:
    """Return the choices of the Run page, and the runs that are known."""
    return await asyncio.to_thread(view_run_page, state.runs, view)


@router.get("/runs.json", summary="Runs")
async def list_runs(state: State) -> list[RunLine]:
    """Return all runs and the ledgers that are followed, the newest first."""
    return [view_line(state.runs, run) for run in state.runs.runs()]


@router.post("/runs.json", status_code=201, summary="Start a run")
async def begin_run(state: State, asked: RunRequest, response: Response) -> RunLine:
    """Start a run of the protocol in a process of its own: sites report, label, are checked and paid."""
    line = view_line(state.runs, await start_run(state, asked))
    response.headers["Location"] = line.address
    return line


@router.get("/runs/{key}.json", summary="A run")
async def show_run(state: State, run: AddressedRun, after: After = 0) -> RunView:
    """Return how far a run is, and the entries of its ledger, up to 500 at once."""
    return await view_run(state.runs, run, after)


@router.delete("/runs/{key}.json", summary="Cancel a run")
async def cancel_run(state: State, run: AddressedRun) -> RunLine:
    """End the process of a run; its ledger stays, and it can be continued."""
    await state.runs.cancel(run)
    return view_line(state.runs, run)


@router.post("/runs/{key}/continue.json", summary="Continue a run")
async def continue_run(state: State, run: AddressedRun) -> RunLine:
    """Go on from where the ledger of a run ends; nobody is asked, or paid, twice."""
    state.runs.go_on(run)
    return view_line(state.runs, run)


@router.get("/runs/{key}/events", summary="A run as it goes on", response_class=EventSourceResponse)
async def follow_events(
    run: AddressedRun,
    after: After = 0,
    last_event_id: Annotated[str, Header(description="Number of the last entry that was received.")] = "",
) -> AsyncIterator[ServerSentEvent]:
    """Send every entry of the ledger as it is written (see :mod:`fedpact.web.run_events`)."""
    is_number = last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 18
    async for event in follow_run(run, int(last_event_id) if is_number else after):
        yield event


async def _read_statements(state: ServerState, run: Run) -> list[fp.protocol.Statement]:
    return await state.runs.reader.read(read_statements, run.feed.where) if run.feed.is_there else []


@router.get("/runs/{key}/statements.json", summary="Statements of payment")
async def list_statements(state: State, run: AddressedRun) -> list[StatementView]:
    """Return the statements of the last run of a ledger."""
    return [view_statement(run, found) for found in await _read_statements(state, run)]


async def _find_statement(state: ServerState, run: Run, slug: str) -> fp.protocol.Statement:
    for found in await _read_statements(state, run):
        if found.slug == slug:
            return found
    raise HTTPException(404, f"run {run.key} has no statement {slug[:40]!r}")


@router.get("/runs/{key}/statements/{slug}.json", summary="A statement of payment")
async def show_statement(state: State, run: AddressedRun, slug: str) -> StatementView:
    """Return a site's statement."""
    return view_statement(run, await _find_statement(state, run, slug))


@router.get(
    "/runs/{key}/statements/{slug}.html",
    summary="A statement of payment, to print",
    response_class=HTMLResponse,
)
async def print_statement(state: State, run: AddressedRun, slug: str) -> Any:
    """Return a site's statement as a page."""
    return HTMLResponse((await _find_statement(state, run, slug)).to_html())


@router.get("/runs/{key}/check.json", summary="Check a ledger")
async def check_ledger(
    state: State,
    run: AddressedRun,
    wait: Wait = 30,
    job: Annotated[str | None, Query(description="A check that was begun before, to wait on for.")] = None,
) -> CheckView:
    """Check every entry, every link and every byte, then that signatures and payments are right."""
    return view_check(await check_run(state, run, wait, job))
