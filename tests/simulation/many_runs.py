"""Many seeds in many processes, with a bar; what held is remembered as long as the program is the same."""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

ROOT = Path(__file__).parents[2]
Answer = dict[str, Any]
"""Of one seed: ``seed``, and ``why`` if it failed, or whatever was counted."""


def read_arguments(name: str, count: int) -> argparse.Namespace:
    """Read the command line of such a program."""
    parser = argparse.ArgumentParser(prog=f"make {name}")
    parser.add_argument("--count", type=int, default=count, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="this one alone, whether it held before or not")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / name, help="where answers are remembered")
    parser.add_argument("--write", action="store_true", help=f"write docs/results/{name}.json and its page")
    return parser.parse_args()


def _digest_program() -> str:
    """Hash everything that an answer depends on."""
    found = hashlib.sha256()
    for folder in (ROOT / "src" / "fedpact", Path(__file__).parent):
        for path in sorted(folder.rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def run_all(seeds: Sequence[int], work: Callable[[int], Answer], workers: int) -> Iterable[Answer]:
    """Yield answers as they come, from processes forked from this one, which has loaded everything."""
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork")) as pool:
        started = [pool.submit(work, seed) for seed in seeds]
        try:
            for done in as_completed(started):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def run_seeds(name: str, given: argparse.Namespace, work: Callable[[int], Answer]) -> list[Answer]:
    """Answer for all seeds that are asked for, those aside that held before; in the order in which they ended."""
    seeds = range(given.first, given.first + given.count)
    given.folder.mkdir(parents=True, exist_ok=True)
    path = given.folder / f"{_digest_program()}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    answers = [answer for answer in map(json.loads, lines) if answer["seed"] in seeds]
    held = {answer["seed"] for answer in answers}
    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, disable=not sys.stderr.isatty()) as bar, path.open("a") as kept:
        task = bar.add_task(name, total=len(seeds), completed=len(held))
        for answer in run_all([seed for seed in seeds if seed not in held], work, given.workers):
            answers.append(answer)
            bar.advance(task)
            if "why" in answer:
                bar.console.print(f"seed {answer['seed']} failed: {answer['why']}", markup=False)
                bar.console.print(f"again, alone: make {name} SEED={answer['seed']}", markup=False)
            else:
                kept.write(json.dumps(answer) + "\n")
                kept.flush()
    return answers


def failures(answers: Iterable[Answer]) -> list[Answer]:
    """Return those that failed, and why."""
    return [{"seed": answer["seed"], "why": answer["why"]} for answer in answers if "why" in answer]


def add_up(answers: Iterable[Mapping[str, Any]], part: str) -> dict[str, int]:
    """Add up one part of all answers, by its keys."""
    total = sum((Counter(answer[part]) for answer in answers), start=Counter[str]())
    return dict(sorted(total.items()))
