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

from collections.abc import AsyncIterator
from typing import Any

from fastapi.sse import ServerSentEvent

import fedpact as fp
from fedpact.web.run_record import Run


async def follow_run(run: Run, after: int) -> AsyncIterator[ServerSentEvent]:
    """Yield events from the entry after a number on, until the run is over, or reader or server leave."""
    told: dict[str, Any] = {"trouble": {"trouble": None}}
    with run.feed.listening():
        while not run.feed.has_ended:
            change, is_over, condition = run.feed.change, run.is_over, run.condition
            if is_over:
                await run.feed.look()
            trouble = run.feed.trouble
            try:
                while steps := await run.feed.since(after):
                    after = steps[-1].seq
                    for step in steps:
                        yield ServerSentEvent(event="entry", id=str(step.seq), data=step.model_dump())
            except fp.errors.LedgerError as error:
                trouble = str(error)
            stands = {"condition": condition.value, "problems": list(run.problems)}
            news = {"trouble": {"trouble": trouble}, "run": stands, **({"over": stands} if is_over else {})}
            for kind, values in news.items():  # how the run stands comes after the steps that led there
                if told.get(kind) != values:
                    told[kind] = values
                    yield ServerSentEvent(event=kind, data=values)
            if is_over:
                return
            await change.wait()
