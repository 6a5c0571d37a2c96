"""``python -m fuzz [--seconds N] [--write] [TARGET ...]``: fuzz each target for a time, and sum up.

What was reached is kept in ``build/fuzz`` and is where the next time starts. The figures go to
``docs/results/fuzz.json`` and the page beside it, with ``--write``.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import results_pages
from fuzz.target import MOST_SECONDS, NAMES, load_target, read_found

ROOT = Path(__file__).parents[1]
_BUILD = ROOT / "build" / "fuzz"
_MOST_MB, _HANG = 2048, 60
_LONGEST = 2**16
_DONE = re.compile(r"^#\d+\s+\w+\s+cov: (\d+) ft: (\d+) corp:", re.MULTILINE)
_STAT = re.compile(r"^stat::(\w+):\s+(\d+)", re.MULTILINE)
_RAISED = re.compile(r"^(?:[\w.]+Error|[\w.]+Exception|\w+Warning)\b.*|^.*libFuzzer: .*", re.MULTILINE)


def _write_seeds(name: str, folder: Path) -> int:
    """Write the seeds, and what was once found, where libFuzzer starts from."""
    target = load_target(name)
    found = [target.from_text(one.text) for one in read_found() if one.target == name]
    inputs = [*target.seeds(), *found]
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
    return len(inputs)


def _write_words(name: str, path: Path) -> None:
    """Write the dictionary in libFuzzer's form."""
    words = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in load_target(name).words if word)
    path.write_text("".join(f'"{word}"\n' for word in dict.fromkeys(words)))


def _fuzz(name: str, place: Path, seconds: int) -> str:
    """Let atheris run for a time in a process of its own; returns what it said."""
    options = {
        "max_total_time": seconds,
        "rss_limit_mb": _MOST_MB,
        "timeout": _HANG,
        "max_len": _LONGEST,
        "len_control": 0,
        "dict": place / "words",
        "artifact_prefix": f"{place}/failed-",
        "print_final_stats": 1,
    }
    words = [f"-{option}={value}" for option, value in options.items()]
    command = [sys.executable, "-m", "fuzz.fuzz_one", name, *words, str(place / "corpus"), str(place / "seeds")]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src"), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    shared = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="fedpact-fuzz-", dir=shared) as aside:
        environment = {**os.environ, "PYTHONPATH": paths, "TMPDIR": aside}
        with (place / "log").open("w+", errors="replace") as log:
            subprocess.run(command, stdout=log, stderr=log, cwd=ROOT, env=environment, check=False)
            log.seek(0)
            return log.read()


def _spent() -> float:
    """Seconds of the processor that the processes took that are over."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _count_accepted(name: str, folder: Path) -> int:
    """How many of the inputs that libFuzzer kept a reader accepts."""
    read = load_target(name).read
    return sum(read(path.read_bytes()) for path in folder.iterdir())


def fuzz_target(name: str, seconds: int) -> dict[str, Any]:
    """Fuzz one target, and sum up."""
    place = _BUILD / name
    (place / "corpus").mkdir(parents=True, exist_ok=True)
    for old in place.glob("failed-*"):
        old.unlink()
    seeds = _write_seeds(name, place / "seeds")
    _write_words(name, place / "words")
    began, spent = time.monotonic(), _spent()
    said = _fuzz(name, place, seconds)
    spent, taken, reached, stats = (
        _spent() - spent,
        time.monotonic() - began,
        _DONE.findall(said),
        dict(_STAT.findall(said)),
    )
    failed = sorted(place.glob("failed-*"))
    if not reached or not (stats or failed):
        raise SystemExit(f"{name} could not be fuzzed; see {place / 'log'}:\n{said[-2000:]}")
    raised = _RAISED.findall(said)
    edges, features = map(int, reached[-1])
    return {
        "target": name,
        "about": load_target(name).about,
        "seconds": round(taken, 1),
        "processor": round(spent, 1),
        "executions": int(stats.get("number_of_executed_units", 0)),
        "edges": edges,
        "features": features,
        "seeds": seeds,
        "corpus": len(list((place / "corpus").iterdir())),
        "accepted": 0 if failed else _count_accepted(name, place / "corpus"),
        "slowest": int(stats.get("slowest_unit_time_sec", 0)),
        "peak_mb": int(stats.get("peak_rss_mb", 0)),
        "failures": [f"{path.relative_to(ROOT)}: {(raised or ['?'])[0]}" for path in failed],
    }


def sum_up(targets: list[dict[str, Any]], seconds: int) -> dict[str, Any]:
    """Put everything together that the page is written from."""
    packages = ("atheris", "fedpact", "numpy", "SQLAlchemy", "pyarrow")
    return {
        "command": f"make fuzz FUZZ_SECONDS={seconds}",
        "versions": {"Python": platform.python_version(), **{package: version(package) for package in packages}},
        "cores": os.cpu_count(),
        "most_seconds": MOST_SECONDS,
        "most_mb": _MOST_MB,
        "targets": targets,
        "found": [{key: value for key, value in asdict(one).items() if key != "text"} for one in read_found()],
    }


def _update(new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put what was measured in the place of what was measured before, so that one target can be fuzzed alone."""
    before = results_pages.read("fuzz").get("targets", [])
    by_name = {one["target"]: one for one in [*before, *new]}
    return [by_name[name] for name in NAMES if name in by_name]


def main() -> int:
    """Fuzz, and write down what came of it."""
    parser = argparse.ArgumentParser(prog="fuzz")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--write", action="store_true", help="write docs/results/fuzz.json and its page")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(NAMES))
    given = parser.parse_args()
    found = []
    for name in given.targets or NAMES:
        found.append(fuzz_target(name, given.seconds))
        print({key: value for key, value in found[-1].items() if key != "about"}, flush=True)
    if given.write:
        results_pages.keep("fuzz", sum_up(_update(found), given.seconds))
    for one in found:
        for failure in one["failures"]:
            print(f"{one['target']} fails on {failure}")
            print(f"again: PYTHONPATH=tests python -m fuzz.fuzz_one {one['target']} {failure.split(':')[0]}")
    return int(any(one["failures"] for one in found))


if __name__ == "__main__":
    sys.exit(main())
