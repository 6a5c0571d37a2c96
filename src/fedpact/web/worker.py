"""A process that answers questions, one at a time, for a server that must not wait.

Tasks arrive on its standard input as pickles, and messages leave on its standard output, each a pickle after its
length in eight bytes. Both ends are this program. When the input ends, because the server ended however it did, so
does the worker, in the middle of its work.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

import fedpact as fp
from fedpact.web.limits import Limits
from fedpact.web.questions import Answer, Question, Tell, answer, read_failure
from fedpact.web.run_tasks import CheckTask, RunTask, carry_out, check_ledger

LENGTH = 8
_KEPT = 20
_BETWEEN = 0.1
"""Seconds between two messages about progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTask:
    """Files that a stranger sent, to be read as a federation."""

    files: Mapping[str, bytes]
    main: str
    """Which of them describes the federation."""
    limits: Limits
    folder: str
    """An empty folder for them; whoever gives the task removes it, even if the worker is stopped."""


Task = tuple[Question, fp.Federation, Answer | None] | ReadTask | RunTask | CheckTask
"""A question, its federation and the answer that it rests on; or something to read, to run or to check."""


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


def read_files(task: ReadTask) -> fp.Federation:
    """Read a federation from files that a stranger sent: nothing but these files is reached, nothing is executed.

    Problems name the files as they were sent.
    """
    with contextlib.chdir(task.folder):
        for name, data in task.files.items():
            Path(name).write_bytes(data)
        fed = fp.load(task.main, confined=True)
    task.limits.check_federation(fed)
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
        case CheckTask():
            return check_ledger(task)
        case ReadTask():
            return read_files(task)
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
