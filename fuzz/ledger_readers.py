"""Everything that reads a ledger's entries, whoever wrote them."""

from __future__ import annotations

import shutil
from pathlib import Path

import fedpact as fp


def _try(read: object, *args: object) -> bool:
    try:
        read(*args)  # type: ignore[operator]
    except fp.FedpactError:
        return False
    return True


def _write_statements(path: Path, folder: Path) -> None:
    fp.protocol.write_statements(fp.protocol.statements_of(path), folder)


def read_all(path: Path, aside: Path) -> bool:
    """Audit, replay, state and tabulate a ledger; writes into a folder that is emptied."""
    answers = [
        _try(fp.protocol.check_books, path),
        _try(fp.protocol.read_outcome, path),
        _try(_write_statements, path, aside / "statements"),
        _try(fp.protocol.export_payments, path, aside / "payments.csv"),
    ]
    shutil.rmtree(aside)
    aside.mkdir()
    return any(answers)
