"""PostgreSQL for some of the runs, if a server can be started here: a database for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from postgresql import find_programs, running_server


@contextmanager
def server() -> Iterator[str | None]:
    """Start a server; gives the URL of its first database, or nothing."""
    programs = find_programs()
    if programs is None:
        yield None
        return
    with running_server(programs) as url:
        yield url


@contextmanager
def new_database(url: str, name: str) -> Iterator[str]:
    """Make a database, and drop it if nothing fails; gives its URL."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}"')  # type: ignore[arg-type]
        connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[arg-type]
    yield f"{url.rpartition('/')[0]}/{name}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')  # type: ignore[arg-type]
