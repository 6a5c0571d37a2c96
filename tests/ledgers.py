"""Ledgers for the tests, and ways to tamper with them behind their back."""

from contextlib import contextmanager

import sqlalchemy as sa
from hypothesis import strategies as st

from fedpact.protocol.ledger.database import write_rows
from fedpact.protocol.ledger.place import make_engine, read_place
from fedpact.protocol.ledger.store import Ledger

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
TRIGGERS = {
    "sqlite": [f"DROP TRIGGER entries_{name}" for name in ("no_update", "no_delete", "in_order")],
    "postgresql": ["DROP TRIGGER entries_no_change ON entries"],
}


def fill(where, count=100, *, run="r"):
    """Create a ledger; every entry differs from the others, some have text beyond ASCII."""
    with Ledger.create(where) as ledger:
        bodies = [("report" if i % 3 else "plan", {"i": i, "text": "é" * (i % 40)}) for i in range(1, count + 1)]
        for number, (kind, body) in enumerate(bodies):
            ledger.append(kind, body, run=run, at=float(number))
        return ledger.head


def write_raw(path, rows):
    """A ledger with just these rows, whatever they are."""
    Ledger.create(path).close()
    engine = make_engine(read_place(path))
    with engine.begin() as connection:
        write_rows(connection, rows)
    engine.dispose()


@contextmanager
def tampering(where):
    """Connect as somebody who may do everything, triggers out of the way."""
    engine = make_engine(read_place(where))
    try:
        with engine.begin() as connection:
            for statement in TRIGGERS[engine.dialect.name]:
                connection.execute(sa.text(statement))
            yield lambda statement, **values: connection.execute(sa.text(statement), values)
    finally:
        engine.dispose()
