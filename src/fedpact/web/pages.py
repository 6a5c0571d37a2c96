"""The pages: HTML for people; each answers at once with what is known, and fetches the rest."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from fedpact.web.parts import PAGES, PARTS
from fedpact.web.render import render_page, render_part
from fedpact.web.state import AddressedView, State, ask_part, ask_parts

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
    slot: str | None = None,
    again: bool = False,
    draft: bool = False,
) -> HTMLResponse:
    """Return one part of a page as it is now."""
    if part not in PARTS:
        raise HTTPException(404, "there is no such part")
    asked = ask_part(state, view, part, slot=slot, again=again, only_draft=draft)
    return HTMLResponse(render_part(view, asked))


@router.get("/federations/{key}/{page}")
async def show_page(state: State, view: AddressedView, page: str, request: Request) -> Any:
    """Return a page."""
    if page not in PAGES:
        raise HTTPException(404, "there is no such page")
    parts = ask_parts(state, view, PAGES[page].parts)
    return HTMLResponse(
        render_page(view, PAGES[page], parts, examples=state.library.examples, limits=state.limits)
    )
