"""The protocol in many worlds where everything goes wrong, and whether its invariants hold: ``make faults``.

A world in which an invariant breaks is named, and the others go on; ``make faults SEED=3`` tells the world of one
seed line by line.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections import Counter
from importlib.metadata import version
from typing import Any

import results_pages
from fedpact.drawing import draw_bars
from simulation.many_runs import add_up, failures, read_arguments, run_seeds
from simulation.page import conclude, name_tally
from simulation.simulate_world import FailedSeedError, simulate_world

_BLOCK = 50
_PACKAGES = ("fedpact", "numpy", "SQLAlchemy", "cryptography")


def run_world(seed: int) -> dict[str, Any]:
    """Simulate one world; one that fails is an answer too."""
    began = time.process_time()
    try:
        seen = simulate_world(seed)
    except FailedSeedError as error:
        return {"seed": seed, "why": error.why}
    return {
        "seed": seed,
        "ended": seen.status.name,
        "runs": seen.runs,
        "entries": seen.entries,
        "seconds": seen.seconds,
        "tally": seen.tally,
        "head": seen.head,
        "processor": time.process_time() - began,
    }


def _digest(heads: list[str]) -> str:
    """Hash the last hashes of all ledgers, in blocks."""
    blocks = ("".join(heads[start : start + _BLOCK]) for start in range(0, len(heads), _BLOCK))
    each = (hashlib.sha256(block.encode()).hexdigest() for block in blocks)
    return hashlib.sha256("".join(each).encode()).hexdigest()


def sum_up(answers: list[dict[str, Any]], command: str) -> dict[str, Any]:
    """Add up all worlds."""
    answers = sorted(answers, key=lambda answer: answer["seed"])
    good = [answer for answer in answers if "why" not in answer]
    results = {
        "worlds": len(answers),
        "failed": failures(answers),
        "runs": sum(answer["runs"] for answer in good),
        "ended": dict(sorted(Counter(answer["ended"] for answer in good).items())),
        "entries": sum(answer["entries"] for answer in good),
        "seconds": sum(answer["seconds"] for answer in good),
        "tally": add_up(good, "tally"),
        "digest": _digest([answer["head"] for answer in good]),
    }
    spent = round(sum(answer["processor"] for answer in good))
    versions = {package: version(package) for package in _PACKAGES}
    return {"command": command, "versions": versions, "processor": spent, "results": results}


def _tell(seed: int) -> int:
    """Print what happens in one world, line by line."""
    try:
        seen = simulate_world(seed)
    except FailedSeedError as error:
        print(*error.log, error, sep="\n")
        return 1
    print(*seen.events, sep="\n")
    print(f"seed {seed}: {seen.status}, {seen.runs} runs, {seen.entries} entries, the last {seen.head[:16]}")
    return 0


def main() -> int:
    """Simulate, and write down what came of it."""
    given = read_arguments("faults", 20_000)
    if given.seed is not None:
        return _tell(given.seed)
    found = sum_up(run_seeds("faults", given, run_world), f"make faults WORLDS={given.count}")
    results = found["results"]
    print(*conclude(results), sep="\n")
    if given.write:
        results_pages.keep("faults", found)
        figure = draw_bars(name_tally(results), title=f"{results['worlds']:,} worlds", axis="times")
        figure.savefig(results_pages.RESULTS / "faults.svg", metadata={"Date": None})
    return int(bool(results["failed"]))


if __name__ == "__main__":
    sys.exit(main())
