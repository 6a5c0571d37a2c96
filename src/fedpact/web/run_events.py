"""A run as server-sent events: every entry of its ledger as it is written, and what becomes of the run.

``entry``
    An entry of the ledger; its number is the event's id, so that a browser that lost its connection goes on there.
``run``
    How the run stands, whenever that changes.
``trouble``
    Why the ledger cannot be read, or null when it can be again.
``over``
    How the run stands, as the last event. Ledgers that are followed have none: they go on until the reader leaves.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

import fedpact as fp
from fedpact.web.library import as_json
from fedpact.web.read_ledger import Step
from fedpact.web.run_record import Condition, Run

HEARTBEAT = 15.0
"""Seconds without an event after which the reader hears that the server is still there."""


def write_event(kind: str, values: Any, number: int | None = None) -> str:
    r"""Write one event.

    Examples
    --------
    >>> write_event("entry", {"seq": 3}, 3)
    'event: entry\nid: 3\ndata: {"seq": 3}\n\n'
    """
    name = "" if number is None else f"id: {number}\n"
    return f"event: {kind}\n{name}data: {as_json(values)}\n\n"


def _write_steps(steps: list[Step]) -> str:
    return "".join(write_event("entry", asdict(step), step.seq) for step in steps)


def _say(condition: Condition, run: Run) -> dict[str, Any]:
    return {"condition": condition.value, "problems": list(run.problems)}


class _Telling:
    """What one reader has been told."""

    def __init__(self, run: Run, after: int) -> None:
        self._run, self._after = run, after
        self._condition: Condition | None = None
        self._trouble: str | None = None

    async def news(self, condition: Condition) -> AsyncIterator[str]:
        """Tell what is new; how the run stands comes after the steps that led there."""
        run = self._run
        trouble = run.feed.trouble
        try:
            while steps := await run.feed.since(self._after):
                yield _write_steps(steps)
                self._after = steps[-1].seq
        except fp.errors.LedgerError as error:
            trouble = str(error)
        if trouble != self._trouble:
            self._trouble = trouble
            yield write_event("trouble", {"trouble": trouble})
        if condition is not self._condition:
            self._condition = condition
            yield write_event("run", _say(condition, run))


async def _wait(change: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(change.wait(), HEARTBEAT)
    except TimeoutError:
        return False
    return True


async def follow_run(run: Run, after: int) -> AsyncIterator[str]:
    """Yield events from the entry after a number on, until the run is over, or reader or server leave."""
    telling = _Telling(run, after)
    with run.feed.listening():
        while not run.feed.has_ended:
            change, is_over, condition = run.feed.change, run.is_over, run.condition
            if is_over:
                await run.feed.look()
            async for event in telling.news(condition):
                yield event
            if is_over:
                yield write_event("over", _say(condition, run))
                return
            if not await _wait(change):
                yield ": still here\n\n"
