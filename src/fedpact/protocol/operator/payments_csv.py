"""The payments of a ledger as a table for bookkeeping: one line for every statement of every run.

Times are ISO 8601 in UTC, amounts plain numbers in the unit of the pact's costs; ``amount`` is what the operator
owes the site, negative what it is owed, and ``receipt`` when the site signed for the statement, if it has.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from fedpact.describe.parsing import one_line
from fedpact.errors import LedgerError
from fedpact.protocol.ledger.form import well_formed
from fedpact.protocol.ledger.read import AnyLedger
from fedpact.protocol.operator.money import plain_amount
from fedpact.protocol.operator.statements import Statement, all_statements
from fedpact.protocol.site.spreadsheets import defuse, to_csv
from fedpact.protocol.whole_files import write_whole

_HEAD = ("date", "run", "site", "samples", "cost", "fee", "withheld", "amount", "receipt")
_AMOUNTS = ("labelling", "fee", "withheld", "amount")


def _to_row(found: Statement) -> list[str]:
    body = found.statement
    with well_formed(f"the statement in entry {found.entry}"):
        total = max(abs(body[key]) for key in _AMOUNTS)
        return [
            str(body["issued"]),
            defuse(found.run),
            defuse(found.site),
            str(body["contributed"]),
            *(plain_amount(body[key], total) for key in _AMOUNTS),
            "" if found.receipt is None else str(found.receipt["at"]),
        ]


def export_payments(books: AnyLedger, file: str | PathLike[str], *, force: bool = False) -> int:
    """Write all payments of a ledger to a ``.csv`` file, the whole file or none; returns how many there are.

    Raises
    ------
    LedgerError
        If the file exists and ``force`` is not given, cannot be written, or the ledger is broken.
    """
    target = Path(file)
    if target.suffix.lower() != ".csv":
        raise LedgerError(one_line(f"payments are written as .csv; the file is {str(target)!r}"))
    rows = [_to_row(found) for found in all_statements(books)]
    try:
        write_whole(target, to_csv(_HEAD, rows), force=force)
    except FileExistsError:
        raise LedgerError(
            one_line(f"there is already a file {target}; choose another name, or ask for it to be replaced")
        ) from None
    except OSError as error:
        raise LedgerError(one_line(f"{target} cannot be written: {error.strerror}")) from None
    return len(rows)
