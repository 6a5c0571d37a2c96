"""The Run pages: a form that starts a run, the list of runs, and a run as it goes on.

Everything works without a script, by forms and links; with one, steps appear as they are taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import ValidationError

import fedpact as fp
from fedpact.explain.numbers import format_field
from fedpact.web.jobs import BusyError
from fedpact.web.library import UnknownFederationError
from fedpact.web.models import CheckView, RunRequest
from fedpact.web.parts import RUN
from fedpact.web.read_ledger import say_time
from fedpact.web.render import render
from fedpact.web.run_record import Run
from fedpact.web.run_request import view_of
from fedpact.web.run_routes import After, check_run, start_run
from fedpact.web.run_views import view_check, view_line, view_run, view_run_page
from fedpact.web.state import AddressedRun, AddressedView, ServerState, State
from fedpact.web.view import View, read_view

router = APIRouter(include_in_schema=False)
_FIELDS = tuple(RunRequest.model_fields)
_WAIT = 30.0
"""Seconds that a page waits for the check of a ledger."""


def _render_page(template: str, view: View, **values: Any) -> str:
    return render(template, view=view, page=RUN, say_time=say_time, **values)


def _usual(view: View) -> dict[str, str]:
    """Fill the form as nobody has changed it yet; an address may have said something."""
    asked = view.options
    return {
        "method": "auto" if asked.method == "exact" else asked.method,
        "rule": "pwyc",
        "fee": format_field(asked.fee),
        "false_alarm_rate": "0.01",
        "teacher": view.fed.teacher or "",
        "seed": "0",
    }


async def _show_form(
    state: ServerState, view: View, given: Mapping[str, str] | None = None, problems: tuple[str, ...] = ()
) -> HTMLResponse:
    seen = await asyncio.to_thread(view_run_page, state.runs, view)
    values = {**_usual(view), **(given or {})}
    text = _render_page("run.html", view, seen=seen, values=values, refusals=problems)
    return HTMLResponse(text, status_code=422 if problems else 200)


@router.get("/federations/{key}/run")
async def show_form(state: State, view: AddressedView) -> HTMLResponse:
    """Return the page that starts a run of a federation."""
    return await _show_form(state, view)


@router.post("/runs")
async def begin_run(state: State, request: Request) -> Any:
    """Start a run from a form; what is wrong with it is said above it."""
    async with request.form(max_files=0, max_fields=len(_FIELDS)) as form:
        given = {name: value for name in _FIELDS if isinstance(value := form.get(name), str) and value.strip()}
    key = given.get("federation", state.library.default)
    view = await asyncio.to_thread(view_of, state.library.get(key), given.get("query", ""))
    try:
        run = await start_run(state, RunRequest.model_validate({"federation": key, **given}))
    except ValidationError as error:
        said = tuple(f"{'.'.join(map(str, entry['loc']))}: {entry['msg']}" for entry in error.errors())
        return await _show_form(state, view, given, said)
    except fp.FederationError as error:
        return await _show_form(state, view, given, error.problems)
    except BusyError as error:
        return await _show_form(state, view, given, (str(error),))
    return RedirectResponse(run.address, status_code=303)


def _view_beside(state: ServerState, run: Run | None) -> View:
    """Return the federation whose pages are linked to: the run's, or the one that the server was started with."""
    if run is not None and run.note is not None:
        try:
            return view_of(state.library.get(run.note.federation), run.note.query)
        except (UnknownFederationError, fp.FederationError):
            pass
    return read_view(state.library.get(state.library.default), [])


@router.get("/runs")
async def list_runs(state: State) -> HTMLResponse:
    """Return the list of runs."""
    lines = [view_line(state.runs, run) for run in state.runs.runs()]
    return HTMLResponse(_render_page("runs.html", _view_beside(state, None), runs=lines))


@router.get("/runs/{key}")
async def show_run(
    state: State, run: AddressedRun, after: After | None = None, check: str | None = None
) -> HTMLResponse:
    """Return a run as it is now; with ``check``, after its ledger was looked through."""
    seen = await view_run(state.runs, run, after)
    checked = None if check is None else await _check(state, run, check)
    shown = {"seen": seen, "address": seen.address, "checked": checked}
    return HTMLResponse(_render_page("one_run.html", _view_beside(state, run), **shown))


@router.get("/runs/{key}/progress")
async def show_progress(state: State, run: AddressedRun) -> HTMLResponse:
    """Return how far the sites of a run are, which a page puts in the place of what it showed before."""
    seen = await view_run(state.runs, run, has_steps=False)
    return HTMLResponse(render("run_progress.html", seen=seen, with_steps=False))


async def _check(state: ServerState, run: Run, check: str) -> CheckView:
    """Check a ledger now, or wait on for a check that was begun."""
    return view_check(await check_run(state, run, _WAIT, None if check == "now" else check))


@router.get("/runs/{key}/check")
async def show_check(state: State, run: AddressedRun, check: str = "now") -> HTMLResponse:
    """Look through the ledger of a run, and return what was found."""
    checked = await _check(state, run, check)
    return HTMLResponse(render("run_check.html", address=run.address, checked=checked))


@router.post("/runs/{key}/cancel")
async def cancel_run(state: State, run: AddressedRun) -> RedirectResponse:
    """End the process of a run."""
    await state.runs.cancel(run)
    return RedirectResponse(run.address, status_code=303)


@router.post("/runs/{key}/continue")
async def continue_run(state: State, run: AddressedRun) -> RedirectResponse:
    """Go on from where the ledger of a run ends."""
    state.runs.go_on(run)
    return RedirectResponse(run.address, status_code=303)
