"""Jobs: questions that were asked, their progress and their answers.

A question has one job, however many ask it, and its answer is kept. Quick questions have workers of their own, so
that a page answers while a search for the optimum takes the others. Whoever asks many questions in a row of which
only the last matters, as a slider does, asks them in one *slot*: what still waits there is dropped, and what runs
is given a moment to finish before it is stopped.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import fedpact as fp
from fedpact.web.limits import Limits
from fedpact.web.pool import Pool, WorkerLostError
from fedpact.web.questions import WITHOUT_PLAN, Answer, Question, is_quick
from fedpact.web.run_tasks import CheckTask
from fedpact.web.worker import ReadTask, Task

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
    seconds: float | None = None
    """How long it ran."""
    slots: set[str] = field(default_factory=set)
    is_wanted: bool = True
    """Whether anybody asked outside of a slot."""
    earlier: Job | None = None
    """What it waits for."""
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


def _chain(job: Job | None) -> Iterator[Job]:
    """Yield a job and everything that it rests on."""
    while job is not None:
        yield job
        job = job.earlier


class JobQueue:
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
        job = self._find_or_begin(question, base, again=again)
        needed = list(_chain(job))
        for each in needed:
            each.is_wanted |= slot is None
            if slot is not None and not each.is_over:
                each.slots.add(slot)
        if slot is not None:
            self._leave_slot(slot, needed)
        return job

    def _find_or_begin(self, question: Question, base: fp.Federation, *, again: bool) -> Job:
        known = self._by_question.get(question)
        if known is not None and not (again and known.is_over and known.state is not JobState.DONE):
            return known
        earlier = None if question.after is None else self._find_or_begin(question.after, base, again=again)
        job = self._begin(question.name, question)
        job.is_wanted, job.earlier = False, earlier
        job.task = asyncio.create_task(self._answer(job, question, base))
        return job

    def read(self, task: ReadTask) -> Job:
        """Begin to read a federation from files."""
        job = self._begin("read", None)
        job.task = asyncio.create_task(self._read(job, task))
        return job

    async def _read(self, job: Job, task: ReadTask) -> None:
        """Read files in a folder that is removed even if the worker is stopped."""
        with tempfile.TemporaryDirectory(prefix="fedpact-") as folder:
            await self._do(job, replace(task, folder=folder), is_quick=True)

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

    def _leave_slot(self, slot: str, needed: list[Job]) -> None:
        """Drop what was asked in a slot before, unless somebody else wants it or it is needed."""
        for job in list(self._by_id.values()):
            if slot in job.slots and job not in needed:
                job.slots.discard(slot)
                if job.state is JobState.WAITING:
                    self._drop(job)
                else:
                    asyncio.get_running_loop().call_later(_GRACE, self._drop, job)

    def leave(self, page: str) -> None:
        """Drop, in a moment, what was asked in the slots of a page: those whose names begin with its name."""
        for job in self._by_id.values():
            left = {slot for slot in job.slots if slot.startswith(f"{page}-")}
            if left:
                job.slots -= left
                asyncio.get_running_loop().call_later(_GRACE, self._drop, job)

    def _drop(self, job: Job) -> None:
        """Stop a job that nobody wants; whoever asks its question later begins anew."""
        if not job.slots and not job.is_wanted and not job.is_over:
            self.cancel(job)
            if job.question is not None and self._by_question.get(job.question) is job:
                del self._by_question[job.question]

    async def _answer(self, job: Job, question: Question, base: fp.Federation) -> None:
        given: Answer | None = None
        if (earlier := job.earlier) is not None:
            while not earlier.is_over:
                change, job.saying = earlier.change, earlier.saying
                job.tell()
                await change.wait()
            if not (earlier.state is JobState.DONE or (earlier.has_no_plan and question.name in WITHOUT_PLAN)):
                job.problems, job.has_no_plan = earlier.problems, earlier.has_no_plan
                self._end(job, earlier.state)
                return
            given = earlier.answer
        await self._do(job, (question, base, given), is_quick=is_quick(question, base))

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
        except WorkerLostError:
            job.problems = (
                "the process that worked on this ended without an answer; the server's log may say why",
            )
        else:
            job.seconds = time.monotonic() - start
            if outcome == "done":
                job.answer = found
                self._end(job, JobState.DONE)
            else:
                job.problems, job.has_no_plan = tuple(found["problems"]), found["kind"] == "no plan"
        finally:
            self._end(job, JobState.FAILED)

    def _end(self, job: Job, state: JobState) -> None:
        """Note how a job ended; one that is over stays as it is."""
        if job.is_over:
            return
        job.state = state
        job.slots.clear()
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
