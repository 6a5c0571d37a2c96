"""Jobs: questions that were asked, their progress and their answers.

A question has one job, however many ask it, and its answer is kept. Quick questions have workers of their own, so
that a page answers while a search for the optimum takes the others. Whoever asks many questions in a row of which
only the last matters, as a slider does, asks them in one *slot*: what still waits there is dropped, and what runs
is given a moment to finish before it is stopped.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import fedpact as fp
from fedpact.web.limits import Limits
from fedpact.web.pool import Pool, WorkerLostError
from fedpact.web.questions import Answer, Question
from fedpact.web.run_tasks import CheckTask
from fedpact.web.worker import Task

_GRACE = 2.0
"""Seconds for which a job goes on that nobody wants any more; to start a new process takes as long."""


class JobState(Enum):
    """How far a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class BusyError(Exception):
    """More jobs wait than the server takes on."""


@dataclass(eq=False, slots=True, kw_only=True)
class Job:
    """One question under way."""

    id: str
    name: str
    question: Question | None
    """None for the reading of a file and the check of a ledger."""
    state: JobState = JobState.WAITING
    share: float = 0.0
    saying: str = ""
    answer: Any = None
    problems: tuple[str, ...] = ()
    has_no_plan: bool = False
    """Whether it failed because no plan exists."""
    created: float = field(default_factory=time.time)
    seconds: float | None = None
    """How long it ran."""
    slots: set[str] = field(default_factory=set)
    is_wanted: bool = True
    """Whether anybody asked outside of a slot."""
    change: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing will change any more."""
        return self.state not in (JobState.WAITING, JobState.RUNNING)

    def tell(self) -> None:
        """Let everybody look who waits for a change."""
        self.change.set()
        self.change = asyncio.Event()


class JobBoard:
    """All jobs of a server."""

    def __init__(self, limits: Limits, *, quick: int = 1, slow: int = 1) -> None:
        self.limits = limits
        self._pools = {True: Pool(quick, limits), False: Pool(slow, limits)}
        self._by_id: OrderedDict[str, Job] = OrderedDict()
        self._by_question: dict[Question, Job] = {}

    async def warm_up(self) -> None:
        """Start the first worker of each kind."""
        await asyncio.gather(*(pool.warm_up() for pool in self._pools.values()))

    async def close(self) -> None:
        """Stop everything."""
        tasks = [job.task for job in self._by_id.values() if job.task is not None]
        for job in list(self._by_id.values()):
            self.cancel(job)
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(pool.close() for pool in self._pools.values()))

    def jobs(self) -> list[Job]:
        """All that are known, the newest first."""
        return list(reversed(self._by_id.values()))

    def find(self, name: str) -> Job | None:
        """Return a job by its id."""
        return self._by_id.get(name)

    def look_up(self, question: Question) -> Job | None:
        """Return the job of a question that was asked already."""
        return self._by_question.get(question)

    def ask(self, question: Question, base: fp.Federation, *, slot: str | None = None, again: bool = False) -> Job:
        """Return the job of a question, begun if it was not; one that failed or was cancelled only if ``again``.

        Raises
        ------
        BusyError
            If too many jobs wait.
        """
        job = self._by_question.get(question)
        if job is None or (again and job.is_over and job.state is not JobState.DONE):
            earlier = None if question.after is None else self.ask(question.after, base, slot=slot, again=again)
            job = self._begin(question.name, question)
            job.is_wanted = slot is None
            job.task = asyncio.create_task(self._answer(job, question, base, earlier))
        job.is_wanted |= slot is None
        if slot is not None:
            self._leave_slot(slot, job)
            job.slots.add(slot)
        return job

    def read(self, task: dict[str, Any]) -> Job:
        """Begin to read a federation from files; see :func:`fedpact.web.worker.read_files`."""
        job = self._begin("read", None)
        job.task = asyncio.create_task(self._do(job, task, is_quick=True))
        return job

    def check(self, name: str, ledger: str, *, is_quick: bool) -> Job:
        """Begin to look through a ledger; see :func:`fedpact.web.run_tasks.check_ledger`."""
        job = self._begin(name, None)
        job.task = asyncio.create_task(self._do(job, CheckTask(ledger=ledger), is_quick=is_quick))
        return job

    def cancel(self, job: Job) -> None:
        """Stop a job."""
        if not job.is_over:
            self._end(job, JobState.CANCELLED)
            if job.task is not None:
                job.task.cancel()

    def _begin(self, name: str, question: Question | None) -> Job:
        waiting = sum(job.state is JobState.WAITING for job in self._by_id.values())
        if waiting >= self.limits.waiting:
            raise BusyError(
                f"{waiting} jobs wait already, which is the most that this server takes on; try again later"
            )
        job = Job(id=secrets.token_hex(8), name=name, question=question)
        self._by_id[job.id] = job
        if question is not None:
            self._by_question[question] = job
        self._forget()
        return job

    def _forget(self) -> None:
        over = [job for job in self._by_id.values() if job.is_over]
        for job in over[: max(0, len(self._by_id) - self.limits.answers)]:
            del self._by_id[job.id]
            if job.question is not None and self._by_question.get(job.question) is job:
                del self._by_question[job.question]

    def _leave_slot(self, slot: str, kept: Job) -> None:
        """Drop what was asked in a slot before, unless somebody else wants it or what is kept rests on it."""
        needed = {kept.question, kept.question.after} if kept.question is not None else set()
        for job in list(self._by_id.values()):
            if slot in job.slots and job.question not in needed and not job.is_over:
                job.slots.discard(slot)
                if job.state is JobState.WAITING:
                    self._drop(job)
                else:
                    asyncio.get_running_loop().call_later(_GRACE, self._drop, job)

    def leave(self, page: str) -> None:
        """Drop, in a moment, what was asked in the slots of a page: those whose names begin with its name."""
        for job in self._by_id.values():
            left = {slot for slot in job.slots if slot.startswith(f"{page}-")}
            if left and not job.is_over:
                job.slots -= left
                asyncio.get_running_loop().call_later(_GRACE, self._drop, job)

    def _drop(self, job: Job) -> None:
        """Stop a job that nobody wants; whoever asks its question later begins anew."""
        if not job.slots and not job.is_wanted and not job.is_over:
            self.cancel(job)
            if job.question is not None and self._by_question.get(job.question) is job:
                del self._by_question[job.question]

    async def _answer(self, job: Job, question: Question, base: fp.Federation, earlier: Job | None) -> None:
        given: Answer | None = None
        if earlier is not None:
            while not earlier.is_over:
                change, job.saying = earlier.change, earlier.saying
                job.tell()
                await change.wait()
            if earlier.state is not JobState.DONE:
                job.problems, job.has_no_plan = earlier.problems, earlier.has_no_plan
                self._end(job, earlier.state)
                return
            given = earlier.answer
        await self._do(job, (question, base, given), is_quick=question.is_quick)

    async def _do(self, job: Job, task: Task, *, is_quick: bool) -> None:
        seconds = self.limits.quick_seconds if is_quick else self.limits.job_seconds
        start = time.monotonic()

        def begin() -> None:
            nonlocal start
            start, job.state = time.monotonic(), JobState.RUNNING
            job.tell()

        def tell(share: float, saying: str) -> None:
            job.share, job.saying = share, saying
            job.tell()

        try:
            outcome, found = await self._pools[is_quick].do(task, seconds, tell, begin)
        except TimeoutError:
            job.problems = (f"stopped after {seconds:g} seconds, the most that this server gives to it",)
            return self._end(job, JobState.FAILED)
        except WorkerLostError:
            job.problems = (
                "the process that worked on this ended without an answer; the server's log may say why",
            )
            return self._end(job, JobState.FAILED)
        job.seconds = time.monotonic() - start
        if outcome == "done":
            job.answer = found
            return self._end(job, JobState.DONE)
        job.problems, job.has_no_plan = tuple(found["problems"]), found["kind"] == "no plan"
        return self._end(job, JobState.FAILED)

    def _end(self, job: Job, state: JobState) -> None:
        if job.is_over:
            return
        job.state = state
        job.share = 1.0 if state is JobState.DONE else job.share
        job.tell()


async def wait_for(job: Job, seconds: float) -> None:
    """Wait until a job is over, but no longer than some seconds."""
    deadline = time.monotonic() + seconds
    while not job.is_over and (left := deadline - time.monotonic()) > 0:
        change = job.change
        try:
            await asyncio.wait_for(change.wait(), left)
        except TimeoutError:
            return


async def follow(job: Job) -> AsyncIterator[Job]:
    """Yield a job now and whenever it has changed, until it is over."""
    while True:
        change = job.change
        yield job
        if job.is_over:
            return
        await change.wait()
