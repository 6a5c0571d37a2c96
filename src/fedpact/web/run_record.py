"""A run as the server knows it, and how it stands."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

import fedpact as fp
from fedpact.web.feed import Feed
from fedpact.web.run_tasks import RunTask


class Condition(StrEnum):
    """How a run stands."""

    PREPARING = "preparing"
    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    """There is no plan as things are."""
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """The server that carried it out ended before it did."""
    FOLLOWED = "followed"
    """Somebody else carries it out."""


_UNDER_WAY = (Condition.PREPARING, Condition.RUNNING)
_LEFT = (Condition.STOPPED, Condition.CANCELLED, Condition.FAILED, Condition.INTERRUPTED)
CONDITION_OF = {
    fp.protocol.RunStatus.FINISHED: Condition.FINISHED,
    fp.protocol.RunStatus.STOPPED: Condition.STOPPED,
    fp.protocol.RunStatus.RUNNING: Condition.INTERRUPTED,
}
"""What a ledger says of a run that nobody carries out any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNote:
    """What a run was started with that its ledger does not say."""

    federation: str
    """Key of the federation."""
    query: str
    """What its address changed, as behind the ``?``."""
    teacher: str | None
    seed: int
    created: float

    @property
    def address(self) -> str:
        """Address of the page that it was started on."""
        query = f"?{self.query}" if self.query else ""
        return f"/federations/{quote(self.federation, safe='')}/run{query}"


@dataclass(eq=False, slots=True, kw_only=True)
class Run:
    """A run, or a ledger that is followed."""

    key: str
    name: str
    """Of the federation, or the ledger's place."""
    feed: Feed
    condition: Condition
    home: Path | None = None
    """Its folder, if it can be carried out here."""
    note: RunNote | None = None
    created: float | None = None
    problems: tuple[str, ...] = ()
    begun: RunTask | None = None
    """What it was started with, until its folder is there."""
    task: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """Address of its page."""
        return f"/runs/{self.key}"

    @property
    def is_under_way(self) -> bool:
        """Whether a process of this server is at work on it."""
        return self.condition in _UNDER_WAY

    @property
    def is_over(self) -> bool:
        """Whether nothing will change unless somebody continues it."""
        return not self.is_under_way and self.condition is not Condition.FOLLOWED

    @property
    def can_continue(self) -> bool:
        """Whether a process can go on where another left it."""
        return self.home is not None and self.condition in _LEFT

    def become(self, condition: Condition, *problems: str) -> None:
        """Change how it stands, and let everybody know who listens."""
        self.condition, self.problems = condition, problems
        self.feed.tell()
