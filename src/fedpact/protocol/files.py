"""Files of a run: private where they hold keys, and found again in a copy of its home.

Keys are private from the moment they exist and never overwritten. Paths that the home of a run keeps are
relative to it for what is in it, so that a copy uses its own files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from fedpact.describe.parsing import one_line
from fedpact.errors import ProtocolError
from fedpact.formats import check_format

OF_RUN = Path("operator", "run.json")
PRIVATE, PUBLIC = 0o600, 0o644
_OTHERS = 0o077
_MOST = 1 << 16
T = TypeVar("T")


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
