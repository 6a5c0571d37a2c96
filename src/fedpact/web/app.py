"""The application: routes, files that pages load, and how errors are said."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from os import PathLike
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

import fedpact as fp
from fedpact.describe.any_federation import AnyFederation, read_federation
from fedpact.web import routes, run_routes
from fedpact.web.jobs import JobQueue
from fedpact.web.library import Library
from fedpact.web.limits import Limits
from fedpact.web.models import Problems
from fedpact.web.questions import read_failure
from fedpact.web.render import render
from fedpact.web.runs import RunManager
from fedpact.web.safety import Guard
from fedpact.web.state import ServerState

_STATIC: list[str | tuple[str, str]] = [("fedpact.web", "static"), ("plotly", "package_data")]
"""Packages and their folders with what pages load."""


def _say_entry(entry: dict[str, Any]) -> str:
    """Say what is wrong with one part of a request."""
    if entry["type"] == "json_invalid":
        return f"the body is not valid JSON: {entry['ctx']['error']}"
    where = ".".join(str(part) for part in entry["loc"][1:]) or "the body"
    return f"{where}: {entry['msg']}"


def _read_problems(error: Exception) -> tuple[int, Iterable[str]]:
    """Return the status of a refusal, and what is wrong."""
    match error:
        case RequestValidationError():
            return 422, map(_say_entry, error.errors())
        case HTTPException(status_code=404, detail="Not Found"):
            return 404, ["there is nothing at this address"]
        case HTTPException():
            return error.status_code, [str(error.detail)]
        case fp.FedpactError():
            return 422, read_failure(error)[0]
    raise error


def _refuse(request: Request, error: Exception) -> Response:
    """Say what is wrong: to a person on a page, to a program as JSON; halves of characters are spelt out."""
    status, found = _read_problems(error)
    problems = [problem.encode("utf-8", "backslashreplace").decode() for problem in found]
    if "text/html" in request.headers.get("accept", "") and not request.url.path.endswith(".json"):
        return HTMLResponse(render("problem.html", problems=problems, status=status), status_code=status)
    return JSONResponse({"problems": problems}, status_code=status)


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
        responses={"default": {"model": Problems, "description": "Why it was refused."}},
    )
    app.state.server = state
    app.mount("/static", GZipMiddleware(StaticFiles(packages=_STATIC), compresslevel=6))
    for router in (run_routes.router, run_routes.pages, routes.router, routes.pages):
        app.include_router(router)
    for kind in (HTTPException, RequestValidationError, fp.FedpactError):
        app.add_exception_handler(kind, _refuse)
    app.add_middleware(Guard, limits=bounds, host=host, token=token)
    return app
