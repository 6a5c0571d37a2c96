"""A folder in memory for the files that a target reads, and an eye on files elsewhere."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_OPENED: list[str] | None = None
_PROGRAM = tuple({sys.prefix, sys.base_prefix, str(Path(__file__).parents[1] / "src")})


def new_folder() -> Path:
    """Make an empty folder, in memory if that can be; it is gone when the process ends."""
    in_memory = "TMPDIR" not in os.environ and Path("/dev/shm").is_dir()
    folder = tempfile.mkdtemp(prefix="fedpact-fuzz-", dir="/dev/shm" if in_memory else None)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _note(event: str, args: tuple[object, ...]) -> None:
    if (
        _OPENED is not None
        and event in ("open", "os.listdir", "os.scandir")
        and isinstance(args[0], str | bytes | os.PathLike)
    ):
        _OPENED.append(os.path.realpath(os.fsdecode(args[0])))


@cache
def _watch() -> None:
    sys.addaudithook(_note)


@contextmanager
def nothing_opened_outside(folder: Path) -> Iterator[None]:
    """Raise if a file outside of a folder is opened meanwhile, the program's own aside."""
    global _OPENED
    _watch()
    _OPENED = []
    try:
        yield
    finally:
        opened, _OPENED = _OPENED, None
    inside = (str(folder.resolve()), *_PROGRAM)
    elsewhere = [path for path in opened if not path.startswith(inside)]
    assert not elsewhere, f"opened outside of the folder: {elsewhere[0]!r}"
