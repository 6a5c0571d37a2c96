"""The steps of one ledger as they are written, for everybody who listens.

However many listen, one task looks for new entries, and none when nobody does. The newest steps are kept, so that
who listens reads the ledger only to catch up.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterator

import fedpact as fp
from fedpact.web.models import Standing, StepView
from fedpact.web.read_ledger import (
    MOST_STEPS,
    PATIENCE,
    SLOW,
    Reader,
    read_newest,
    read_on,
    read_standing,
    read_steps,
)

_BETWEEN = 0.2
"""Seconds between two looks at a file."""
_BETWEEN_FAR = 1.0
"""Seconds between two looks at a database, which means a connection each time."""
_KEPT = 1_000


class Feed:
    """A ledger that somebody may listen to.

    Parameters
    ----------
    where
        Path or URL of the ledger.
    reader
        The threads that read it.
    is_there
        Whether there is something to read; if not, that is no trouble until somebody says that there is.
    """

    def __init__(self, where: str, reader: Reader, *, is_there: bool = True) -> None:
        self.where, self.is_there = where, is_there
        self.trouble: str | None = None
        """Why the ledger could not be read the last time."""
        self.change = asyncio.Event()
        self.has_ended = False
        """Whether nobody is to listen any more, because the server ends."""
        self._reader = reader
        self._recent: deque[StepView] = deque(maxlen=_KEPT)
        self.listeners = 0
        self._looking: asyncio.Task[None] | None = None
        self._one_looks, self._one_reads = asyncio.Lock(), asyncio.Lock()
        self._standing: Standing | None = None

    @property
    def length(self) -> int:
        """How many entries are known."""
        return self._recent[-1].seq if self._recent else 0

    def tell(self) -> None:
        """Let everybody look who listens."""
        self.change.set()
        self.change = asyncio.Event()

    def end(self) -> None:
        """Let everybody leave who listens."""
        self.has_ended = True
        self.tell()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Look for new entries meanwhile."""
        self.listeners += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_again_and_again())
        try:
            yield
        finally:
            self.listeners -= 1
            if not self.listeners and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    async def _look_again_and_again(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(_BETWEEN_FAR if "://" in self.where else _BETWEEN)

    async def look(self) -> None:
        """Look for new entries, once."""
        async with self._one_looks:
            while await self._look():
                pass

    async def _look(self) -> bool:
        """Read some more; returns whether there may be more still."""
        if not self.is_there:
            return False
        last = self._recent[-1] if self._recent else None
        begin = self._reader.begin
        pending = begin(read_newest, self.where) if last is None else begin(read_on, self.where, last)
        done, _ = await asyncio.wait([pending], timeout=PATIENCE)
        if not done:
            self._note(SLOW)
        try:
            steps = await pending
        except (fp.FedpactError, OSError) as error:
            self._note(str(error))
            return False
        self._recent.extend(steps)
        if steps or self.trouble is not None:
            self.trouble = None
            self.tell()
        return len(steps) >= MOST_STEPS and last is not None

    def _note(self, trouble: str) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            self.tell()

    async def since(self, after: int) -> list[StepView]:
        """Return known steps after a number, not necessarily all at once.

        Raises
        ------
        LedgerError
            If they have to be read from the ledger again, and cannot be.
        """
        if after >= self.length:
            return []
        if self._recent[0].seq <= after + 1:
            return [step for step in self._recent if step.seq > after]
        return await self._reader.read(read_steps, self.where, after)

    async def standing(self) -> Standing:
        """Return how far the last run is.

        Raises
        ------
        LedgerError
            If the ledger cannot be read.
        """
        if not self.is_there:
            return Standing()
        try:
            async with asyncio.timeout(PATIENCE), self._one_reads:
                self._standing = await self._reader.begin(read_standing, self.where, self._standing)
        except TimeoutError:
            raise fp.errors.LedgerError(SLOW) from None
        return self._standing
