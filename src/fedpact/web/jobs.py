"""Jobs: questions that were asked, their progress and their answers.

A question has one job, however many ask it, and its answer is kept. Quick questions have workers of their own, so
that a page answers while a search for the optimum takes the others. Whoever asks many questions in a row of which
only the last matters, as a slider does, asks them in one *slot*: what still waits there is dropped, and what runs
is given a moment to finish before it is stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from fastapi import HTTPException

import fedpact as fp
from fedpact.web.limits import Limits
from fedpact.web.pool import Pool, WorkerLostError
from fedpact.web.questions import WITHOUT_PLAN, Answer, Question, is_quick
from fedpact.web.worker import Task

_GRACE = 2.0
"""Seconds for which a job goes on that nobody wants any more; to start a new process takes as long."""


class JobState(StrEnum):
    """How far a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(eq=False, slots=True, kw_only=True)
class Job:
    """One question under way."""

    id: str = field(default_factory=lambda: secrets.token_hex(8))
    name: str
    question: Question | None = None
    """None for the reading of a file and the check of a ledger."""
    state: JobState = JobState.WAITING
    share: float = 0.0
    """How much is done, from 0 to 1."""
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

    @property
    def chain(self) -> list[Job]:
        """The job and everything that it rests on."""
        return [self, *([] if self.earlier is None else self.earlier.chain)]

    def lets_answer(self, question: Question) -> bool:
        """Whether a question that rests on this one can be answered."""
        return self.state is JobState.DONE or (self.has_no_plan and question.name in WITHOUT_PLAN)

    def become(self, **values: Any) -> None:
        """Change some values, and let everybody look who waits for a change; one that is over stays as it is."""
        if not self.is_over:
            for name, value in values.items():
                setattr(self, name, value)
            if self.is_over:
                self.slots.clear()
            self.change.set()
            self.change = asyncio.Event()


class JobQueue:
    """All jobs of a server."""

    def __init__(self, limits: Limits, *, quick: int = 1, slow: int = 1) -> None:
        self.limits = limits
        self._pools = {True: Pool(quick, limits), False: Pool(slow, limits)}
        self._by_id: OrderedDict[str, Job] = OrderedDict()
        self._by_question: dict[Question | None, Job] = {}

    async def warm_up(self) -> None:
        """Start the first worker of each kind."""
        await asyncio.gather(*(pool.warm_up() for pool in self._pools.values()))

    async def close(self) -> None:
        """Stop everything."""
        tasks = [job.task for job in self._by_id.values() if job.task is not None]
        self.cancel_all()
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
        HTTPException
            If too many jobs wait.
        """
        job = self._find_or_begin(question, base, again=again)
        for each in job.chain:
            each.is_wanted |= slot is None
            if slot is not None and not each.is_over:
                each.slots.add(slot)
        if slot is not None:
            self._let_go(lambda name: name == slot, job.chain, at_once=True)
        return job

    def _find_or_begin(self, question: Question, base: fp.Federation, *, again: bool) -> Job:
        known = self._by_question.get(question)
        if known is not None and not (again and known.is_over and known.state is not JobState.DONE):
            return known
        earlier = None if question.after is None else self._find_or_begin(question.after, base, again=again)
        job = Job(name=question.name, question=question, is_wanted=False, earlier=earlier)
        self._begin(job, self._answer(job, question, base))
        self._by_question[question] = job
        return job

    def do(self, name: str, task: Task, *, is_quick: bool = True) -> Job:
        """Begin to read a federation from files, or to look through a ledger."""
        job = Job(name=name)
        self._begin(job, self._do(job, task, is_quick=is_quick))
        return job

    def cancel(self, job: Job) -> None:
        """Stop a job."""
        if job.task is not None and not job.is_over:
            job.become(state=JobState.CANCELLED)
            job.task.cancel()

    def cancel_all(self) -> None:
        """Stop all jobs."""
        for job in self._by_id.values():
            self.cancel(job)

    def _begin(self, job: Job, work: Coroutine[Any, Any, None]) -> None:
        waiting = sum(job.state is JobState.WAITING for job in self._by_id.values())
        if waiting >= self.limits.waiting:
            work.close()
            said = f"{waiting} jobs wait already, which is the most that this server takes on; try again later"
            raise HTTPException(503, said)
        job.task = asyncio.create_task(work)
        self._by_id[job.id] = job
        over = [job for job in self._by_id.values() if job.is_over]
        for old in over[: max(0, len(self._by_id) - self.limits.answers)]:
            del self._by_id[old.id]
            self._forget_question(old)

    def _forget_question(self, job: Job) -> None:
        if self._by_question.get(job.question) is job:
            del self._by_question[job.question]

    def leave(self, page: str) -> None:
        """Drop, in a moment, what was asked in the slots of a page: those whose names begin with its name."""
        self._let_go(lambda slot: slot.startswith(f"{page}-"))

    def _let_go(
        self, is_left: Callable[[str], bool], needed: Iterable[Job] = (), *, at_once: bool = False
    ) -> None:
        """Drop what was asked in some slots and is not needed: now if it waits and ``at_once``, or in a moment."""
        for job in list(self._by_id.values()):
            left = {slot for slot in job.slots if is_left(slot)}
            if left and job not in needed:
                job.slots -= left
                if at_once and job.state is JobState.WAITING:
                    self._drop(job)
                else:
                    asyncio.get_running_loop().call_later(_GRACE, self._drop, job)

    def _drop(self, job: Job) -> None:
        """Stop a job that nobody wants; whoever asks its question later begins anew."""
        if not job.slots and not job.is_wanted and not job.is_over:
            self.cancel(job)
            self._forget_question(job)

    async def _answer(self, job: Job, question: Question, base: fp.Federation) -> None:
        given: Answer | None = None
        if (earlier := job.earlier) is not None:
            async for _ in follow(earlier):
                job.become(saying=earlier.saying)
            if not earlier.lets_answer(question):
                job.become(state=earlier.state, problems=earlier.problems, has_no_plan=earlier.has_no_plan)
                return
            given = earlier.answer
        await self._do(job, (question, base, given), is_quick=is_quick(question, base))

    async def _do(self, job: Job, task: Task, *, is_quick: bool) -> None:
        seconds = self.limits.quick_seconds if is_quick else self.limits.job_seconds
        start = time.monotonic()

        def begin() -> None:
            nonlocal start
            start = time.monotonic()
            job.become(state=JobState.RUNNING)

        def tell(share: float, saying: str) -> None:
            job.become(share=min(max(share, 0.0), 1.0), saying=saying)

        try:
            outcome, found = await self._pools[is_quick].do(task, seconds, tell, begin)
            job.seconds = time.monotonic() - start
            if outcome == "done":
                job.become(state=JobState.DONE, share=1.0, answer=found)
            else:
                job.problems, job.has_no_plan = found
        except TimeoutError:
            job.problems = (f"stopped after {seconds:g} seconds, the most that this server gives to it",)
        except WorkerLostError:
            said = "the process that worked on this ended without an answer; the server's log may say why"
            job.problems = (said,)
        finally:
            job.become(state=JobState.FAILED)


async def follow(job: Job) -> AsyncIterator[Job]:
    """Yield a job now and whenever it has changed, until it is over."""
    while True:
        change = job.change
        yield job
        if job.is_over:
            return
        await change.wait()


async def wait_for(job: Job, seconds: float) -> None:
    """Wait until a job is over, but no longer than some seconds."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            async for _ in follow(job):
                pass
