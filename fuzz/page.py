"""The page of what was fuzzed, from its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from results_pages import table

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


def _row(one: Mapping[str, Any]) -> list[str]:
    counts = ("executions", "edges", "features", "corpus", "accepted", "slowest", "peak_mb")
    return [_name(one), *(f"{one[key]:,}" for key in counts), f"{len(one['failures'])}"]


def _name(one: Mapping[str, Any]) -> str:
    return str(one["target"].replace("_", " "))


def write_page(results: Mapping[str, Any]) -> str:
    """Write the page in Markdown."""
    targets, found = results["targets"], results["found"]
    inputs, seconds = sum(one["executions"] for one in targets), sum(one["processor"] for one in targets)
    failures = "\n".join(f"- {one['target']}: {what}" for one in targets for what in one["failures"])
    abouts = "\n".join(f"- {_name(one)}: {one['about']}" for one in targets)
    mended = "\n".join(f"- {_name(one)}: {one['what']}" for one in found)
    versions = ", ".join(f"{package} {version}" for package, version in results["versions"].items())
    return f"""# Fuzz

Whatever bytes a reader is given, it answers or refuses with an error of fedpact's: no other exception, at most \
{results["most_seconds"]:g} s of the processor and {results["most_mb"]:,} MB of memory, no file outside of a \
confined folder. What it accepts is the same after it was written and read again.

```
{results["command"]}
```

## {inputs:,} inputs in {seconds:,.0f} s of one processor

{table(_HEAD, map(_row, targets), 1)}

{abouts}

{failures or "No reader failed."}

## Found before, and mended: {len(found)}

{mended}

Edges and features are libFuzzer's counts of what was reached in fedpact's own code, without compiled loops, \
and in Python's reader of TOML. Half of the inputs are changed byte by byte, half by their meaning, with \
checksums, hashes and signatures made good again.

With {versions}.
"""
