"""What a Flower process wrote before it gave up, in one line that says what to do."""

from __future__ import annotations

import re
from pathlib import Path

_KNOWN = (
    ("address already in use", "its port is in use; end the program that listens there, or give another port"),
    ("certificate has expired", "the TLS certificate has expired; make a new one"),
    ("certificate verify failed", "the TLS certificate is not trusted; give the root certificate that signed it"),
    (
        "exit code: 305",
        "the SuperLink refuses this node: its key is not registered, or counts as connected for a minute still; "
        "ask the operator to start the run first, which registers this node, and try again",
    ),
    ("exit code: 600", "Flower takes no such address; --superlink must be HOST:PORT, without https://"),
    ("no module named", "a Python module is missing where Flower runs; start it from the venv that has fedpact"),
)


def explain(text: str, log: Path) -> str:
    """Say in one line why a process ended, from what it wrote; names the log for more.

    Examples
    --------
    >>> explain("ERROR: [Errno 98] address already in use", Path("superlink.log"))
    'its port is in use; end the program that listens there, or give another port (log: superlink.log)'
    """
    return f"{_cause(text[-20000:])} (log: {log})"


def _cause(text: str) -> str:
    low = text.lower()
    known = [line for mark, line in _KNOWN if mark in low]
    if known:
        return known[0]
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    return f"it says {lines[-1][:200]!r}" if lines else "it says nothing"
