"""How long a user waits before anything happens, in new processes."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

ROUNDS = 15
LIMIT = 0.3
"""Seconds that ``import fedpact`` may take, with the start of Python."""


def time_start(run: Callable[[], object]) -> tuple[float, float]:
    """Median seconds, and seconds of the processor, of what runs a process; a first one warms the caches."""
    taken, used = [], []
    for _ in range(ROUNDS + 1):
        began, before = time.perf_counter(), os.times()
        run()
        after = os.times()
        taken.append(time.perf_counter() - began)
        used.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return statistics.median(taken[1:]), statistics.median(used[1:])
