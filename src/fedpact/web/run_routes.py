"""Runs: start one, follow it, stop it, continue it; statements, and the check of a ledger; as API and as pages.

Everything works without a script, by forms and links; with one, steps appear as they are taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import ValidationError

import fedpact as fp
from fedpact.explain.ledger import say_time
from fedpact.explain.numbers import format_field
from fedpact.web import worker
from fedpact.web.jobs import Job, wait_for
from fedpact.web.models import CheckView, RunLine, RunPageView, RunRequest, RunView, StatementView
from fedpact.web.parts import RUN
from fedpact.web.render import render
from fedpact.web.routes import ADDRESS, Wait
from fedpact.web.run_ledger import read_statements
from fedpact.web.run_record import Run
from fedpact.web.run_views import (
    follow_run,
    look_at,
    read_request,
    view_check,
    view_line,
    view_run,
    view_run_page,
    view_statement,
)
from fedpact.web.state import AddressedRun, AddressedView, ServerState, State, find_job
from fedpact.web.view import View, read_address

router = APIRouter()
pages = APIRouter(include_in_schema=False)
_SHORT = 2_000
"""Entries of a ledger that is checked while a page waits; a longer one must not keep others waiting."""
After = Annotated[int, Query(ge=0, description="Entries up to this number are left out.")]


async def start_run(state: ServerState, asked: RunRequest) -> Run:
    """Start a run.

    Raises
    ------
    FederationError
        With everything that stands in the way.
    HTTPException
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
        task, is_quick = partial(worker.check_ledger, run.ledger), standing.length <= _SHORT
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
    state: State,
    run: AddressedRun,
    after: After = 0,
    last_event_id: Annotated[str, Header(description="Number of the last entry that was received.")] = "",
) -> AsyncIterator[ServerSentEvent]:
    """Send every entry of the ledger as it is written (see :mod:`fedpact.web.run_views`)."""
    is_number = last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 18
    async for event in follow_run(state.runs, run, int(last_event_id) if is_number else after):
        yield event


async def _read_statements(state: ServerState, run: Run) -> list[fp.protocol.Statement]:
    return await state.runs.reader.read(read_statements, run.ledger) if run.is_there else []


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
    """Check every entry, every link and the structure of the file, then that signatures and payments are right."""
    return view_check(await check_run(state, run, wait, job))


_FIELDS = tuple(RunRequest.model_fields)
_WAIT = 30.0
"""Seconds that a page waits for the check of a ledger."""


def _render_page(template: str, view: View, **values: Any) -> str:
    return render(template, view=view, page=RUN, say_time=say_time, **values)


def _usual(view: View) -> dict[str, str]:
    """Fill the form as nobody has changed it yet; an address may have said something."""
    asked = view.options
    method = "auto" if asked.method == "exact" else asked.method
    usual = RunRequest(federation=view.known.key, method=method, fee=asked.fee).model_dump()
    return {name: value if isinstance(value, str) else format_field(value) for name, value in usual.items()}


async def _show_form(
    state: ServerState, view: View, given: Mapping[str, str] | None = None, problems: tuple[str, ...] = ()
) -> HTMLResponse:
    seen = await asyncio.to_thread(view_run_page, state.runs, view)
    values = {**_usual(view), **(given or {})}
    text = _render_page("run.html", view, seen=seen, values=values, refusals=problems)
    return HTMLResponse(text, status_code=422 if problems else 200)


@pages.get("/federations/{key}/run")
async def show_form(state: State, view: AddressedView) -> HTMLResponse:
    """Return the page that starts a run of a federation."""
    return await _show_form(state, view)


@pages.post("/runs")
async def begin_run_by_form(state: State, request: Request) -> Any:
    """Start a run from a form; what is wrong with it is said above it."""
    async with request.form(max_files=0, max_fields=len(_FIELDS)) as form:
        given = {name: value for name in _FIELDS if isinstance(value := form.get(name), str) and value.strip()}
    key = given.get("federation", state.library.default)
    view = await asyncio.to_thread(read_address, state.library.get(key), given.get("query", ""))
    try:
        run = await start_run(state, RunRequest.model_validate({"federation": key, **given}))
    except ValidationError as error:
        said = tuple(f"{'.'.join(map(str, entry['loc']))}: {entry['msg']}" for entry in error.errors())
        return await _show_form(state, view, given, said)
    except fp.FederationError as error:
        return await _show_form(state, view, given, error.problems)
    except HTTPException as error:
        return await _show_form(state, view, given, (error.detail,))
    return RedirectResponse(run.address, status_code=303)


def _view_beside(state: ServerState, run: Run | None) -> View:
    """Return the federation whose pages are linked to: the run's, or the one that the server was started with."""
    if run is not None and run.note is not None:
        with suppress(HTTPException, fp.FederationError):
            return read_address(state.library.get(run.note.federation), run.note.query)
    return read_address(state.library.get(state.library.default), "")


@pages.get("/runs")
async def show_runs(state: State) -> HTMLResponse:
    """Return the list of runs."""
    lines = [view_line(state.runs, run) for run in state.runs.runs()]
    return HTMLResponse(_render_page("runs.html", _view_beside(state, None), runs=lines))


@pages.get("/runs/{key}")
async def show_run_to_people(
    state: State, run: AddressedRun, after: After | None = None, check: str | None = None
) -> HTMLResponse:
    """Return a run as it is now; with ``check``, after its ledger was looked through."""
    seen = await view_run(state.runs, run, after)
    checked = None if check is None else await _check(state, run, check)
    shown = {"seen": seen, "address": seen.address, "checked": checked}
    return HTMLResponse(_render_page("one_run.html", _view_beside(state, run), **shown))


@pages.get("/runs/{key}/progress")
async def show_progress(state: State, run: AddressedRun) -> HTMLResponse:
    """Return how far the sites of a run are, which a page puts in the place of what it showed before."""
    seen = await view_run(state.runs, run, has_steps=False)
    return HTMLResponse(render("run_progress.html", seen=seen, with_steps=False))


async def _check(state: ServerState, run: Run, check: str) -> CheckView:
    """Check a ledger now, or wait on for a check that was begun."""
    return view_check(await check_run(state, run, _WAIT, None if check == "now" else check))


@pages.get("/runs/{key}/check")
async def show_check(state: State, run: AddressedRun, check: str = "now") -> HTMLResponse:
    """Look through the ledger of a run, and return what was found."""
    checked = await _check(state, run, check)
    return HTMLResponse(render("run_check.html", address=run.address, checked=checked))


@pages.post("/runs/{key}/cancel", dependencies=[Depends(cancel_run)])
@pages.post("/runs/{key}/continue", dependencies=[Depends(continue_run)])
async def go_back(run: AddressedRun) -> RedirectResponse:
    """Show a run that a form has cancelled or continued."""
    return RedirectResponse(run.address, status_code=303)
