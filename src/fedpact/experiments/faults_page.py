"""The page of :mod:`fedpact.experiments.faults`: table, sentences and figure, from its results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fedpact.drawing.figures import draw_bars
from fedpact.experiments.sweep.experiment import Table

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

PASSED = "every invariant held after every step of every world"
FAILED = "an invariant broke: to see how, fedpact reproduce faults --replay SEED"
_DAY = 86_400
_NAMES = {
    "loss": "messages lost",
    "duplicate": "messages duplicated",
    "late": "messages late",
    "garbage": "messages changed",
    "impersonation": "impersonations",
    "replay": "old messages sent again",
    "refusals": "answers refused by the operator",
    "refused_by_site": "requests refused by sites",
    "server_crash": "crashes of the operator",
    "full_disk": "writes refused by the disk",
    "unknown_write": "writes of unknown outcome",
    "zombie": "operators thought dead",
    "clock": "steps of the clock",
    "resumes": "resumes",
    "site_crash": "crashes of sites",
    "death": "of these, for good",
    "folly": "nonsense under a signature",
    "gone": "sites given up",
    "plans": "plans",
    "stops": "stops for lack of a plan",
    "withheld": "payments withheld",
    "paid": "payments",
}


def _name_tally(results: Mapping[str, Any]) -> dict[str, int]:
    return {name: results["tally"].get(key, 0) for key, name in _NAMES.items()}


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show how often everything went wrong, and what came of it."""
    days = results["seconds"] / _DAY
    title = f"{results['worlds']:,} worlds, {results['runs']:,} runs, {days:,.1f} simulated days"
    rows = [(name, f"{times:,}") for name, times in _name_tally(results).items()]
    return [Table(title, ("what", "times"), rows)]


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say whether every invariant held, and in which worlds one did not."""
    failed = results["failed"]
    ended = ", ".join(f"{count:,} {status.lower()}" for status, count in results["ended"].items())
    return [
        FAILED if failed else PASSED,
        *(f"seed {one['seed']}: {one['why']}" for one in failed),
        f"{results['entries']:,} entries of ledgers; the last run of each world: {ended or 'none'}",
        f"the last hashes of all ledgers together: {results['digest']}",
    ]


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw how often everything happened."""
    return draw_bars(_name_tally(results), title=f"{results['worlds']:,} worlds", axis="times")
