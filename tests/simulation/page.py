"""The page of many simulated worlds, from its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from results_pages import table

PASSED = "every invariant held after every step of every world"
FAILED = "an invariant broke: to see how, make faults SEED=..."
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


def name_tally(results: Mapping[str, Any]) -> dict[str, int]:
    """Return how often everything went wrong, and what came of it."""
    return {name: results["tally"].get(key, 0) for key, name in _NAMES.items()}


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say whether every invariant held, and in which worlds one did not."""
    ended = ", ".join(f"{count:,} {status.lower()}" for status, count in results["ended"].items())
    return [
        FAILED if results["failed"] else PASSED,
        *(f"seed {one['seed']}: {one['why']}" for one in results["failed"]),
        f"{results['entries']:,} entries of ledgers; the last run of each world: {ended or 'none'}",
        f"the last hashes of all ledgers together: {results['digest']}",
    ]


def write_page(found: Mapping[str, Any]) -> str:
    """Write the page in Markdown."""
    results = found["results"]
    days, conclusions = results["seconds"] / _DAY, "\n".join(f"- {line}" for line in conclude(results))
    versions = ", ".join(f"{package} {number}" for package, number in found["versions"].items())
    return f"""# Faults

The protocol in worlds with crashes, losses, liars and worse: whether its rules hold after every step.

```
{found["command"]}
```

![faults](faults.svg)

## {results["worlds"]:,} worlds, {results["runs"]:,} runs, {days:,.1f} simulated days

{table(("what", "times"), ((name, f"{times:,}") for name, times in name_tally(results).items()), 1)}

{conclusions}

Computed in {found["processor"]:,} s of one processor, with {versions}.
"""
