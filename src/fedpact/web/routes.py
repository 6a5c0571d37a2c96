"""The pages, each as HTML for people and as plain values for programs; jobs, and federations that are sent.

A page answers at once with what is known, and fetches the rest. The API is typed; see ``/openapi.json``.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, HTTPException, Query, UploadFile
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent

import fedpact as fp
from fedpact.game.dynamics import ORDERS
from fedpact.web import worker
from fedpact.web.export import PART_NAMES, render_export
from fedpact.web.jobs import JobState, follow, wait_for
from fedpact.web.library import Known, Sent, name_file, read_files, read_text, write_file
from fedpact.web.models import ExampleView, FederationText, FederationView, JobView, PageView, PartView
from fedpact.web.parts import PAGES, PARTS
from fedpact.web.render import PartState, render_page, render_part
from fedpact.web.state import AddressedJob, AddressedView, ServerState, State, ask_part, ask_parts
from fedpact.web.view import METHODS, MOST_MISREPORTS, OF_ALL, PER_AGENT, View, list_options

router = APIRouter()
pages = APIRouter(include_in_schema=False)
PageName = Literal["federation", "plan", "game", "payments"]
PartName = Literal["divergence", "plan", "against", "frontier", "dynamics", "equilibria", "payments", "audit"]
Wait = Annotated[
    float, Query(ge=0, le=60, description="Seconds to wait for answers before saying how far they are.")
]


def _parameter(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": {"type": kind, **more}}


_BY_NAME = {"style": "deepObject", "explode": True, "description": "[NAME]=VALUE, or =VALUE for everybody."}
ADDRESS = {
    "parameters": [
        *(_parameter(name, "string") for name in OF_ALL),
        *(_parameter(name, "object", additionalProperties={"type": "string"}) | _BY_NAME for name in PER_AGENT),
        _parameter("method", "string", enum=list(METHODS)),
        _parameter("order", "string", enum=list(ORDERS)),
        *(_parameter(name, "number") for name in ("seconds", "fee", "ceiling")),
        _parameter("audit", "integer", minimum=1, maximum=MOST_MISREPORTS),
    ]
}
"""What an address may say behind its ``?``, for the description of the API."""


def view_federation(known: Known, fed: fp.Federation) -> FederationView:
    """Return a federation as plain values."""
    return FederationView(
        key=known.key,
        source=known.source,
        address=f"/federations/{known.key}/plan",
        **fp.planning.summarise(fed).to_dict(),
    )


def view_page(name: str, view: View, parts: list[PartState]) -> PageView:
    """Return a page as plain values."""
    seen = {part.part.name: PartView.model_validate(part, from_attributes=True) for part in parts}
    return PageView(
        page=name,
        federation=view_federation(view.known, view.fed),
        options=dict(list_options(view.options)),
        problems=dict(view.problems),
        parts=seen,
    )


async def wait_for_parts(parts: list[PartState], seconds: float) -> None:
    """Wait until all answers are there, but no longer than some seconds."""
    await asyncio.gather(*(wait_for(part.job, seconds) for part in parts if part.job is not None))


@router.get("/examples.json", summary="Federations that come with fedpact")
async def list_examples(state: State) -> list[ExampleView]:
    """Return the examples; each can be addressed by its key."""
    return [ExampleView(**entry) for entry in state.library.examples]


async def _read_sent(state: ServerState, sent: Sent) -> FederationView:
    files, main = sent
    with tempfile.TemporaryDirectory(prefix="fedpact-") as folder:
        task = partial(worker.read_files, files, main, state.limits, folder)
        job = state.jobs.do("read", task)
        await wait_for(job, state.limits.quick_seconds * 2)
        state.jobs.cancel(job)
    if job.state is not JobState.DONE:
        raise fp.FederationError(job.problems or "the file could not be read in time; try again later")
    fed, job.answer = job.answer, None
    return view_federation(state.library.add(files, fed), fed)


@router.post("/federations.json", status_code=201, summary="Send a federation as text")
async def send_text(state: State, sent: FederationText) -> FederationView:
    """Read a federation file that needs no other files; its key stands in addresses."""
    return await _read_sent(state, read_text(sent.text, sent.syntax))


@router.post("/federations/files.json", status_code=201, summary="Send a federation as files")
async def send_files(state: State, files: Annotated[list[UploadFile], File()] = []) -> FederationView:  # noqa: B006
    """Read a federation file and the files of predictions, points or reports that it names."""
    return await _read_sent(state, await read_files(files))


@router.get("/federations/{key}.json", summary="A federation", openapi_extra=ADDRESS)
async def show_federation(view: AddressedView) -> FederationView:
    """Return a federation with the changes of its address."""
    return view_federation(view.known, view.fed)


@router.get(
    "/federations/{key}/file.{syntax}",
    summary="A federation as a file",
    response_class=PlainTextResponse,
    openapi_extra=ADDRESS,
)
async def show_file(view: AddressedView, syntax: Literal["toml", "json"]) -> Any:
    """Return the federation, with the changes of its address, as a TOML or JSON file."""
    text = await asyncio.to_thread(write_file, view.fed, syntax)
    headers = {"Content-Disposition": f'attachment; filename="{name_file(view.fed, syntax)}"'}
    return PlainTextResponse(text, headers=headers)


@router.get("/federations/{key}/parts/{part}.json", summary="One question", openapi_extra=ADDRESS)
async def show_part(
    state: State, view: AddressedView, part: PartName, wait: Wait = 0, again: bool = False
) -> PartView:
    """Ask a question, or return its answer if it is there; ``again`` begins anew what failed or was cancelled."""
    asked = ask_part(state, view, part, again=again)
    await wait_for_parts([asked], wait)
    return PartView.model_validate(asked, from_attributes=True)


@router.get("/federations/{key}/export.json", summary="All that the export will hold", openapi_extra=ADDRESS)
async def prepare_export(state: State, view: AddressedView) -> PageView:
    """Ask all questions of an export, and return how far they are."""
    return view_page("export", view, ask_parts(state, view, PART_NAMES))


@router.get(
    "/federations/{key}/export.html",
    summary="Everything about a federation in one file",
    response_class=HTMLResponse,
    openapi_extra=ADDRESS,
)
async def show_export(state: State, view: AddressedView) -> HTMLResponse:
    """Return a page that loads nothing from elsewhere, as soon as its answers are there."""
    parts = ask_parts(state, view, PART_NAMES)
    await wait_for_parts(parts, state.limits.job_seconds)
    page = await asyncio.to_thread(render_export, view, parts, made=datetime.now(UTC))
    headers = {"Content-Disposition": f'attachment; filename="{name_file(view.fed, "html")}"'}
    return HTMLResponse(page, headers=headers)


@router.get("/federations/{key}/{page}.json", summary="A page about a federation", openapi_extra=ADDRESS)
async def show_page(state: State, view: AddressedView, page: PageName, wait: Wait = 0) -> PageView:
    """Return what a page shows: federation, plan, game or payments."""
    parts = ask_parts(state, view, PAGES[page].parts)
    await wait_for_parts(parts, wait)
    return view_page(page, view, parts)


@router.get("/jobs.json", summary="Jobs")
async def list_jobs(state: State) -> list[JobView]:
    """Return all jobs that are known, the newest first."""
    return [JobView.model_validate(job) for job in state.jobs.jobs()]


@router.get("/jobs/{job_id}.json", summary="A job")
async def show_job(job: AddressedJob) -> JobView:
    """Return how far a job is."""
    return JobView.model_validate(job)


@router.delete("/jobs/{job_id}.json", summary="Cancel a job")
async def cancel_job(state: State, job: AddressedJob) -> JobView:
    """Stop a job."""
    state.jobs.cancel(job)
    return JobView.model_validate(job)


@router.get("/jobs/{job_id}/events", summary="A job as it goes on", response_class=EventSourceResponse)
async def follow_job(job: AddressedJob) -> AsyncIterator[ServerSentEvent]:
    """Send how far a job is whenever that changes, until it is over."""
    async for seen in follow(job):
        yield ServerSentEvent(data=JobView.model_validate(seen).model_dump())


@pages.get("/")
async def open_default(state: State) -> RedirectResponse:
    """Go to the plan of the federation that the server was started with."""
    return RedirectResponse(f"/federations/{state.library.default}/plan")


@pages.get("/federations/{key}")
async def open_federation(view: AddressedView) -> RedirectResponse:
    """Go to a federation's own page."""
    return RedirectResponse(view.address("federation"))


