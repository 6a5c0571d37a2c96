"""``make soak``: so many runs, each of a seed; ``make soak SEED=3`` carries out one alone.

A run that fails leaves its folder in ``build/soak/runs``.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import fedpact as fp
import results_pages
from fedpact.errors import FedpactError
from simulation.many_runs import read_arguments, run_all, run_seeds
from simulation.soak.database import new_database, server
from simulation.soak.one_run import run_seed
from simulation.soak.stage import METHODS, NAMES, draw_stage
from simulation.soak.sum_up import sum_up

_EVERY = 20
"""Every so many runs have their ledger in PostgreSQL."""
_SHOWN = ("runs", "kills", "failed", "ended", "compared", "stores", "seconds", "memory")


def _run(seed: int, folder: Path, url: str | None) -> dict[str, Any]:
    """Carry out a run in this process; one that fails is an answer too."""
    place, keys = folder / "runs" / str(seed), folder / f"keys-{os.getpid()}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if not keys.exists():
        fp.protocol.make_keys(keys, NAMES)
    is_served = url is not None and seed % _EVERY == _EVERY - 1
    try:
        with new_database(str(url), f"soak-{seed}") if is_served else nullcontext() as ledger:
            return run_seed(seed, place, keys, ledger)
    except (FedpactError, AssertionError, OSError, LookupError, TypeError, ValueError) as error:
        return {"seed": seed, "why": f"{type(error).__name__}: {error}"}


def _warm_up() -> None:
    """Load and compile what every run needs, once for all processes."""
    stage = draw_stage(0)
    for method in METHODS:
        fp.protocol.run(stage.fed, stage.sites(), **{**stage.terms, "method": method})
    gc.freeze()


def main() -> int:
    """Soak, and write down what came of it."""
    given = read_arguments("soak", 1_000)
    given.folder = given.folder.resolve()
    _warm_up()
    with server() as url:
        work = partial(_run, folder=given.folder, url=url)
        if given.seed is not None:
            (answer,) = run_all([given.seed], work, 1)
            print(json.dumps(answer, indent=2))
            return int("why" in answer)
        answers = run_seeds("soak", given, work)
    results = sum_up(answers, f"make soak SOAK_RUNS={given.count}")
    print(json.dumps({key: results[key] for key in _SHOWN}))
    if given.write:
        results_pages.keep("soak", results)
    return int(bool(results["failed"]))


if __name__ == "__main__":
    sys.exit(main())
