"""The export of an address: every part, waited for, as one file."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from fedpact.web.answer_all import PART_NAMES
from fedpact.web.api import ADDRESS, view_page, wait_for_parts
from fedpact.web.export import render_export
from fedpact.web.library import name_file
from fedpact.web.models import PageView
from fedpact.web.state import AddressedView, State, ask_parts

router = APIRouter()


@router.get("/federations/{key}/export.json", summary="All that the export will hold", openapi_extra=ADDRESS)
async def prepare_report(state: State, view: AddressedView) -> PageView:
    """Ask all questions of an export, and return how far they are."""
    return view_page("export", view, ask_parts(state, view, PART_NAMES))


@router.get(
    "/federations/{key}/export.html",
    summary="Everything about a federation in one file",
    response_class=HTMLResponse,
    openapi_extra=ADDRESS,
)
async def show_report(state: State, view: AddressedView) -> HTMLResponse:
    """Return a page that loads nothing from elsewhere, as soon as its answers are there."""
    parts = ask_parts(state, view, PART_NAMES)
    await wait_for_parts(parts, state.limits.job_seconds)
    page = await asyncio.to_thread(render_export, view, parts, made=datetime.now(UTC))
    headers = {"Content-Disposition": f'attachment; filename="{name_file(view.fed, "html")}"'}
    return HTMLResponse(page, headers=headers)
