"""The page of what was fuzzed, from its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = (
    "reader",
    "inputs",
    "edges",
    "features",
    "kept",
    "of these accepted",
    "slowest, s",
    "memory, MB",
    "failures",
)


def _row(one: Mapping[str, Any]) -> str:
    cells = (
        one["target"].replace("_", " "),
        f"{one['executions']:,}",
        f"{one['edges']:,}",
        f"{one['features']:,}",
        f"{one['corpus']:,}",
        f"{one['accepted']:,}",
        f"{one['slowest']}",
        f"{one['peak_mb']:,}",
        f"{len(one['failures'])}",
    )
    return f"| {' | '.join(cells)} |"


def write_page(results: Mapping[str, Any]) -> str:
    """Write the page in Markdown."""
    targets = results["targets"]
    seconds = sum(one["processor"] for one in targets)
    failures = [f"- {one['target']}: {what}" for one in targets for what in one["failures"]]
    versions = ", ".join(f"{package} {version}" for package, version in results["versions"].items())
    lines = [
        "# Fuzz",
        "",
        "Whatever bytes a reader is given, it answers or refuses with an error of fedpact's: no other exception, "
        f"at most {results['most_seconds']:g} s of the processor and {results['most_mb']:,} MB of memory, no file "
        "outside of a confined folder. What it accepts is the same after it was written and read again.",
        "",
        "```",
        results["command"],
        "```",
        "",
        f"## {sum(one['executions'] for one in targets):,} inputs in {seconds:,.0f} s of one processor",
        "",
        f"| {' | '.join(_HEAD)} |",
        f"| :-- | {' | '.join('--:' for _ in _HEAD[1:])} |",
        *map(_row, targets),
        "",
        *(f"- {one['target'].replace('_', ' ')}: {one['about']}" for one in targets),
        "",
        *(failures or ["No reader failed."]),
        "",
        f"## Found before, and mended: {len(results['found'])}",
        "",
        *(f"- {one['target'].replace('_', ' ')}: {one['what']}" for one in results["found"]),
        "",
        "Edges and features are libFuzzer's counts of what was reached in fedpact's own code, without compiled "
        "loops, and in Python's reader of TOML. Half of the inputs are changed byte by byte, half by their "
        "meaning, with checksums, hashes and signatures made good again.",
        "",
        f"With {versions}.",
        "",
    ]
    return "\n".join(lines)
