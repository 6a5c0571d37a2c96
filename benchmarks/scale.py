"""Plan for one large federation in a process of its own: prints seconds and peak memory as JSON.

python benchmarks/scale.py METHOD H K POINTS
"""

from __future__ import annotations

import json
import resource
import sys
import time

import fedpact as fp
from instances import federation_of, noisy_models


def measure(method: str, H: int, k: int, points: int) -> dict[str, object]:
    """Seconds of describing and planning, and the most memory the process ever held, in GB."""
    predictions = noisy_models(H, k, points)
    start = time.perf_counter()
    found = fp.plan(federation_of(predictions), method)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"seconds": seconds, "gigabytes": peak, "cost": found.cost, "lower_bound": found.lower_bound}


if __name__ == "__main__":
    method, *sizes = sys.argv[1:]
    print(json.dumps(measure(method, *map(int, sizes))))
