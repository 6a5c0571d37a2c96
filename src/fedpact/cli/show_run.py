"""How a run is shown: live while it goes on, and what came of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

import fedpact as fp
from fedpact.cli.common import explain, make_table, say, show


@contextmanager
def watching(place: fp.protocol.RunHome) -> Iterator[Any]:
    """Show on stderr who has reported, contributed, evaluated and been paid, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    with Live(console=Console(stderr=True), refresh_per_second=4, transient=True) as live:
        yield lambda state, pending: live.update(progress_table(place, state, pending))


def progress_table(place: fp.protocol.RunHome, state: fp.protocol.RunState, pending: Mapping[str, str]) -> Table:
    """Say of every site how far it is, and what it waits for."""
    from fedpact.explain.numbers import format_number
    from fedpact.explain.phrases import say_reason

    table = make_table("site", "reported", "samples", "evaluated", "paid", "", left=2)
    planned = {} if state.plan is None else state.plan.contributions
    for name in place.pact.names:
        gone, own = state.gone.get(name), {ask.request for ask in state.asks.values() if ask.site == name}
        waits = [why for request, why in pending.items() if request in own]
        seen, paid = state.evaluated.get(name), state.payments.get(name)
        table.add_row(
            escape(name),
            "yes" if name in state.reports else "",
            f"{state.contributed.get(name, 0)} of {planned[name]}" if name in planned else "",
            "" if seen is None or not seen.n else f"{seen.mistakes / seen.n:.1%} wrong",
            "" if paid is None else format_number(paid["amount"]),
            escape(say_reason(gone.code, gone.values) if gone is not None else "; ".join(waits)),
        )
    return table


def print_outcome(outcome: fp.protocol.RunOutcome, place: fp.protocol.RunHome) -> None:
    """Print what came of a run."""
    show(explain(outcome))
    check = shlex.join(["fedpact", "ledger", "verify", str(place.folder)])
    say(f"Ledger: {place.books} (check it: {check})")
    if outcome.mistakes:
        say_what_stands(str(place.folder))


def say_what_stands(run: str) -> None:
    """Lead on from a run in which every candidate, also the chosen one, made mistakes."""
    then = shlex.join(["fedpact", "realizability", run])
    say(f"Every candidate was wrong on some sample. How wrong, and how many more labels would settle it: {then}")
