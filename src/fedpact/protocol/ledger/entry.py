"""One entry of a ledger: something that happened in a run, tied to everything before it.

An entry's hash is the SHA-256 of the canonical JSON of all its other fields, and one of these is the hash of the
entry before. Who changes, drops, swaps or inserts an entry changes every hash after it; who knows the newest hash
knows them all. The time is given by the caller, so a simulated clock makes the same ledger every time.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from fedpact import formats
from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.errors import BrokenLedgerError, FedpactError, FormatError, LedgerError, MessageError
from fedpact.formats import check_format
from fedpact.protocol.canonical import from_canonical, to_canonical

NOTHING_BEFORE = "0" * 64
MOST_BYTES = 2**28
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError)
"""What goes wrong where an entry does not have the form that its kind has: its keeper made it by hand."""
_HASHED = {"format": int, "seq": int, "at": float, "run": str, "kind": str, "body": object, "previous": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that happened in a run."""

    format: int = formats.LEDGER
    seq: int
    """Place in the ledger, from 1 without gaps."""
    at: float
    """Seconds since the epoch, by the clock of who wrote it."""
    run: str
    kind: str
    body: Any
    """Plain values, as canonical JSON holds them."""
    previous: str
    """Hash of the entry before; 64 zeros for the first."""
    hash: str

    @property
    def content(self) -> bytes:
        """The bytes that are hashed: canonical JSON of every field but the hash."""
        return to_canonical({name: getattr(self, name) for name in _HASHED})

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` and an export hold them."""
        return {name: getattr(self, name) for name in (*_HASHED, "hash")}


class Row(NamedTuple):
    """An entry as a store holds it."""

    seq: int
    content: str
    hash: str

    @classmethod
    def of(cls, entry: Entry) -> Row:
        """Write an entry down."""
        return cls(entry.seq, entry.content.decode(), entry.hash)


def make_entry(*, seq: int, at: float, run: str, kind: str, body: Any, previous: str) -> Entry:
    """Make an entry, with its hash; what it holds is what a reader will get back.

    Examples
    --------
    >>> first = make_entry(seq=1, at=0.0, run="r", kind="pact", body={"delta": 0.05}, previous=NOTHING_BEFORE)
    >>> first.content[:43]
    b'{"at":0.0,"body":{"delta":0.05},"format":1,'
    """
    _check_fields(at, run, kind)
    hashed = {"seq": seq, "at": float(at), "run": run, "kind": kind, "body": body, "previous": previous}
    value = {"format": formats.LEDGER, **hashed}
    try:
        content = to_canonical(value)
        kept = from_canonical(content, most=MOST_BYTES)
    except MessageError as error:
        raise LedgerError(f"an entry of kind {kind!r} cannot be written: {error}") from None
    return Entry(hash=hashlib.sha256(content).hexdigest(), **kept)


def _check_fields(at: float, run: str, kind: str) -> None:
    for name, text in (("run", run), ("kind", kind)):
        if not isinstance(text, str) or not text:
            raise LedgerError(f"{name} must be a text that is not empty; it is {text!r}")
    if isinstance(at, bool) or not isinstance(at, int | float) or not math.isfinite(at):
        raise LedgerError(f"at must be a finite number of seconds since the epoch; it is {at!r}")


def check_row(row: Row, *, seq: int, previous: str | None, where: str = "the ledger") -> Entry:
    """Read an entry that must stand at ``seq``, after the entry with hash ``previous`` if that is known.

    Raises
    ------
    BrokenLedgerError
        If it was changed, moved, or anything stands between the two.
    LedgerError
        If it is of another format than this version reads.
    """
    if row.seq != seq:
        is_later = isinstance(row.seq, int) and row.seq > seq
        raise BrokenLedgerError("missing" if is_later else "preceded", seq=seq, found=row.seq)
    if not isinstance(row.content, str) or not isinstance(row.hash, str):
        raise BrokenLedgerError("not-texts", seq=seq)
    content = row.content.encode()
    if hashlib.sha256(content).hexdigest() != row.hash:
        raise BrokenLedgerError("other-hash", seq=seq)
    try:
        value = from_canonical(content, most=MOST_BYTES)
    except MessageError as error:
        raise BrokenLedgerError("not-canonical", seq=seq, detail=str(error)) from None
    _check_value(value, seq, previous, where)
    return Entry(hash=row.hash, **value)


def _check_value(value: Any, seq: int, previous: str | None, where: str) -> None:
    if isinstance(value, dict) and value.keys() | {"format"} == _HASHED.keys():
        check_format(value.get("format"), formats.LEDGER, "ledger", where, LedgerError)
    if not isinstance(value, dict) or value.keys() != _HASHED.keys():
        raise BrokenLedgerError("other-fields", seq=seq, fields=", ".join(_HASHED))
    for name, kind in _HASHED.items():
        if kind is not object and type(value[name]) is not kind:
            raise BrokenLedgerError("other-value", seq=seq, field=name, found=shorten(value[name]))
    if value["seq"] != seq:
        raise BrokenLedgerError("moved", seq=seq, found=value["seq"])
    if previous is not None and value["previous"] != previous:
        raise BrokenLedgerError("replaced", seq=seq)


def check_chain(
    rows: Iterable[Row], *, seq: int = 1, previous: str = NOTHING_BEFORE, where: str = "the ledger"
) -> Iterator[Entry]:
    """Read entries that must follow each other, the first at ``seq`` after the hash ``previous``."""
    for at, row in enumerate(rows, start=seq):
        entry = check_row(row, seq=at, previous=previous, where=where)
        previous = entry.hash
        yield entry


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
