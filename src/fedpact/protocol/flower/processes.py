"""Start processes and end exactly those: the ones started here, and everything that they started in turn.

Flower and Ray start processes of their own, some of them in new sessions, and those outlive a parent that is
killed. Every process started here is the leader of a group of its own and carries a mark in its environment that
all descendants inherit; ending a deployment ends the groups, and then whoever still carries the mark. It is drawn
at random, so nobody else's process carries it.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

MARK = "FEDPACT_DEPLOYMENT"
_PROC = Path("/proc")


class ProcessGroup:
    """Named processes with their logs in files; ``end`` ends all of them and their descendants.

    Parameters
    ----------
    folder
        Where the logs go, ``NAME.log``.
    environment
        What the processes get to see.
    where
        The folder in which they run; that of the logs if it is not given.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], *, where: Path | None = None) -> None:
        self._folder, self._where = folder, folder if where is None else where
        self._mark = secrets.token_hex(16)
        self.environment = {**environment, MARK: self._mark}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._began: dict[str, int] = {}

    def log_of(self, name: str) -> Path:
        """Where a process writes its log."""
        return self._folder / f"{name}.log"

    def start(self, name: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start a process in a group of its own; its log is appended to ``NAME.log``."""
        if name in self._running:
            self.kill(name)
        with self.log_of(name).open("ab") as log:
            self._began[name] = log.tell()
            process = subprocess.Popen(
                list(command),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._where,
                start_new_session=True,
            )
        self._running[name] = process
        return process

    def poll(self, name: str) -> int | None:
        """Return a process's exit code, or None while it runs."""
        return self._running[name].poll()

    def new_log(self, name: str) -> str:
        """Read what a process has written since it was last started."""
        return self.log_of(name).read_bytes()[self._began[name] :].decode(errors="replace")

    def kill(self, name: str) -> None:
        """Kill one process and its group at once, as a machine that loses power would."""
        process = self._running.pop(name)
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()

    def end(self, *, patience: float = 5.0) -> None:
        """End everything: ask first, and kill what is left after ``patience`` seconds."""
        for process in self._running.values():
            _signal_group(process.pid, signal.SIGTERM)
        self._wait_for_all(patience)
        for process in self._running.values():
            _signal_group(process.pid, signal.SIGKILL)
            process.wait()
        self._end_marked(patience)
        self._running.clear()

    def _wait_for_all(self, patience: float) -> None:
        until = time.monotonic() + patience
        while time.monotonic() < until and any(process.poll() is None for process in self._running.values()):
            time.sleep(0.05)

    def _end_marked(self, patience: float) -> None:
        until = time.monotonic() + patience
        while left := list(self.marked()):
            for pid in left:
                _signal(pid, signal.SIGKILL if time.monotonic() >= until - patience / 2 else signal.SIGTERM)
            if time.monotonic() >= until:
                return
            time.sleep(0.1)

    def marked(self) -> Iterator[int]:
        """Ids of the living processes that carry this group's mark (where the system shows environments)."""
        needle = f"{MARK}={self._mark}".encode()
        for entry in _PROC.iterdir() if _PROC.is_dir() else ():
            if entry.name.isdigit() and int(entry.name) != os.getpid() and needle in _environment(entry):
                yield int(entry.name)


def _environment(entry: Path) -> list[bytes]:
    try:
        return (entry / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _signal_group(leader: int, number: signal.Signals) -> None:
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return
