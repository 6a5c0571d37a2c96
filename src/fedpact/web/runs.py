"""Runs of the protocol: those that were started here, earlier ones in the same folder, ledgers that are followed.

A run is carried out by a process of its own (:mod:`fedpact.web.worker`), which writes every step into a ledger
before it takes it. The server only reads ledgers, so that to start a run and to follow somebody else's are the
same to everybody who looks. Which ledgers are followed is said when the server is started; nothing that is sent to
it names a place on its disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shlex
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from fastapi import HTTPException

import fedpact as fp
from fedpact.describe.whole_files import make_folder
from fedpact.protocol.ledger.place import say_ledger
from fedpact.web.limits import Limits
from fedpact.web.models import Standing
from fedpact.web.pool import Pool, WorkerLostError
from fedpact.web.run_ledger import Reader, read_standing
from fedpact.web.run_record import Condition, Run, RunNote, read_condition, read_runs, write_note
from fedpact.web.worker import RunTask

AT_ONCE = 2
"""Runs that are under way at the same time, at most."""


class RunManager:
    """All runs of a server.

    Parameters
    ----------
    limits
        What is taken on.
    folder
        Where runs are kept; if not given, in a folder that is removed at the end.
    ledgers
        Paths or URLs of ledgers to follow.
    """

    def __init__(
        self, limits: Limits, folder: str | PathLike[str] | None = None, ledgers: Sequence[str] = ()
    ) -> None:
        self._limits = limits
        self._named = None if folder is None else Path(folder).resolve()
        if self._named is not None:
            make_folder(self._named, fp.errors.ProtocolError, "take another folder for the runs with --runs")
        self._folder: Path | None = None
        self._pool = Pool(AT_ONCE, limits)
        self.reader = Reader()
        self._own: OrderedDict[str, Run] = OrderedDict()
        self._followed = {
            f"ledger-{place}": Run(
                key=f"ledger-{place}",
                name=say_ledger(where),
                ledger=where,
                condition=Condition.FOLLOWED,
            )
            for place, where in enumerate(ledgers, start=1)
        }

    async def open(self) -> None:
        """Find the runs of an earlier server, or make room for new ones."""
        if self._named is None:
            self._folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="fedpact-runs-"))
            return
        self._folder = self._named
        found = await asyncio.to_thread(read_runs, self._folder, self._limits.runs)
        self._own.update((run.key, run) for run in found)

    async def close(self) -> None:
        """End all processes, and remove what nobody asked to keep."""
        await asyncio.gather(*(self.cancel(run) for run in self._own.values()))
        await self._pool.close()
        self.reader.close()
        if self._named is None and self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    def hush(self) -> None:
        """Let everybody leave who follows a run, so that the server can end."""
        for run in self.runs():
            run.has_ended = True
            run.tell()

    def runs(self) -> list[Run]:
        """All that are known: those of this server, the newest first, then the ledgers that are followed."""
        return [*reversed(self._own.values()), *self._followed.values()]

    def find(self, key: str) -> Run:
        """Return the run of a key.

        Raises
        ------
        HTTPException
            If there is none.
        """
        run = self._own.get(key) or self._followed.get(key)
        if run is None:
            raise HTTPException(404, f"there is no run {key[:40]!r} here; see /runs")
        return run

    def start(self, task: RunTask, note: RunNote) -> Run:
        """Start a run; the task's folder is set here.

        Raises
        ------
        HTTPException
            If too many are under way.
        """
        self._insist_on_room()
        assert self._folder is not None, "runs are started while the server lives"
        assert task.federation is not None, "a run is started from a federation"
        home = self._folder / secrets.token_hex(8)
        placed = replace(task, folder=str(home))
        run = Run(
            key=home.name,
            name=task.federation.name,
            ledger=str(home / "ledger.db"),
            is_there=False,
            condition=Condition.PREPARING,
            home=home,
            note=note,
            created=note.created,
            begun=placed,
        )
        self._own[run.key] = run
        self._forget()
        run.task = asyncio.create_task(self._carry_out(run, placed))
        return run

    def go_on(self, run: Run) -> None:
        """Continue a run that was cancelled, failed or was interrupted, from where its ledger ends.

        Raises
        ------
        FedpactError
            If there is nothing to continue.
        HTTPException
            If too many are under way.
        """
        if run.home is None or not run.can_continue:
            raise fp.errors.ProtocolError(f"run {run.key} is {run.condition.value}; there is nothing to continue")
        self._insist_on_room()
        task = run.begun or RunTask(folder=str(run.home))
        run.become(Condition.PREPARING)
        run.task = asyncio.create_task(self._carry_out(run, task))

    async def cancel(self, run: Run) -> None:
        """Stop a run: its process is ended, in the middle of its work."""
        if not run.is_under_way or run.task is None:
            return
        run.task.cancel()
        await asyncio.wait([run.task])
        if run.is_under_way:
            run.become(Condition.CANCELLED)

    async def look_at(self, run: Run) -> Standing:
        """Return how far a run is; one that somebody else brought to its end is finished here too.

        Raises
        ------
        LedgerError
            If its ledger cannot be read.
        """
        if not run.is_there:
            return Standing()
        standing = await self.reader.read(read_standing, run.ledger)
        if run.can_continue and standing.status is fp.protocol.RunStatus.FINISHED:
            run.become(Condition.FINISHED)
        return standing

    def say_how_to_go_on(self, run: Run) -> str | None:
        """Return the command that continues a run without this server, if its folder is kept."""
        if self._named is None or run.home is None or not run.can_continue:
            return None
        return shlex.join(["fedpact", "run", "--resume", str(run.home)])

    def _insist_on_room(self) -> None:
        under_way = sum(run.is_under_way for run in self._own.values())
        if under_way >= AT_ONCE:
            raise HTTPException(
                503,
                f"{under_way} runs are under way, which is the most that this server takes on at once; wait until "
                "one is over, or cancel one",
            )

    def _forget(self) -> None:
        """Forget the runs that are over for longest; their folders stay if somebody named the place."""
        over = [run for run in self._own.values() if run.is_over]
        for run in over[: max(0, len(self._own) - self._limits.runs)]:
            del self._own[run.key]
            if self._named is None and run.home is not None:
                asyncio.get_running_loop().run_in_executor(None, shutil.rmtree, run.home, True)

    async def _carry_out(self, run: Run, task: RunTask) -> None:
        """Give a run to a process, and note what becomes of it."""

        def tell(share: float, what: str) -> None:
            run.begun, run.is_there = None, True
            run.become(Condition.RUNNING)

        seconds = self._limits.job_seconds
        try:
            await asyncio.to_thread(write_note, task.folder, run.note)
            outcome, found = await self._pool.do(task, seconds, tell, lambda: None)
        except asyncio.CancelledError:
            await self._end(run, Condition.CANCELLED)
        except TimeoutError:
            said = f"stopped after {seconds:g} seconds, the most that this server gives to a run"
            await self._end(run, Condition.FAILED, said)
        except WorkerLostError:
            said = "the process that carried out this run ended before the run did"
            await self._end(run, Condition.FAILED, said)
        except OSError as error:
            await self._end(run, Condition.FAILED, f"the run's folder cannot be written: {error.strerror}")
        else:
            if outcome == "done":
                run.become(read_condition(found))
            else:
                run.become(Condition.FAILED, *found[0])

    async def _end(self, run: Run, condition: Condition, *problems: str) -> None:
        """Note that a run was cut short, unless its ledger says that it was just finished."""
        with contextlib.suppress(fp.errors.LedgerError):
            if (await self.look_at(run)).status is fp.protocol.RunStatus.FINISHED:
                condition, problems = Condition.FINISHED, ()
        run.become(condition, *problems)
