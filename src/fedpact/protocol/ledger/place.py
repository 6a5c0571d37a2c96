"""Where a ledger is kept: a SQLite file by its path, or a database by its SQLAlchemy URL.

Who looks at a ledger that is there may name the home of its run instead: ``operator/run.json`` in it says where. A
file that is kept in the home is found in the folder that was named, also where that is a copy.
"""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import Engine, create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from fedpact import formats
from fedpact.describe.parsing import one_line
from fedpact.errors import LedgerError, MissingExtraError
from fedpact.protocol.files import OF_RUN, read_kept

Where = str | os.PathLike[str]
_STORES = ("sqlite", "postgresql")


def read_place(where: Where) -> URL:
    """Read a path or a URL.

    Examples
    --------
    >>> read_place("run.ledger").render_as_string()
    'sqlite:///run.ledger'
    >>> read_place("postgresql://me@host/pacts").render_as_string()
    'postgresql+psycopg://me@host/pacts'
    """
    text = os.fspath(where)
    if "://" not in text:
        if not text:
            raise LedgerError("a ledger needs a path or a URL; it is empty")
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except ArgumentError:
        raise LedgerError(
            "a ledger's URL must look like postgresql://user@host/database; this one does not"
        ) from None
    if url.get_backend_name() not in _STORES:
        raise LedgerError(f"a ledger is kept in SQLite or PostgreSQL, not in {url.get_backend_name()!r}")
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def find_ledger(where: Where) -> Where:
    """Name the ledger of a run whose home is given; anything but a folder stays as it is."""
    text = os.fspath(where)
    if not text or "://" in text or not Path(text).is_dir():
        return where
    if not (Path(text) / OF_RUN).is_file():
        raise LedgerError(
            one_line(
                f"there is no ledger at {text}: it is a folder, and not the home of a run (no {OF_RUN} in it)"
            )
        )
    return _find_in(Path(text))


def _find_in(home: Path) -> str:
    named = read_kept(home / OF_RUN, formats.HOME, "home").get("ledger")
    if not isinstance(named, str) or not named:
        raise LedgerError(one_line(f"{home / OF_RUN}: does not say where the ledger of the run is"))
    return named if is_address(named) else str(home / named)


def is_address(named: str) -> bool:
    """Whether a ledger is named by anything but the path of a file."""
    return "://" in named or file_of(read_place(named)) is None


def file_of(url: URL) -> Path | None:
    """Name a SQLite database's file; nothing for a server, for memory and for SQLite's own ``file:`` addresses."""
    name = url.database or ":memory:"
    if url.get_backend_name() != "sqlite" or name.startswith((":memory:", "file:")):
        return None
    return Path(name)


def say_place(url: URL) -> str:
    """Name a place in a message: a path as it is, a URL without its password."""
    path = file_of(url)
    return str(path) if path is not None else url.render_as_string(hide_password=True)


def say_ledger(where: Where) -> str:
    """Name a ledger as it may be shown to anybody: a path as it is, a URL without its password.

    Examples
    --------
    >>> say_ledger("postgresql://me:secret@host/pacts")
    'postgresql+psycopg://me:***@host/pacts'
    """
    return say_place(read_place(where))


def make_engine(url: URL) -> Engine:
    """Make an engine; nothing is connected to yet."""
    try:
        return create_engine(url, pool_pre_ping=url.get_backend_name() == "postgresql")
    except ModuleNotFoundError:
        raise MissingExtraError("a ledger in PostgreSQL", extra="postgresql") from None
    except ArgumentError as error:
        raise LedgerError(f"{say_place(url)} cannot be connected to: {error}") from None
