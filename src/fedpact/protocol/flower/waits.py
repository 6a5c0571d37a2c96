"""What sites wait for, from the operator's process to whoever follows a run: ``pending.json`` in its folder.

That a site waits for people is in no ledger: it says so again as long as it lasts. The operator's process on
Flower is not the one that shows a run, so it keeps what it was told in a file, whole, and of its run alone.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path

from fedpact.protocol.operator.run_state import RunState
from fedpact.protocol.whole_files import write_whole

FILE = "pending.json"
LOG = logging.getLogger("flwr")


class WaitsWriter:
    """Writes what sites wait for whenever it has changed; is the ``watch`` of the operator's process."""

    def __init__(self, folder: Path) -> None:
        self._path, self._written = folder / FILE, b""

    def __call__(self, state: RunState, pending: Mapping[str, str]) -> None:
        """Write the file, unless it says the same already; that it cannot be written stops no run."""
        data = json.dumps({"run": state.run, "pending": dict(pending)}, ensure_ascii=False).encode()
        if data == self._written:
            return
        try:
            write_whole(self._path, data)
        except OSError as error:
            LOG.warning("nobody is told what sites wait for: %s: %s", self._path, error)
        self._written = data


def read_waits(folder: Path, state: RunState) -> dict[str, str]:
    """Return what sites wait for, by request: of this run, and of requests that are still open."""
    try:
        kept = json.loads((folder / FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(kept, dict) or kept.get("run") != state.run:
        return {}
    return {ask.request: kept["pending"][ask.request] for ask in state.open if ask.request in kept["pending"]}
