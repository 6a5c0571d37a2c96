"""The page of the soak, from its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from results_pages import table

_WRONG = {
    "silent": "sites that never answer in one step",
    "late": "sites that are slow",
    "garbage": "sites whose answers are changed on their way",
    "failing": "sites that fail now and then",
    "liar": "sites that label nothing and say that every candidate is right",
    "fool": "sites that talk nonsense under their signature",
}
_NOTED = {
    "plans": "plans",
    "gone": "sites given up",
    "refusals": "answers refused by the operator",
    "withheld": "payments withheld",
    "paid": "payments",
}


def _rows(results: Mapping[str, Any]) -> dict[str, int]:
    """List what happened, and how often."""
    counts = {
        f"operators {what}" if what.startswith("killed") else what: times
        for what, times in results["counts"].items()
    }
    wrong = {name: results["wrong"].get(kind, 0) for kind, name in _WRONG.items()}
    noted = {name: results["noted"][kind] for kind, name in _NOTED.items()}
    return {"operators started": results["operators"]} | counts | wrong | noted


def _say_end(results: Mapping[str, Any]) -> list[str]:
    failed, memory = results["failed"], results["memory"]
    ended = ", ".join(f"{count:,} {status.lower()}" for status, count in results["ended"].items())
    stores = ", ".join(f"{count:,} on {store}" for store, count in results["stores"].items())
    held = "every ledger verified, all books added up, nobody was paid twice, and every plan met the targets"
    lines = [f"{len(failed)} runs failed" if failed else held]
    lines += [f"seed {one['seed']}: {one['why']}" for one in failed]
    lines += [
        f"{ended}; ledgers: {stores}; {results['entries']:,} entries",
        f"{results['compared']:,} runs in which no site lied, fell silent or talked nonsense ended as undisturbed",
        f"a run took {results['seconds']['mean']:g} s on average and {results['seconds']['longest']:g} s at most",
    ]
    if memory is not None:
        lines.append(
            f"a process that verified and audited {memory['runs']:,} runs held {memory['warm_mb']:g} MB after the "
            f"first {memory['warm']} and {memory['last_mb']:g} MB at its end"
        )
    return lines


def write_page(results: Mapping[str, Any]) -> str:
    """Write the page in Markdown."""
    versions = ", ".join(f"{package} {number}" for package, number in results["versions"].items())
    rows = ((what, f"{times:,}") for what, times in _rows(results).items())
    ends = "\n".join(f"- {line}" for line in _say_end(results))
    return f"""# Soak

Whole runs of the protocol: the operator is a real process that is killed with -9 and started again with \
`fedpact run --resume` until its run is over, the ledger a real file or database, the sites in trouble.

```
{results["command"]}
```

## {results["runs"]:,} runs, {results["kills"]:,} kills

{table(("what", "times"), rows, 1)}

{ends}

Computed in {results["processor"]:,} s of one processor of {results["cores"]}, with {versions}.
"""