@pages.get("/federations/{key}/parts/{part}")
async def show_part_of_page(
    state: State,
    view: AddressedView,
    part: str,
    slot: Annotated[str | None, Query(max_length=40)] = None,
    again: bool = False,
    draft: bool = False,
    wait: Annotated[float, Query(ge=0, le=5)] = 0,
) -> HTMLResponse:
    """Return one part of a page as it is now, or a moment later if its answer is not there yet."""
    if part not in PARTS:
        raise HTTPException(404, "there is no such part")
    asked = ask_part(state, view, part, slot=slot, again=again, only_draft=draft)
    if asked.job is not None:
        await wait_for(asked.job, wait)
    return HTMLResponse(render_part(view, replace(asked, beside=_look_beside(state, view, part))))


def _look_beside(state: ServerState, view: View, name: str) -> dict[str, Any] | None:
    """Return the answer of the part beside one, if it is there already."""
    beside = PARTS[name].beside
    question = None if beside is None else PARTS[beside].ask(view)
    job = None if question is None else state.jobs.look_up(question)
    answer: dict[str, Any] | None = None if job is None else job.answer
    return answer


@pages.post("/pages/{slot}/leave", status_code=204)
async def leave_page(state: State, slot: str) -> None:
    """Let go of what a page asked for that nobody looks at any more."""
    state.jobs.leave(slot)


@pages.get("/federations/{key}/{page}")
async def show_page_to_people(state: State, view: AddressedView, page: str) -> HTMLResponse:
    """Return a page; what it asks for is dropped when the page asks for something else in the same slot."""
    if page not in PAGES:
        raise HTTPException(404, "there is no such page")
    slot = secrets.token_hex(4)
    parts = [ask_part(state, view, name, slot=f"{slot}-{name}") for name in PAGES[page].parts]
    return HTMLResponse(
        render_page(view, PAGES[page], parts, slot=slot, examples=state.library.examples, limits=state.limits)
    )
