"""What a look through a whole ledger found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from fedpact.coded import Coded
from fedpact.result import Result


class LedgerStatus(StrEnum):
    """Whether a ledger is as it was written."""

    INTACT = "intact"
    """Every entry and every byte of the file is as it was written."""
    ENTRIES_INTACT = "entries-intact"
    """Every entry is; bytes outside the entries were not compared."""
    BROKEN = "broken"
    """Nothing from the first broken entry on can be relied on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCheck(Result):
    """Whether a ledger is as it was written."""

    DERIVED: ClassVar = ("is_intact", "status")

    entries: int
    """How many entries, from the first, are as they were written and follow each other."""
    head: str
    """Hash of the last of them; 64 zeros if there is none."""
    broken_at: int | None
    """The first entry that is not; nothing if all are, even if other bytes of the file were changed."""
    why: Coded | None
    """What is wrong."""
    are_bytes_compared: bool
    """Whether every byte of the file is accounted for, those too that no entry shows."""
    why_not_compared: Coded | None
    where: str
    store: str
    """"sqlite", "postgresql" or "export"."""

    @property
    def is_intact(self) -> bool:
        """Whether nothing is wrong."""
        return self.why is None

    @property
    def status(self) -> LedgerStatus:
        """The finding."""
        if not self.is_intact:
            return LedgerStatus.BROKEN
        return LedgerStatus.INTACT if self.are_bytes_compared else LedgerStatus.ENTRIES_INTACT
