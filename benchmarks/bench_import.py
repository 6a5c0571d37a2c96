"""How long a user waits before anything happens: the package, and the command line's help, in new processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from time_start import LIMIT, time_start


@pytest.mark.parametrize(
    ("what", "words", "at_most"),
    [
        ("import fedpact, from the start of Python", ["-c", "import fedpact"], LIMIT),
        ("fedpact --version", ["-m", "fedpact", "--version"], None),
        ("fedpact --help", ["-m", "fedpact", "--help"], None),
    ],
)
def test_start(what: str, words: list[str], at_most: float | None, record: Callable[..., None]) -> None:
    command = [sys.executable, "-W", "error", *words]
    taken, used = time_start(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
    record(what, unit="s", value=taken, at_most=at_most)
    record(f"{what}, processor time", unit="s", value=used)
