"""A process that works for a server that must not wait: it answers questions, reads files, carries out runs.

Tasks arrive on its standard input as pickles, and messages leave on its standard output, each a pickle after its
length in eight bytes. Both ends are this program. When the input ends, because the server ended however it did, so
does the worker, in the middle of its work. A run is carried out in a folder of its own, with a ledger: whoever is
told to carry out a run whose folder is there already goes on from its ledger, so that a process that was killed is
followed by another.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

import fedpact as fp
from fedpact.protocol.home import hold_home
from fedpact.web.limits import Limits
from fedpact.web.questions import Answer, Question, Tell, answer, read_failure

PREPARED = "prepared"
"""What is told when the folder is there, with its ledger."""
PATIENCE = 60.0
"""Seconds that a site has to answer: those that are made up need no people to label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTask:
    """A run to carry out."""

    folder: str = ""
    """Its home; who keeps the runs says which."""
    federation: fp.Federation | None = None
    """What sites are made up from; None if the home is there already."""
    terms: Mapping[str, Any] = field(default_factory=dict)
    """For :func:`fedpact.protocol.make_pact`."""
    teacher: str | None = None
    seed: int = 0


def _prepare(task: RunTask) -> fp.protocol.RunHome:
    """Find the home of a run, or make it."""
    try:
        return fp.protocol.read_home(task.folder)
    except fp.errors.ProtocolError:
        if task.federation is None:
            raise
    pact = fp.protocol.make_pact(task.federation, patience=PATIENCE, **task.terms)
    sites = fp.protocol.simulate_sites(task.federation, teacher=task.teacher, seed=task.seed)
    return fp.protocol.prepare_home(task.folder, pact, sites)


def carry_out(task: RunTask, tell: Callable[[float, str], None]) -> fp.protocol.RunStatus:
    """Bring a run to its end, from where its ledger ends; returns how it stands then.

    Raises
    ------
    FedpactError
        If the run cannot begin or go on: another process is at work on it, say.
    """
    with hold_home(task.folder):
        home = _prepare(task)
        tell(0.0, PREPARED)
        return fp.protocol.run_home(home).status


def check_ledger(ledger: str) -> tuple[fp.protocol.LedgerCheck, fp.protocol.BooksCheck | None]:
    """Check every entry, every link and the structure of a file; then that signatures and payments are right."""
    found = fp.protocol.verify_ledger(ledger)
    return found, fp.protocol.check_books(ledger) if found.is_intact else None


LENGTH = 8
_KEPT = 20
_BETWEEN = 0.1
"""Seconds between two messages about progress."""


Task = tuple[Question, fp.Federation, Answer | None] | RunTask | partial[Any]
"""A question, its federation and the answer that it rests on; a run; or what else is to be called."""


def _write(stream: BinaryIO, message: Any) -> None:
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(LENGTH, "big") + data)
    stream.flush()


def _read_tasks(tasks: SimpleQueue[Task]) -> None:
    """Read the standard input to its end, which is the end of the process."""
    with contextlib.suppress(EOFError, pickle.UnpicklingError), os.fdopen(0, "rb") as stream:
        while True:
            tasks.put(pickle.load(stream))
    os._exit(0)


def read_files(files: Mapping[str, bytes], main: str, limits: Limits, folder: str) -> fp.Federation:
    """Read a federation from files that a stranger sent: nothing but these files is reached, nothing is executed.

    Problems name the files as they were sent.

    Parameters
    ----------
    files
        What was sent, by name.
    main
        Which of them describes the federation.
    limits
        How large it may be.
    folder
        An empty folder for them; whoever gives the task removes it, even if the worker is stopped.
    """
    with contextlib.chdir(folder):
        for name, data in files.items():
            Path(name).write_bytes(data)
        fed = fp.load(main, confined=True)
    limits.check_federation(fed)
    return fed


def _follow(out: BinaryIO) -> Tell:
    """Tell the server how far the work is, now and then."""
    last = 0.0

    def tell(share: float, what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _BETWEEN:
            last = time.monotonic()
            _write(out, ("progress", (share, what)))

    return tell


def _do(task: Task, known: dict[str, fp.Federation], tell: Tell) -> Any:
    """Do one task; ``known`` holds the federations of the last questions, so that what was worked out stays."""
    match task:
        case RunTask():
            return carry_out(task, tell)
        case partial():
            return task()
    question, base, earlier = task
    fed = known[question.federation] = known.pop(question.federation, base)
    if len(known) > _KEPT:
        del known[next(iter(known))]
    return answer(question, fed, earlier, tell)


def _work(task: Task, known: dict[str, fp.Federation], tell: Tell) -> tuple[str, Any]:
    """Do one task; what goes wrong on purpose is an answer as well."""
    try:
        return "done", _do(task, known, tell)
    except MemoryError:
        return "failed", (("this needs more memory than the page may take",), False)
    except fp.FedpactError as error:
        return "failed", read_failure(error)


def main(memory: int) -> None:
    """Answer until the input ends, with no more than so many bytes of memory."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    most = memory if most == resource.RLIM_INFINITY else min(memory, most)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    os.nice(5)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    tasks: SimpleQueue[Task] = SimpleQueue()
    threading.Thread(target=_read_tasks, args=(tasks,), daemon=True).start()
    known: dict[str, fp.Federation] = {}
    _write(out, ("ready", None))
    while True:
        _write(out, _work(tasks.get(), known, _follow(out)))
