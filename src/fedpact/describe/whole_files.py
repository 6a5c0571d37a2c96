"""Files that are there whole or not at all, also where several programs write at once.

Whatever dies while a file is written, none is ever half there.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from fedpact.describe.parsing import one_line
from fedpact.errors import FedpactError

try:
    import fcntl
except ImportError:  # pragma: no cover, not on Windows
    fcntl = None  # type: ignore[assignment]


def write_whole(path: Path, data: bytes | Iterable[bytes], *, force: bool = True) -> None:
    """Write a file, whole or piece by piece, beside its place, flush it to the disk, then put it there.

    Raises
    ------
    FileExistsError
        If something is there already and ``force`` is not given.
    OSError
        If it cannot be written; then nothing has changed.
    """
    aside = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        with aside.open("xb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        if force:
            aside.replace(path)
        else:
            path.hardlink_to(aside)
        _flush_folder(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def write_for_people(
    path: Path,
    data: bytes | Iterable[bytes],
    *,
    kind: type[FedpactError],
    force: bool = True,
    there: str = "",
    unless_same: bool = False,
) -> None:
    """Write a whole file that somebody has asked for; what is in the way is an error of ``kind``, in one line.

    ``there`` is what to say, and to do, if something is there already and ``force`` is not given; with
    ``unless_same`` it may be the same.
    """
    try:
        if unless_same and path.exists() and path.read_bytes() == data:
            return
        write_whole(path, data, force=force)
    except FileExistsError:
        raise kind(one_line(there)) from None
    except OSError as error:
        raise kind(one_line(f"{path}: cannot be written: {error.strerror}")) from None


def make_folder(folder: Path, kind: type[FedpactError], rule: str) -> Path:
    """Make a folder unless it is there; what is in the way is an error of ``kind``, with a rule what to do."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise kind(one_line(f"{folder}: {error.strerror}; {rule}")) from None
    return folder


def _flush_folder(folder: Path) -> None:
    """Flush a file's name too: after a power cut a folder may know the old file only."""
    if os.name != "posix":  # pragma: no cover
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some file systems cannot
            os.fsync(opened)
    finally:
        os.close(opened)


@contextlib.contextmanager
def alone_at(path: Path, *, waits: bool = True) -> Iterator[None]:
    """Let threads and processes that do this at once do it one after the other; on Windows nobody waits.

    The file is made, and stays; whoever dies lets the next one go on.

    Raises
    ------
    BlockingIOError
        If somebody else is there, and it is not waited for.
    """
    if fcntl is None:  # pragma: no cover
        yield
        return
    with path.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
