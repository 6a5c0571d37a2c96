"""Plan for one large federation in a process of its own: prints seconds and peak memory as JSON.

python benchmarks/scale.py METHOD H K POINTS
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import fedpact as fp
from instances import federation_of, noisy_models


def peak_memory() -> float:
    """Most memory that this program held, in GB; unlike `ru_maxrss` it does not count the one that started it."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1e6


def measure(method: str, H: int, k: int, points: int) -> dict[str, object]:
    """Seconds of describing and planning, and the most memory the process ever held, in GB."""
    predictions = noisy_models(H, k, points)
    start = time.perf_counter()
    found = fp.plan(federation_of(predictions), method)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "gigabytes": peak_memory(), "cost": found.cost, "lower_bound": found.lower_bound}


if __name__ == "__main__":
    method, *sizes = sys.argv[1:]
    print(json.dumps(measure(method, *map(int, sizes))))
