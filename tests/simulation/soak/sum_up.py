"""The figures of many runs."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from simulation.many_runs import add_up, failures

_WARM = 20
"""Runs after which a process has loaded what it needs."""


def _measure_growth(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Memory of the process with most runs: after its first ones, and at its end."""
    if not answers:
        return None
    process, _ = Counter(answer["process"] for answer in answers).most_common(1)[0]
    own = [answer["memory_kb"] for answer in answers if answer["process"] == process]
    warm = own[min(_WARM, len(own)) - 1]
    return {
        "runs": len(own),
        "warm": min(_WARM, len(own)),
        "warm_mb": round(warm / 1024, 1),
        "last_mb": round(own[-1] / 1024, 1),
    }


def sum_up(answers: Sequence[Mapping[str, Any]], command: str) -> dict[str, Any]:
    """Add up; ``answers`` are in the order in which the runs ended."""
    good = [answer for answer in answers if "why" not in answer]
    seconds = [answer["seconds"] for answer in good]
    lives = sum(answer["lives"] for answer in good)
    counts = add_up(good, "counts")
    packages = ("fedpact", "SQLAlchemy", "psycopg", "cryptography")
    return {
        "command": command,
        "runs": len(answers),
        "failed": failures(answers),
        "ended": dict(sorted(Counter(answer["status"] for answer in good).items())),
        "compared": sum(answer["compared"] for answer in good),
        "stores": dict(sorted(Counter(answer["store"] for answer in good).items(), reverse=True)),
        "operators": lives,
        "kills": sum(times for what, times in counts.items() if what.startswith("killed")),
        "counts": counts,
        "wrong": add_up(good, "wrong"),
        "entries": sum(answer["entries"] for answer in good),
        "noted": {
            key: sum(answer[key] for answer in good) for key in ("plans", "gone", "refusals", "withheld", "paid")
        },
        "seconds": {
            "mean": round(sum(seconds) / max(len(seconds), 1), 2),
            "longest": round(max(seconds, default=0.0), 1),
        },
        "processor": round(sum(answer["processor"] for answer in good)),
        "memory": _measure_growth(good),
        "versions": {"Python": platform.python_version(), **{package: version(package) for package in packages}},
        "cores": os.cpu_count(),
    }
