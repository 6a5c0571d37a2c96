"""Flower's processes: how they are started, what they say when they give up, and how exactly those are ended.

Flower and Ray start processes of their own, some of them in new sessions, and those outlive a parent that is
killed. So every process started here carries a mark in its environment that all descendants inherit. It is drawn
at random, so nobody else's process carries it; psutil finds who does.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import psutil

from fedpact.errors import ProtocolError

MARK = "FEDPACT_DEPLOYMENT"
HOST = "127.0.0.1"
_KNOWN = (
    ("address already in use", "its port is in use; end the program that listens there, or give another port"),
    ("certificate has expired", "the TLS certificate has expired; make a new one"),
    ("certificate verify failed", "the TLS certificate is not trusted; give the root certificate that signed it"),
    ("no module named", "a Python module is missing where Flower runs; start it from the venv that has fedpact"),
)


def flower_environment(home: Path) -> dict[str, str]:
    """Say what Flower's processes get to see: a home of their own, this interpreter's commands and path."""
    beside = str(Path(sys.executable).parent)
    told = os.environ.get("no_proxy") or os.environ.get("NO_PROXY", "")
    unproxied = ",".join(part for part in (HOST, "localhost", told) if part)
    return {
        **os.environ,
        "PATH": os.pathsep.join([beside, os.environ.get("PATH", os.defpath)]),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "FLWR_HOME": str(home),
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
        "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
        "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.2",
        "RAY_USAGE_STATS_ENABLED": "0",
        "NO_PROXY": unproxied,
        "no_proxy": unproxied,
        "NO_COLOR": "1",
    }


def flower_command(name: str) -> str:
    """Path of one of Flower's commands, beside this interpreter."""
    path = Path(sys.executable).parent / name
    if not path.exists():
        raise ProtocolError(
            f"Flower's command {name} is not beside {sys.executable}; install Flower into this venv"
        )
    return str(path)


def free_port() -> int:
    """Ask the system for a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


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
        self._environment = {**environment, MARK: self._mark}
        self._began: dict[str, int] = {}
        self.started: dict[str, subprocess.Popen[bytes]] = {}

    def log_of(self, name: str) -> Path:
        """Where a process writes its log."""
        return self._folder / f"{name}.log"

    def start(self, name: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start a process in a session of its own; its log is appended to ``NAME.log``."""
        with self.log_of(name).open("ab") as log:
            self._began[name] = log.tell()
            self.started[name] = subprocess.Popen(
                list(command),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._where,
                start_new_session=True,
            )
        return self.started[name]

    def new_log(self, name: str) -> str:
        """Read what a process has written since it was last started."""
        return self.log_of(name).read_bytes()[self._began[name] :].decode(errors="replace")

    def explain(self, name: str) -> str:
        """Say in one line why a process ended, from what it wrote; names the log for more."""
        return f"{find_cause(self.new_log(name)[-20000:])} (log: {self.log_of(name)})"

    def end(self, *, patience: float = 5.0) -> None:
        """Ask everything once to end, and kill what is left after ``patience`` seconds."""
        kill_at, asked = time.monotonic() + patience, set[psutil.Process]()
        while (left := self.living()) and time.monotonic() < kill_at + patience:
            for process in left:
                with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                    if time.monotonic() >= kill_at:
                        process.kill()
                    elif process not in asked:
                        process.terminate()
            asked.update(left)
            time.sleep(0.05)
        for started in self.started.values():
            with suppress(subprocess.TimeoutExpired):
                started.wait(patience)

    def living(self) -> list[psutil.Process]:
        """Everything started here that still runs: whoever carries the mark, and their children."""
        for process in self.started.values():
            process.poll()
        found = set[psutil.Process]()
        for process in psutil.process_iter(["environ"]):
            if (process.info["environ"] or {}).get(MARK) == self._mark and process.pid != os.getpid():
                with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                    found.update([process, *process.children(recursive=True)])
        return sorted((process for process in found if _is_alive(process)), key=lambda process: process.pid)


def _is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


@contextmanager
def handling_signals(
    handle: Callable[[int, FrameType | None], object] | signal.Handlers, *names: str
) -> Iterator[None]:
    """Handle signals, where that can be done, and give them back to whoever had them.

    What is ignored stays so: whoever started this with nohup wants it to outlive its terminal.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        there = [getattr(signal, name) for name in names if hasattr(signal, name)]
        before = {number: signal.getsignal(number) for number in there}
    caught = {number: had for number, had in before.items() if had not in (signal.SIG_IGN, None)}
    for number in caught:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, had in caught.items():
            signal.signal(number, had)


def find_cause(text: str) -> str:
    """Say what a process gave up for, from what it wrote, in one line that says what to do.

    Examples
    --------
    >>> find_cause("ERROR: [Errno 98] address already in use")
    'its port is in use; end the program that listens there, or give another port'
    """
    low = text.lower()
    known = [line for mark, line in _KNOWN if mark in low]
    if known:
        return known[0]
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    return f"it says {lines[-1][:200]!r}" if lines else "it says nothing"
