"""Everything that a running server keeps: federations, jobs, runs; only runs may outlive it, in a folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request

from fedpact.web.jobs import Job, JobQueue
from fedpact.web.library import Library
from fedpact.web.limits import Limits
from fedpact.web.parts import PARTS
from fedpact.web.render import PartState
from fedpact.web.run_record import Run
from fedpact.web.runs import RunManager
from fedpact.web.view import View, read_address


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """What the routes work on."""

    limits: Limits
    library: Library
    jobs: JobQueue
    runs: RunManager

    def hush(self) -> None:
        """End what others listen to, so that the server can end."""
        self.runs.hush()
        self.jobs.cancel_all()


def find_state(request: Request) -> ServerState:
    """Return the state of the server that a request came to."""
    state: ServerState = request.app.state.server
    return state


State = Annotated[ServerState, Depends(find_state)]


def find_view(
    request: Request, state: State, key: Annotated[str, Path(description="Key of a federation.")]
) -> View:
    """Read the address of a request."""
    return read_address(state.library.get(key), request.url.query)


AddressedView = Annotated[View, Depends(find_view)]


async def find_run(state: State, key: Annotated[str, Path(description="Key of a run.")]) -> Run:
    """Find the run that a request is about."""
    return state.runs.find(key)


AddressedRun = Annotated[Run, Depends(find_run)]


async def find_job(state: State, job_id: str) -> Job:
    """Find the job that a request is about."""
    job = state.jobs.find(job_id)
    if job is None:
        raise HTTPException(404, f"there is no job {job_id[:40]!r}")
    return job


AddressedJob = Annotated[Job, Depends(find_job)]


def ask_part(
    state: ServerState,
    view: View,
    name: str,
    *,
    slot: str | None = None,
    again: bool = False,
    only_draft: bool = False,
) -> PartState:
    """Ask the questions of a part, unless they were asked already.

    Parameters
    ----------
    slot
        Where the question replaces the one before; see :mod:`fedpact.web.jobs`.
    again
        Whether to begin anew what failed or was cancelled.
    only_draft
        Whether to ask only for the draft, if the part has one, and for the rest later.
    """
    part, base = PARTS[name], view.known.federation
    question, draft = part.ask(view), part.draft(view)
    drafted = None
    if draft is not None and draft != question:
        drafted = state.jobs.ask(draft, base, slot=slot and f"{slot} draft", again=again)
    if question is None:
        return PartState(part=part)
    if only_draft and drafted is not None:
        return PartState(part=part, job=state.jobs.look_up(question) or drafted, draft=drafted)
    return PartState(part=part, job=state.jobs.ask(question, base, slot=slot, again=again), draft=drafted)


def ask_parts(state: ServerState, view: View, names: Iterable[str]) -> list[PartState]:
    """Ask the questions of several parts."""
    return [ask_part(state, view, name) for name in names]
