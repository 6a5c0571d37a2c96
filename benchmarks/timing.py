"""How things are timed: fresh input before the clock starts, medians, and ours and theirs in turns.

pytest-benchmark times one thing at a time; a ratio wants both under the same weather.
"""

from __future__ import annotations

import contextlib
import signal
import statistics
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple

SLOW = 5.0
"""Seconds from which a run is not repeated."""


class Work(NamedTuple):
    """What is timed is ``call(prepare())``, without the preparation."""

    call: Callable[[Any], Any]
    prepare: Callable[[], Any] = lambda: None


class Timed(NamedTuple):
    """Median seconds of some runs, and the last answer."""

    seconds: float
    answer: Any


def run_once(work: Work) -> Timed:
    """Time one run on fresh input."""
    given = work.prepare()
    start = time.perf_counter()
    answer = work.call(given)
    return Timed(time.perf_counter() - start, answer)


def _is_enough(runs: list[Timed], times: int) -> bool:
    return len(runs) >= times or sum(run.seconds for run in runs) >= SLOW


def _take_median(runs: list[Timed]) -> Timed:
    return Timed(statistics.median(run.seconds for run in runs), runs[-1].answer)


def in_turns(*works: Work, times: int = 5) -> list[Timed]:
    """Time all in turns, so that whatever else the machine does meets all; slow ones are run less often."""
    runs: list[list[Timed]] = [[] for _ in works]
    for _ in range(times):
        for work, own in zip(works, runs, strict=True):
            if not _is_enough(own, times):
                own.append(run_once(work))
    return [_take_median(own) for own in runs]


def repeat(work: Work, times: int = 5) -> Timed:
    """Time one."""
    return in_turns(work, times=times)[0]


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what has not come to its end by then."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
