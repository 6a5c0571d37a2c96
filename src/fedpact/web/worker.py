"""A process that answers questions, one at a time, for a server that must not wait.

Tasks arrive on its standard input, and messages leave on its standard output, each a pickle after its length in
eight bytes. Both ends are this program. When the input ends, because the server ended however it did, so does the
worker, in the middle of its work.
"""

from __future__ import annotations

import os
import pickle
import resource
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

import fedpact as fp
from fedpact.web.limits import Limits
from fedpact.web.questions import Answer, Question, Tell, answer
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
    folder: str = ""
    """An empty folder for them; whoever gives the task removes it."""


Task = tuple[Question, fp.Federation, Answer | None] | ReadTask | RunTask | CheckTask
"""A question, its federation and the answer that it rests on; or something to read, to run or to check."""


def write_message(stream: BinaryIO, message: Any) -> None:
    """Send one message."""
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(LENGTH, "big") + data)
    stream.flush()


def _read(length: int) -> bytes:
    """Read from the standard input, past the buffer that would hold up the end of the process."""
    data = bytearray()
    while len(data) < length:
        piece = os.read(0, length - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return bytes(data)


def _read_tasks(tasks: SimpleQueue[Task]) -> None:
    while True:
        tasks.put(pickle.loads(_read(int.from_bytes(_read(LENGTH), "big"))))


def read_files(task: ReadTask) -> fp.Federation:
    """Read a federation from files that a stranger sent: nothing but these files is reached, nothing is executed.

    Problems name the files as they were sent.
    """
    before = Path.cwd()
    os.chdir(task.folder)
    try:
        for name, data in task.files.items():
            Path(task.folder, name).write_bytes(data)
        fed = fp.load(task.main, confined=True)
    finally:
        os.chdir(before)
    task.limits.check_federation(fed)
    return fed


class _Federations:
    """The federations that were asked about last, so that what was worked out about them stays."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, fp.Federation] = OrderedDict()

    def get(self, key: str, given: fp.Federation) -> fp.Federation:
        fed = self._known.setdefault(key, given)
        self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return fed


def _say_failure(error: Exception) -> dict[str, Any]:
    problems = error.problems if isinstance(error, fp.FederationError) else (str(error),)
    return {"kind": "no plan" if isinstance(error, fp.InfeasibleError) else "refused", "problems": list(problems)}


def _follow(out: BinaryIO) -> Tell:
    """Tell the server how far the work is, now and then."""
    last = 0.0

    def tell(share: float, what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _BETWEEN:
            last = time.monotonic()
            write_message(out, ("progress", (share, what)))

    return tell


def _do(task: Task, known: _Federations, out: BinaryIO) -> Any:
    match task:
        case RunTask():
            return carry_out(task, _follow(out))
        case CheckTask():
            return check_ledger(task)
        case ReadTask():
            return read_files(task)
    question, base, earlier = task
    return answer(question, known.get(question.federation, base), earlier, _follow(out))


def _work(task: Task, known: _Federations, out: BinaryIO) -> tuple[str, Any]:
    """Do one task; what goes wrong on purpose is an answer as well."""
    try:
        return "done", _do(task, known, out)
    except MemoryError:
        return "failed", {"kind": "refused", "problems": ["this needs more memory than the page may take"]}
    except fp.FedpactError as error:
        return "failed", _say_failure(error)


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
    known = _Federations()
    write_message(out, ("ready", None))
    while True:
        write_message(out, _work(tasks.get(), known, out))
