"""Entries that are hashed and chained as they should be, and do not hold what their kind holds.

Only a ledger's keeper can make such entries, by hand. What reads them says so; nothing is made of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fedpact.describe.parsing import one_line
from fedpact.errors import FedpactError, FormatError, LedgerError

MALFORMED = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError)
"""What goes wrong where an entry does not have the form that its kind has."""


@contextmanager
def well_formed(what: str) -> Iterator[None]:
    """Take it for a fault of what is read if reading goes wrong.

    Examples
    --------
    >>> with well_formed("entry 7"):
    ...     {}["site"]
    Traceback (most recent call last):
    ...
    fedpact.errors.LedgerError: entry 7 is malformed: KeyError('site')
    """
    try:
        yield
    except FormatError as error:
        raise LedgerError(one_line(f"{what} is malformed: {error}")) from error
    except FedpactError:
        raise
    except MALFORMED as error:
        raise LedgerError(one_line(f"{what} is malformed: {error!r}")) from error
