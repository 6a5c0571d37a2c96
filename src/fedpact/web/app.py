"""The application: routes, files that pages load, and how errors are said."""

from __future__ import annotations

import asyncio
import gzip
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

import fedpact as fp
from fedpact.describe.any_federation import AnyFederation, read_federation
from fedpact.web import api, export_routes, pages, run_pages, run_routes
from fedpact.web.jobs import BusyError, JobQueue
from fedpact.web.library import Library, UnknownFederationError
from fedpact.web.limits import Limits
from fedpact.web.render import read_plotly, read_static, render
from fedpact.web.runs import RunManager, UnknownRunError
from fedpact.web.safety import Guard
from fedpact.web.state import ServerState

_TYPES = {".css": "text/css", ".js": "text/javascript"}


@cache
def _pack_plotly() -> bytes:
    return gzip.compress(read_plotly(), 6)


def _show_static(name: str, request: Request) -> Response:
    """Return the style sheet, the script or Plotly's."""
    if name == "plotly.min.js":
        headers = {"Cache-Control": "max-age=86400", "Vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(_pack_plotly(), media_type="text/javascript", headers=headers)
        return Response(read_plotly(), media_type="text/javascript", headers=headers)
    if name not in ("fedpact.css", "fedpact.js"):
        raise HTTPException(404, "there is no such file")
    return Response(read_static(name), media_type=_TYPES[Path(name).suffix], headers={"Cache-Control": "no-cache"})


def _say(request: Request, status: int, problems: list[str]) -> Response:
    """Say what is wrong: to a person on a page, to a program as JSON; halves of characters are spelt out."""
    problems = [problem.encode("utf-8", "backslashreplace").decode() for problem in problems]
    wants_page = "text/html" in request.headers.get("accept", "") and not request.url.path.endswith(".json")
    if wants_page:
        return HTMLResponse(render("problem.html", problems=problems, status=status), status_code=status)
    return JSONResponse({"problems": problems}, status_code=status)


def _say_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)
    is_bare = error.status_code == 404 and error.detail == "Not Found"
    return _say(request, error.status_code, ["there is nothing at this address" if is_bare else str(error.detail)])


def _say_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _say(request, 422, [_say_entry(entry) for entry in error.errors()])


def _say_entry(entry: dict[str, Any]) -> str:
    """Say what is wrong with one part of a request."""
    if entry["type"] == "json_invalid":
        return f"the body is not valid JSON: {entry['ctx']['error']}"
    where = ".".join(str(part) for part in entry["loc"][1:]) or "the body"
    return f"{where}: {entry['msg']}"


def make_app(
    fed: AnyFederation | None = None,
    *,
    limits: Limits | None = None,
    host: str = "127.0.0.1",
    token: str | None = None,
    workers: int | None = None,
    runs_folder: str | PathLike[str] | None = None,
    ledgers: Sequence[str] = (),
) -> FastAPI:
    """Make the application; whoever runs it chooses the server.

    Parameters
    ----------
    fed
        What the page opens on, its file, or the name of an example; if not given, the Arizona hospitals.
    limits
        What is taken on.
    host
        The address that is listened at: requests for other names are refused.
    token
        Whoever asks must know it, if it is given.
    workers
        Processes for long work, beside one for what a page waits for; if not given, two or as many as there are
        processors but one.
    runs_folder
        Where runs of the protocol are kept, each in a folder of its own that ``fedpact run --resume`` takes; if
        not given, they are gone when the server ends.
    ledgers
        Paths or URLs of ledgers that the page follows.
    """
    bounds = limits or Limits()
    state = ServerState(
        limits=bounds,
        library=Library(bounds, None if fed is None else read_federation(fed)),
        jobs=JobQueue(bounds, slow=workers or max(2, (os.cpu_count() or 1) - 1)),
        runs=RunManager(bounds, runs_folder, ledgers),
    )

    @asynccontextmanager
    async def live(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.gather(state.jobs.warm_up(), state.runs.open())
        yield
        await asyncio.gather(state.jobs.close(), state.runs.close())

    app = FastAPI(
        title="fedpact",
        version=fp.__version__,
        summary="Who in a federation should label how many samples, at what cost, for what pay?",
        docs_url=None,
        redoc_url=None,
        lifespan=live,
    )
    app.state.server = state
    app.get("/static/{name}", include_in_schema=False)(_show_static)
    for routes in (export_routes, run_routes, run_pages, api, pages):
        app.include_router(routes.router)
    app.add_exception_handler(StarletteHTTPException, _say_http)
    app.add_exception_handler(RequestValidationError, _say_invalid)
    failures: dict[type[Exception], int] = {
        UnknownFederationError: 404,
        UnknownRunError: 404,
        BusyError: 503,
        fp.FedpactError: 422,
    }
    for kind, status in failures.items():
        app.add_exception_handler(kind, _sayer(status))
    app.add_middleware(Guard, limits=bounds, host=host, token=token)
    return app


def _sayer(status: int) -> Any:
    def say(request: Request, error: Exception) -> Response:
        problems = list(error.problems) if isinstance(error, fp.FederationError) else [str(error)]
        return _say(request, status, problems)

    return say
