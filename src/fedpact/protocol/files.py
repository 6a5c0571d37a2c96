"""Files of a run: there whole or not at all, private where they hold keys, and found again in a copy of its home.

Whatever dies while a file is written, none is ever half there. Keys are private from the moment they exist and
never overwritten. Paths that the home of a run keeps are relative to it for what is in it, so that a copy uses its
own files.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from fedpact.describe.parsing import one_line
from fedpact.errors import FedpactError, ProtocolError
from fedpact.formats import check_format

try:
    import fcntl
except ImportError:  # pragma: no cover, not on Windows
    fcntl = None  # type: ignore[assignment]

OF_RUN = Path("operator", "run.json")
PRIVATE, PUBLIC = 0o600, 0o644
_OTHERS = 0o077
_MOST = 1 << 16
T = TypeVar("T")


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


def keep_path(home: Path, path: Path) -> str:
    """Write a path as it is kept: relative to the home if it is in it, else absolute.

    Examples
    --------
    >>> keep_path(Path("/runs/x"), Path("/runs/x/ledger.db")), keep_path(Path("/runs/x"), Path("/books/x.db"))
    ('ledger.db', '/books/x.db')
    """
    own, placed = home.resolve(), path.parent.resolve() / path.name
    return str(placed.relative_to(own) if placed.is_relative_to(own) else placed)


def read_kept(path: Path, known: int, what: str) -> dict[str, Any]:
    """Read a table that was kept as JSON, in plain values.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ProtocolError
        If it cannot be read, or is of another format.
    """
    try:
        kept = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise ProtocolError(one_line(f"{path}: the {what} cannot be read: {error}")) from None
    if not isinstance(kept, dict):
        raise ProtocolError(one_line(f"{path}: the {what} cannot be read: not a table"))
    check_format(kept.get("format"), known, what, str(path), ProtocolError)
    return kept


def write_new(path: str | PathLike[str], data: bytes, *, mode: int = PRIVATE) -> None:
    """Write a key or certificate to a file that is not there yet; if that fails, it still is not."""
    try:
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except BaseException:
                Path(path).unlink()
                raise
    except FileExistsError:
        raise ProtocolError(one_line(f"{path}: is there already, and keys are never overwritten")) from None
    except (OSError, ValueError) as error:
        raise ProtocolError(one_line(f"{path}: cannot be written: {say_os_error(error)}")) from None


def say_os_error(error: OSError | ValueError) -> str:
    """Say what the system has against a path; one with a null byte is a ValueError."""
    return getattr(error, "strerror", None) or str(error)


def is_there(path: Path) -> bool:
    """Whether something is there that this user can see."""
    try:
        return path.exists()
    except OSError:
        return False


def _read_small(path: Path) -> bytes:
    """Read a file that is no larger than keys and certificates are."""
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise IsADirectoryError
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
        if len(data) <= _MOST:
            return data
        problem = f"larger than any key or certificate; at most {_MOST} bytes are read"
    except FileNotFoundError:
        problem = "no such file; make keys with: fedpact keys make"
    except IsADirectoryError:
        problem = "not a file; a key or certificate is wanted"
    except (OSError, ValueError) as error:
        problem = f"cannot be read: {say_os_error(error)}"
    raise ProtocolError(problem)


def read_as(path: str | PathLike[str], parse: Callable[[bytes], T]) -> T:
    """Read a key or certificate; what is wrong with it is said of the file."""
    try:
        return parse(_read_small(Path(path)))
    except ProtocolError as error:
        raise ProtocolError(one_line(f"{path}: {error}")) from None


def find_open_mode(path: str | PathLike[str]) -> str | None:
    """Return the mode of a private key of this user that others can use; None if nobody else can."""
    if os.name == "nt":
        return None
    state = Path(path).stat()
    if state.st_uid != os.getuid() or not state.st_mode & _OTHERS:
        return None
    return f"{state.st_mode & 0o777:04o}"
