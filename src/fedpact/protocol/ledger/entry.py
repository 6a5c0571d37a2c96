"""One entry of a ledger: something that happened in a run, tied to everything before it.

An entry's hash is the SHA-256 of the canonical JSON of all its other fields, and one of these is the hash of the
entry before. Who changes, drops, swaps or inserts an entry changes every hash after it; who knows the newest hash
knows them all. The time is given by the caller, so a simulated clock makes the same ledger every time.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from fedpact.errors import BrokenLedgerError, LedgerError, MessageError
from fedpact.protocol.canonical import from_canonical, to_canonical

NOTHING_BEFORE = "0" * 64
MOST_BYTES = 2**28
_HASHED = {"seq": int, "at": float, "run": str, "kind": str, "body": object, "previous": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that happened in a run."""

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

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Entry:
        """Read what :meth:`to_dict` wrote; nothing is checked against the hash."""
        return cls(**entry)


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
    >>> first.content[:34]
    b'{"at":0.0,"body":{"delta":0.05},"k'
    >>> first.hash[:16]
    'ad57b50a80d3aa8c'
    """
    _check_fields(at, run, kind)
    value = {"seq": seq, "at": float(at), "run": run, "kind": kind, "body": body, "previous": previous}
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


def check_row(row: Row, *, seq: int, previous: str | None) -> Entry:
    """Read an entry that must stand at ``seq``, after the entry with hash ``previous`` if that is known.

    Raises
    ------
    BrokenLedgerError
        If it was changed, moved, or anything stands between the two.
    """
    if row.seq != seq:
        is_later = isinstance(row.seq, int) and row.seq > seq
        raise BrokenLedgerError(seq, "is missing" if is_later else f"is preceded by one numbered {row.seq}")
    if not isinstance(row.content, str) or not isinstance(row.hash, str):
        raise BrokenLedgerError(seq, "was changed: its content and its hash are not texts")
    content = row.content.encode()
    if hashlib.sha256(content).hexdigest() != row.hash:
        raise BrokenLedgerError(seq, "was changed: its hash is not that of its content")
    try:
        value = from_canonical(content, most=MOST_BYTES)
    except MessageError as error:
        raise BrokenLedgerError(seq, f"was not written by fedpact: {error}") from None
    _check_value(value, seq, previous)
    return Entry(hash=row.hash, **value)


def _check_value(value: Any, seq: int, previous: str | None) -> None:
    if not isinstance(value, dict) or value.keys() != _HASHED.keys():
        raise BrokenLedgerError(seq, f"was not written by fedpact: it must have just {', '.join(_HASHED)}")
    for name, kind in _HASHED.items():
        if kind is not object and type(value[name]) is not kind:
            raise BrokenLedgerError(seq, f"was not written by fedpact: its {name} is {value[name]!r}")
    if value["seq"] != seq:
        raise BrokenLedgerError(seq, f"was moved: it was written as entry {value['seq']}")
    if previous is not None and value["previous"] != previous:
        raise BrokenLedgerError(seq, "does not follow the entry before it: one of the two was replaced")


def check_chain(rows: Iterable[Row], *, seq: int = 1, previous: str = NOTHING_BEFORE) -> Iterator[Entry]:
    """Read entries that must follow each other, the first at ``seq`` after the hash ``previous``."""
    for at, row in enumerate(rows, start=seq):
        entry = check_row(row, seq=at, previous=previous)
        previous = entry.hash
        yield entry
