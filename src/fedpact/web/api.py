"""The API: every page as plain values, jobs, and federations that are sent. Typed; see ``/openapi.json``."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse

import fedpact as fp
from fedpact.web.changes import OF_ALL, PER_AGENT
from fedpact.web.jobs import Job, JobState, follow, wait_for
from fedpact.web.library import Known, as_json, name_file, write_file
from fedpact.web.models import (
    ExampleView,
    FederationText,
    FederationView,
    JobView,
    PageView,
    PartView,
    Problems,
)
from fedpact.web.options import METHODS, MOST_REPORTS, ORDERS, list_options
from fedpact.web.parts import PAGES
from fedpact.web.render import PartState
from fedpact.web.state import AddressedView, ServerState, State, ask_part, ask_parts
from fedpact.web.uploads import Sent, read_form, read_text
from fedpact.web.view import View
from fedpact.web.worker import ReadTask

router = APIRouter()
_LONGEST_WAIT = 60.0
Refusals = dict[int | str, dict[str, Any]]
NOT_THERE: Refusals = {404: {"model": Problems}}
REFUSED: Refusals = {**NOT_THERE, 422: {"model": Problems}, 503: {"model": Problems}}
PageName = Literal["federation", "plan", "game", "payments"]
PartName = Literal["divergence", "plan", "against", "frontier", "dynamics", "equilibria", "payments", "audit"]
Wait = Annotated[
    float, Query(ge=0, le=_LONGEST_WAIT, description="Seconds to wait for answers before saying how far they are.")
]
ADDRESS = {
    "parameters": [
        *({"name": name, "in": "query", "schema": {"type": "string"}} for name in OF_ALL),
        *(
            {
                "name": name,
                "in": "query",
                "style": "deepObject",
                "explode": True,
                "schema": {"type": "object", "additionalProperties": {"type": "string"}},
                "description": f"{name}[NAME]=VALUE, or {name}=VALUE for everybody.",
            }
            for name in PER_AGENT
        ),
        {"name": "method", "in": "query", "schema": {"type": "string", "enum": list(METHODS)}},
        {"name": "order", "in": "query", "schema": {"type": "string", "enum": list(ORDERS)}},
        *({"name": name, "in": "query", "schema": {"type": "number"}} for name in ("seconds", "fee", "ceiling")),
        {"name": "audit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": MOST_REPORTS}},
    ]
}


def view_federation(known: Known, fed: fp.Federation) -> FederationView:
    """Return a federation as plain values."""
    return FederationView(
        key=known.key,
        source=known.source,
        address=f"/federations/{known.key}/plan",
        **fp.planning.summarise(fed).to_dict(),
    )


def view_job(job: Job) -> JobView:
    """Return a job as plain values."""
    return JobView(
        id=job.id,
        name=job.name,
        state=job.state.value,
        share=min(max(job.share, 0.0), 1.0),
        saying=job.saying,
        problems=list(job.problems),
        seconds=job.seconds,
    )


def view_part(state: PartState) -> PartView:
    """Return a part as plain values."""
    return PartView(
        part=state.part.name,
        title=state.part.title,
        state=state.state,
        is_draft=state.is_draft,
        has_no_plan=state.has_no_plan,
        answer=state.answer,
        problems=list(state.problems),
        job=None if state.job is None else view_job(state.job),
    )


def view_page(name: str, view: View, parts: list[PartState]) -> PageView:
    """Return a page as plain values."""
    return PageView(
        page=name,
        federation=view_federation(view.known, view.fed),
        options=dict(list_options(view.options)),
        problems=dict(view.problems),
        parts={part.part.name: view_part(part) for part in parts},
    )


async def wait_for_parts(parts: list[PartState], seconds: float) -> None:
    """Wait until all answers are there, but no longer than some seconds."""
    await asyncio.gather(*(wait_for(part.job, seconds) for part in parts if part.job is not None))


@router.get("/examples.json", summary="Federations that come with fedpact")
async def list_examples(state: State) -> list[ExampleView]:
    """Return the examples; each can be addressed by its key."""
    return [ExampleView(**entry) for entry in state.library.examples]


async def _finish_reading(state: ServerState, sent: Sent) -> JSONResponse | FederationView:
    with tempfile.TemporaryDirectory(prefix="fedpact-") as folder:
        task = ReadTask(files=sent.files, main=sent.main, limits=state.limits, folder=folder)
        job = state.jobs.do("read", task)
        await wait_for(job, state.limits.quick_seconds * 2)
        state.jobs.cancel(job)
    if job.state is not JobState.DONE:
        problems = list(job.problems) or ["the file could not be read in time; try again later"]
        return JSONResponse({"problems": problems}, status_code=422)
    fed, job.answer = job.answer, None
    known = state.library.add(sent.files, fed)
    return view_federation(known, known.federation)


@router.post(
    "/federations.json",
    status_code=201,
    summary="Send a federation as text",
    responses=REFUSED,
    response_model=FederationView,
)
async def send_text(state: State, sent: FederationText) -> Any:
    """Read a federation file that needs no other files; its key stands in addresses."""
    return await _finish_reading(state, read_text(sent.text, sent.syntax))


@router.post(
    "/federations/files.json",
    status_code=201,
    summary="Send a federation as files",
    responses={**REFUSED, 413: {"model": Problems}},
    response_model=FederationView,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "properties": {
                            "files": {"type": "array", "items": {"type": "string", "format": "binary"}}
                        },
                        "required": ["files"],
                    }
                }
            },
        }
    },
)
async def send_files(state: State, request: Request) -> Any:
    """Read a federation file and the files of predictions, points or reports that it names."""
    return await _finish_reading(state, await read_form(request))


@router.get("/federations/{key}.json", summary="A federation", responses=NOT_THERE, openapi_extra=ADDRESS)
async def show_federation(view: AddressedView) -> FederationView:
    """Return a federation with the changes of its address."""
    return view_federation(view.known, view.fed)


@router.get(
    "/federations/{key}/file.{syntax}",
    summary="A federation as a file",
    responses={**REFUSED, 200: {"content": {"text/plain": {}}}},
    response_class=PlainTextResponse,
    openapi_extra=ADDRESS,
)
async def show_file(view: AddressedView, syntax: Literal["toml", "json"]) -> Any:
    """Return the federation, with the changes of its address, as a TOML or JSON file."""
    text = await asyncio.to_thread(write_file, view.fed, syntax)
    if text is None:
        raise HTTPException(
            422, "its predictions or reports are in files of their own; only tables fit in one file"
        )
    headers = {"Content-Disposition": f'attachment; filename="{name_file(view.fed, syntax)}"'}
    return PlainTextResponse(text, headers=headers)


@router.get(
    "/federations/{key}/parts/{part}.json",
    summary="One question about a federation",
    responses=REFUSED,
    openapi_extra=ADDRESS,
)
async def show_part(
    state: State, view: AddressedView, part: PartName, wait: Wait = 0, again: bool = False
) -> PartView:
    """Ask a question, or return its answer if it is there; ``again`` begins anew what failed or was cancelled."""
    asked = ask_part(state, view, part, again=again)
    await wait_for_parts([asked], wait)
    return view_part(asked)


@router.get(
    "/federations/{key}/{page}.json",
    summary="A page about a federation",
    responses=REFUSED,
    openapi_extra=ADDRESS,
)
async def show_page(state: State, view: AddressedView, page: PageName, wait: Wait = 0) -> PageView:
    """Return what a page shows: federation, plan, game or payments."""
    parts = ask_parts(state, view, PAGES[page].parts)
    await wait_for_parts(parts, wait)
    return view_page(page, view, parts)


@router.get("/jobs.json", summary="Jobs")
async def list_jobs(state: State) -> list[JobView]:
    """Return all jobs that are known, the newest first."""
    return [view_job(job) for job in state.jobs.jobs()]


def find_job(state: ServerState, job_id: str) -> Job:
    """Return a job, or refuse."""
    job = state.jobs.find(job_id)
    if job is None:
        raise HTTPException(404, f"there is no job {job_id[:40]!r}")
    return job


@router.get("/jobs/{job_id}.json", summary="A job", responses=NOT_THERE)
async def show_job(state: State, job_id: str) -> JobView:
    """Return how far a job is."""
    return view_job(find_job(state, job_id))


@router.delete("/jobs/{job_id}.json", summary="Cancel a job", responses=NOT_THERE)
async def cancel_job(state: State, job_id: str) -> JobView:
    """Stop a job."""
    job = find_job(state, job_id)
    state.jobs.cancel(job)
    return view_job(job)


def as_event(values: Any) -> str:
    """Write plain values as one server-sent event."""
    return f"data: {as_json(values)}\n\n"


async def _events(job: Job) -> AsyncIterator[str]:
    async for seen in follow(job):
        yield as_event(view_job(seen).model_dump())


def stream(events: AsyncIterator[str]) -> StreamingResponse:
    """Send events as they come."""
    return StreamingResponse(events, media_type="text/event-stream")


@router.get(
    "/jobs/{job_id}/events",
    summary="A job as it goes on, as server-sent events",
    responses={**NOT_THERE, 200: {"content": {"text/event-stream": {}}}},
    response_class=StreamingResponse,
)
async def follow_job(state: State, job_id: str) -> StreamingResponse:
    """Send how far a job is whenever that changes, until it is over."""
    return stream(_events(find_job(state, job_id)))
