"""Where ledgers are kept in the tests: a SQLite file, and a database of its own on a PostgreSQL server."""

import itertools

import pytest

from postgresql import find_programs, running_server


@pytest.fixture(scope="session")
def postgresql():
    """A server for this test process; gives a function that makes a new database and returns its URL."""
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL's initdb is neither on the PATH nor in /usr/lib/postgresql/*/bin")
    numbers = itertools.count()
    with running_server(programs) as url:

        def make():
            import psycopg

            name = f"ledger_{next(numbers)}"
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}")
            return url.rpartition("/")[0] + f"/{name}"

        yield make


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def place(request, tmp_path):
    """Where a ledger can be created."""
    if request.param == "sqlite":
        return str(tmp_path / "run.ledger")
    return request.getfixturevalue("postgresql")()
