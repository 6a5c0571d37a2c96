"""Worker processes seen from the server: a task is given to one that is free; stopping it ends its process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import sys
from collections.abc import Callable
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
        """Start a process and wait until it is ready."""
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # what lies in the current folder is not imported
                "-c",
                f"from fedpact.web.worker import main; main({limits.memory_bytes})",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=os.environ | _ONE_THREAD,
                start_new_session=True,  # Ctrl-C is for the server, which ends its workers
            )
        except OSError as error:
            raise WorkerLostError from error
        worker = cls(process)
        try:
            await worker._read()
        except BaseException:
            await asyncio.shield(worker.stop())
            raise
        return worker

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended, by itself or because the machine ran out of memory."""
        return self._process.returncode is None

    async def _read(self) -> tuple[str, Any]:
        assert self._process.stdout is not None
        try:
            length = int.from_bytes(await self._process.stdout.readexactly(LENGTH), "big")
            message: tuple[str, Any] = pickle.loads(await self._process.stdout.readexactly(length))
        except asyncio.IncompleteReadError:
            raise WorkerLostError from None
        return message

    async def do(self, task: Task, tell: Tell) -> tuple[str, Any]:
        """Return "done" and an answer, or "failed" and what is wrong."""
        assert self._process.stdin is not None
        data = pickle.dumps(task)
        try:
            self._process.stdin.write(len(data).to_bytes(LENGTH, "big") + data)
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise WorkerLostError from None
        while (message := await self._read())[0] == "progress":
            tell(*message[1])
        return message

    async def stop(self) -> None:
        """End the process, in the middle of its work, and close what led to it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.stdin.close()
        while await self._process.stdout.read(2**16):
            pass
        await self._process.wait()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            await self._process.stdin.wait_closed()


class Pool:
    """Some workers; whoever has a task waits for one that is free. Each is started when it is first needed."""

    def __init__(self, size: int, limits: Limits) -> None:
        self._limits = limits
        self._free: asyncio.LifoQueue[Worker | None] = asyncio.LifoQueue()
        self._all: set[Worker] = set()
        for _ in range(size):
            self._free.put_nowait(None)

    async def _take(self) -> Worker:
        worker = await self._free.get()
        if worker is not None and not worker.is_alive:
            self._all.discard(worker)
            await worker.stop()
            worker = None
        if worker is None:
            try:
                worker = await Worker.start(self._limits)
            except BaseException:
                self._free.put_nowait(None)
                raise
            self._all.add(worker)
        return worker

    async def _discard(self, worker: Worker) -> None:
        self._all.discard(worker)
        await worker.stop()
        self._free.put_nowait(None)

    async def do(self, task: Task, seconds: float, tell: Tell, begin: Callable[[], None]) -> tuple[str, Any]:
        """Give a task to a free worker; ``begin`` is called when one takes it.

        Raises
        ------
        TimeoutError
            If the worker needs more than ``seconds``; its process is ended, as it is if the caller is cancelled.
        """
        worker = await self._take()
        try:
            begin()
            async with asyncio.timeout(seconds):
                message = await worker.do(task, tell)
        except BaseException:
            await asyncio.shield(self._discard(worker))
            raise
        self._free.put_nowait(worker)
        return message

    async def warm_up(self) -> None:
        """Start one worker, so that the first task need not wait for it."""
        self._free.put_nowait(await self._take())

    async def close(self) -> None:
        """End all workers."""
        await asyncio.gather(*(worker.stop() for worker in self._all))
