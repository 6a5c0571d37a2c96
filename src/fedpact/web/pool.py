"""Worker processes seen from the server: a task is given to one that is free; stopping it ends its process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

from fedpact.web.limits import Limits
from fedpact.web.worker import LENGTH, Task

Tell = Callable[[float, str], None]
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class WorkerLostError(Exception):
    """A worker ended without an answer: it was stopped, or it ran into a bug of ours or out of memory."""


class Worker:
    """One process; what it is given goes in, messages come out."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, limits: Limits) -> Worker:
        """Start a process, which is not ready yet."""
        # -P: what lies in the current folder is not imported
        program = ("-P", "-c", f"from fedpact.web.worker import main; main({limits.memory_bytes})")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *program,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | _ONE_THREAD,
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers
        )
        return cls(process)

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended, by itself or because the machine ran out of memory."""
        if self._process.returncode is not None:
            return False
        try:  # asyncio may hear of its end only later
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        except ChildProcessError:
            return False

    async def read(self) -> tuple[str, Any]:
        """Return its next message."""
        assert self._process.stdout is not None
        length = int.from_bytes(await self._process.stdout.readexactly(LENGTH), "big")
        message: tuple[str, Any] = pickle.loads(await self._process.stdout.readexactly(length))
        return message

    async def do(self, task: Task, tell: Tell) -> tuple[str, Any]:
        """Return "done" and an answer, or "failed" and what is wrong."""
        assert self._process.stdin is not None
        self._process.stdin.write(pickle.dumps(task))
        await self._process.stdin.drain()
        while (message := await self.read())[0] == "progress":
            tell(*message[1])
        return message

    async def stop(self) -> None:
        """End the process, in the middle of its work, and close what led to it."""
        assert self._process.stdin is not None
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.stdin.close()
        await self._process.communicate()


class Pool:
    """Some workers; whoever has a task waits for one that is free. Each is started when it is first needed."""

    def __init__(self, size: int, limits: Limits) -> None:
        self._limits = limits
        self._room = asyncio.Semaphore(size)
        self._idle: list[Worker] = []

    @contextlib.asynccontextmanager
    async def _held(self) -> AsyncIterator[Worker]:
        """Hand out a worker that is ready; whatever goes wrong meanwhile ends its process."""
        async with self._room:
            while self._idle and not self._idle[-1].is_alive:
                await self._idle.pop().stop()
            is_new = not self._idle
            try:
                worker = await Worker.start(self._limits) if is_new else self._idle.pop()
            except OSError:
                raise WorkerLostError from None
            try:
                if is_new:
                    await worker.read()
                yield worker
            except (asyncio.IncompleteReadError, ConnectionError):
                await asyncio.shield(worker.stop())
                raise WorkerLostError from None
            except BaseException:
                await asyncio.shield(worker.stop())
                raise
            self._idle.append(worker)

    async def do(self, task: Task, seconds: float, tell: Tell, begin: Callable[[], None]) -> tuple[str, Any]:
        """Give a task to a free worker; ``begin`` is called when one takes it.

        Raises
        ------
        TimeoutError
            If the worker needs more than ``seconds``; its process is ended, as it is if the caller is cancelled.
        """
        async with self._held() as worker:
            begin()
            async with asyncio.timeout(seconds):
                return await worker.do(task, tell)

    async def warm_up(self) -> None:
        """Start one worker, so that the first task need not wait for it."""
        async with self._held():
            pass

    async def close(self) -> None:
        """End all workers; none is at work any more."""
        await asyncio.gather(*(worker.stop() for worker in self._idle))
