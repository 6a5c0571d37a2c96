"""How a run is shown: live while it goes on, and what came of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

import fedpact as fp
from fedpact.cli.common import console, format_number, make_table, print_table


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAnswer:
    """What came of a run, and what averaging lost in it if that can be told."""

    outcome: fp.protocol.RunOutcome
    gap: fp.training.AveragingGap | None
    place: fp.protocol.RunHome

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return self.outcome.to_dict() | ({} if self.gap is None else {"pooled": _compare(self.gap)})

    def plot(self) -> Any:
        """Draw what each site contributed."""
        return self.outcome.plot()


def _compare(gap: fp.training.AveragingGap) -> dict[str, Any]:
    pooled, averaged = gap.last.pooled, gap.last.averaged
    return {
        "error": {name: None if right is None else 1 - right for name, right in pooled.site_accuracy.items()},
        "accuracy": pooled.accuracy,
        "averaged_accuracy": averaged.accuracy,
        "p_value": gap.p_value,
        "status": gap.status.value,
    }


def find_gap(outcome: fp.protocol.RunOutcome, place: fp.protocol.RunHome) -> fp.training.AveragingGap | None:
    """Compare with pooled training, where all sites, and hence all samples, are on this machine."""
    is_told = outcome.status is fp.protocol.RunStatus.FINISHED and set(place.sites) == set(place.pact.names)
    return fp.protocol.measure_run_gap(place) if is_told and place.pact.training is not None else None


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
            escape(f"gone: {gone.why}" if gone is not None else "; ".join(waits)),
        )
    return table


def print_outcome(found: RunAnswer) -> None:
    """Print what came of a run."""
    outcome, place = found.outcome, found.place
    table = make_table("site", "samples", "paid", "error on held-out", "target", "")
    for name in place.pact.names:
        seen = outcome.evaluation[name]
        table.add_row(
            escape(name),
            str(outcome.contributions[name]),
            _say_money(outcome.payments[name]) if name in outcome.payments else "",
            "" if seen is None else f"{seen['error']:.1%}",
            "" if seen is None else f"{'met' if seen['met'] else 'missed'} ({seen['epsilon']:g})",
            escape(_say_what_happened(outcome, name)),
        )
    print_table(f"{outcome.pact}: run {outcome.run}", table)
    out = console()
    if outcome.hypothesis is not None:
        chosen = f"chosen: {outcome.hypothesis}, on {sum(outcome.contributions.values())} samples"
        out.print(escape(f"{chosen}; paid {_say_money(outcome.deficit)}"), soft_wrap=True)
    for line in _say_doubts(outcome):
        out.print(escape(line), soft_wrap=True)
    if found.gap is not None:
        out.print(escape(_say_gap(found.gap)), soft_wrap=True)
    out.print(escape(f"{outcome.status.value}"), soft_wrap=True)
    check = shlex.join(["fedpact", "ledger", "verify", str(place.folder)])
    out.print(escape(f"ledger: {place.books} (check it: {check})"), soft_wrap=True)


def _say_money(amount: float) -> str:
    """Print an amount; what a sum of shares leaves by rounding is nothing."""
    return format_number(0.0 if abs(amount) < 1e-9 else amount)


def _say_doubts(outcome: fp.protocol.RunOutcome) -> list[str]:
    """Say what an operator should not overlook: no candidate is right, targets are missed, sites are gone."""
    said = []
    if outcome.mistakes:
        said.append(
            f"no candidate is right on all samples: the chosen one is wrong on {outcome.mistakes}; what was "
            "promised assumes that one is (fedpact realizability)"
        )
    missed = [name for name, is_met in outcome.met.items() if is_met is False]
    if missed:
        said.append(f"targets missed on held-out samples: {', '.join(missed)}")
    if outcome.gone:
        said.append(f"without {'; '.join(f'{name} ({why})' for name, why in outcome.gone.items())}")
    return said


def _say_gap(gap: fp.training.AveragingGap) -> str:
    averaged, pooled = (f"{score.accuracy:.1%}" for score in (gap.last.averaged, gap.last.pooled))
    rounds = f"{len(gap.rounds) - 1} round{'' if len(gap.rounds) == 2 else 's'}"
    return f"trained for {rounds}: {averaged} of held-out samples right, pooled {pooled}; {gap.status.value}"


def _say_what_happened(outcome: fp.protocol.RunOutcome, name: str) -> str:
    said = [f"gone at {outcome.gone[name]}"] if name in outcome.gone else []
    return "; ".join([*said, *([f"withheld: {outcome.withheld[name]}"] if name in outcome.withheld else [])])
