"""``python -m soak [--runs N] [--first SEED] [--write]``, or ``--seed SEED`` for one run alone.

Runs that held are remembered in ``build/soak`` as long as the program is the same, so that a soak that was
interrupted goes on where it stopped. A run that fails leaves its folder there.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import multiprocessing
import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import fedpact as fp
from fedpact.errors import FedpactError
from fedpact.experiments.sweep.source_digest import digest_source
from soak.database import new_database, server
from soak.one_run import make_keys, run_seed
from soak.page import write_page
from soak.stage import METHODS, draw_stage
from soak.sum_up import sum_up

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results" / "soak.json"
_BUILD = ROOT / "build" / "soak"
_EVERY = 20
"""Every so many runs have their ledger in PostgreSQL."""


def _digest() -> str:
    found = hashlib.sha256(digest_source().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _wants_server(seed: int) -> bool:
    """Whether the ledger of a seed's run is in PostgreSQL."""
    return seed % _EVERY == _EVERY - 1


def _run(seed: int, folder: Path, url: str | None) -> dict[str, Any]:
    """Carry out a run in this process; one that fails is an answer too."""
    place, keys = folder / "runs" / str(seed), folder / f"keys-{os.getpid()}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if not keys.exists():
        make_keys(keys)
    is_served = url is not None and _wants_server(seed)
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


def _run_all(seeds: list[int], folder: Path, workers: int) -> Iterator[dict[str, Any]]:
    """Carry out runs in processes that are forked from this one, which has loaded everything."""
    _warm_up()
    forked = multiprocessing.get_context("fork")
    is_served = any(map(_wants_server, seeds))
    with server() if is_served else nullcontext() as url, ProcessPoolExecutor(workers, mp_context=forked) as pool:
        started = [pool.submit(_run, seed, folder, url) for seed in seeds]
        try:
            for done in as_completed(started):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _read_kept(path: Path, seeds: range) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines() if path.exists() else []
    return [answer for answer in map(json.loads, lines) if answer["seed"] in seeds]


def soak(seeds: range, folder: Path, workers: int) -> list[dict[str, Any]]:
    """Carry out the runs of some seeds, those aside that held before."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_digest()}.jsonl"
    answers = _read_kept(path, seeds)
    left = [seed for seed in seeds if seed not in {answer["seed"] for answer in answers}]
    columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, disable=not sys.stderr.isatty()) as bar, path.open("a") as kept:
        task = bar.add_task("runs", total=len(seeds), completed=len(answers))
        for answer in _run_all(left, folder, workers):
            answers.append(answer)
            bar.advance(task)
            if "why" in answer:
                bar.console.print(f"seed {answer['seed']} failed: {answer['why']}", markup=False)
                bar.console.print(f"again, alone: python -m soak --seed {answer['seed']}", markup=False)
            else:
                kept.write(json.dumps(answer) + "\n")
                kept.flush()
    return answers


def main() -> int:
    """Soak, and write down what came of it."""
    parser = argparse.ArgumentParser(prog="soak")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="this run alone, whether it held before or not")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=Path, default=_BUILD, help="where runs are made, and remembered")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.relative_to(ROOT)} and its page")
    given = parser.parse_args()
    if given.seed is not None:
        (answer,) = _run_all([given.seed], given.folder.resolve(), 1)
        print(json.dumps(answer, indent=2))
        return int("why" in answer)
    answers = soak(range(given.first, given.first + given.runs), given.folder.resolve(), given.workers)
    results = sum_up(answers, f"make soak SOAK_RUNS={given.runs}")
    print(
        json.dumps(
            {
                key: results[key]
                for key in ("runs", "kills", "failed", "ended", "compared", "stores", "seconds", "memory")
            }
        )
    )
    if given.write:
        RESULTS.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        RESULTS.with_suffix(".md").write_text(write_page(results), encoding="utf-8")
    return int(bool(results["failed"]))


if __name__ == "__main__":
    sys.exit(main())
