"""Fuzz one target with atheris: ``python -m fuzz.fuzz_one TARGET [libFuzzer's options] [CORPUS | INPUT]``."""

from __future__ import annotations

import random
import signal
import sys
from typing import Any

import atheris

from fuzz.target import MOST_SECONDS, Unreadable, load_target

_INSTRUMENTED = ["fedpact", "tomllib"]
_COMPILED = [
    "fedpact.describe.progress",
    "fedpact.describe.condensed",
    "fedpact.selection.bets",
    "fedpact.selection.shared_truth",
    "fedpact.selection.site_regret",
    "fedpact.statistics.kernels",
]
"""numba cannot compile what is instrumented."""


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {MOST_SECONDS} s of the processor for one input")


def main(name: str, arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends the process."""
    with atheris.instrument_imports(include=_INSTRUMENTED, exclude=_COMPILED):
        target = load_target(name)
        for seed in target.seeds():  # imports what is imported late
            target.read(seed)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < 0.5:
            try:
                changed = target.mutate(data, rng)
            except (Unreadable, ArithmeticError, LookupError, TypeError, ValueError):  # a poor change is none
                changed = b""
            if 0 < len(changed) <= most:
                return changed
        return bytes(atheris.Mutate(data, most))

    def read(data: bytes) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
        try:
            target.read(data)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    signal.signal(signal.SIGVTALRM, _too_slow)
    options: dict[str, Any] = {"custom_mutator": mutate}
    atheris.Setup([sys.argv[0], *arguments], read, **options)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
