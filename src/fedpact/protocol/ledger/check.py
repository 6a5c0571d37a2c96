"""What a look through a whole ledger found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable


class LedgerStatus(Enum):
    """Whether a ledger is as it was written, in words a user can act on."""

    INTACT = "every entry and every byte of the file is as it was written"
    ENTRIES_INTACT = "every entry is as it was written; bytes outside the entries were not compared"
    BROKEN = "the ledger is not as it was written: nothing in it from the first broken entry on can be relied on"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCheck(Shows):
    """Whether a ledger is as it was written."""

    entries: int
    """How many entries, from the first, are as they were written and follow each other."""
    head: str
    """Hash of the last of them; 64 zeros if there is none."""
    broken_at: int | None
    """The first entry that is not; nothing if all are, even if other bytes of the file were changed."""
    why: str | None
    """What is wrong."""
    are_bytes_compared: bool
    """Whether every byte of the file is accounted for, those too that no entry shows."""
    why_not_compared: str | None
    where: str
    store: str
    """"sqlite", "postgresql" or "export"."""

    @property
    def is_intact(self) -> bool:
        """Whether nothing is wrong."""
        return self.why is None

    @property
    def status(self) -> LedgerStatus:
        """The finding in words."""
        if not self.is_intact:
            return LedgerStatus.BROKEN
        return LedgerStatus.INTACT if self.are_bytes_compared else LedgerStatus.ENTRIES_INTACT

    def shown(self) -> ShownTable:
        """Show how far the ledger is intact."""
        return ShownTable(
            title=f"Ledger {self.where}",
            status=self.status.value,
            columns=[("store", str), ("entries", int), ("head", str), ("broken_at", int), ("why", str)],
            rows=[(self.store, self.entries, self.head, self.broken_at, self.why)],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "entries": self.entries,
            "head": self.head,
            "is_intact": self.is_intact,
            "broken_at": self.broken_at,
            "why": self.why,
            "are_bytes_compared": self.are_bytes_compared,
            "why_not_compared": self.why_not_compared,
            "status": self.status.value,
            "where": self.where,
            "store": self.store,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> LedgerCheck:
        """Read what :meth:`to_dict` wrote."""
        return cls(**{key: value for key, value in entry.items() if key not in ("is_intact", "status")})
