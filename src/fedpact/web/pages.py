"""The pages: HTML for people; each answers at once with what is known, and fetches the rest."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import HTMLResponse, RedirectResponse

from fedpact.web.jobs import wait_for
from fedpact.web.parts import PAGES, PARTS
from fedpact.web.render import render_page, render_part
from fedpact.web.state import AddressedView, ServerState, State, ask_part
from fedpact.web.view import View

router = APIRouter(include_in_schema=False)


@router.get("/")
async def open_default(state: State) -> RedirectResponse:
    """Go to the plan of the federation that the server was started with."""
    return RedirectResponse(f"/federations/{state.library.default}/plan")


@router.get("/federations/{key}")
async def open_federation(view: AddressedView) -> RedirectResponse:
    """Go to a federation's own page."""
    return RedirectResponse(view.address("federation"))


@router.get("/federations/{key}/parts/{part}")
async def show_part(
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


@router.post("/pages/{slot}/leave", status_code=204)
async def leave_page(state: State, slot: str) -> None:
    """Let go of what a page asked for that nobody looks at any more."""
    state.jobs.leave(slot)


@router.get("/federations/{key}/{page}")
async def show_page(state: State, view: AddressedView, page: str) -> HTMLResponse:
    """Return a page; what it asks for is dropped when the page asks for something else in the same slot."""
    if page not in PAGES:
        raise HTTPException(404, "there is no such page")
    slot = secrets.token_hex(4)
    parts = [ask_part(state, view, name, slot=f"{slot}-{name}") for name in PAGES[page].parts]
    return HTMLResponse(
        render_page(view, PAGES[page], parts, slot=slot, examples=state.library.examples, limits=state.limits)
    )
