"""Everything that reads a ledger's entries, whoever wrote them."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import fedpact as fp


def _write_statements(path: Path, folder: Path) -> None:
    fp.protocol.write_statements(fp.protocol.statements_of(path), folder)


def _show_statements(path: Path) -> None:
    for statement in fp.protocol.statements_of(path):
        str(statement)


def read_all(path: Path, aside: Path) -> None:
    """Audit, replay, state and tabulate a ledger; writes into a folder that is emptied."""
    for read in (
        lambda: fp.protocol.check_books(path),
        lambda: fp.protocol.read_outcome(path),
        lambda: _write_statements(path, aside / "statements"),
        lambda: _show_statements(path),
        lambda: fp.protocol.export_payments(path, aside / "payments.csv"),
    ):
        with contextlib.suppress(fp.FedpactError):
            read()
    shutil.rmtree(aside)
    aside.mkdir()
