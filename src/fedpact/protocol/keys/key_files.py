"""Files that hold keys: private from the moment they exist, never overwritten, never half there."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from fedpact.describe.parsing import one_line
from fedpact.errors import ProtocolError

PRIVATE = 0o600
PUBLIC = 0o644
_OTHERS = 0o077
_MOST = 1 << 16


def write_new(path: str | PathLike[str], data: bytes, *, mode: int = PRIVATE) -> None:
    """Write a file that is not there yet; if that fails, it still is not."""
    descriptor = _create(path, mode)
    is_whole = False
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        is_whole = True
    except OSError as error:
        raise ProtocolError(one_line(f"{path}: cannot be written: {error.strerror}")) from None
    finally:
        if not is_whole:
            Path(path).unlink(missing_ok=True)


def _create(path: str | PathLike[str], mode: int) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        raise ProtocolError(one_line(f"{path}: is there already, and keys are never overwritten")) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(one_line(f"{path}: cannot be written: {reason}")) from None


def is_there(path: Path) -> bool:
    """Whether something is there that this user can see."""
    try:
        return path.exists()
    except OSError:
        return False


def read_small(path: str | PathLike[str]) -> bytes:
    """Read a file that is no larger than keys and certificates are."""
    try:
        if not Path(path).exists():
            raise ProtocolError(one_line(f"{path}: no such file; make keys with: fedpact keys make"))
        if not Path(path).is_file():
            raise ProtocolError(one_line(f"{path}: not a file; a key or certificate is wanted"))
        with Path(path).open("rb") as file:
            data = file.read(_MOST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(one_line(f"{path}: cannot be read: {reason}")) from None
    if len(data) > _MOST:
        raise ProtocolError(
            one_line(f"{path}: larger than any key or certificate; at most {_MOST} bytes are read")
        )
    return data


def find_open_mode(path: str | PathLike[str]) -> str | None:
    """Return the mode of a private key of this user that others can use; None if nobody else can."""
    if os.name == "nt":
        return None
    state = Path(path).stat()
    if state.st_uid != os.getuid() or not state.st_mode & _OTHERS:
        return None
    return f"{state.st_mode & 0o777:04o}"
