"""The operator's Flower app: drives an operator over the grid of a run until the run is over.

The app runs beside the SuperLink. Flower sends the run's configuration to every node, so it names no secret: only
``operator``, the folder on the SuperLink's machine where the operator's pact, keys and ledger are described.

That a site waits for people is in no ledger: it says so again as long as it lasts. The operator's process is not
the one that shows a run, so it keeps what it was told, of its run alone, in ``pending.json`` of its folder.

Use it from any Flower project: ``serverapp = "fedpact.protocol.flower.server_app:app"``.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from pathlib import Path

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp

from fedpact.describe.whole_files import write_whole
from fedpact.errors import ProtocolError
from fedpact.protocol.drive import drive
from fedpact.protocol.flower.transport import FlowerTransport
from fedpact.protocol.home import read_home, read_operator
from fedpact.protocol.operator.run_state import RunState
from fedpact.protocol.site.site import read_hello

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


def _find_folder(context: Context) -> Path:
    """Find the folder that the run's configuration names as ``operator``."""
    folder = context.run_config.get("operator")
    if not isinstance(folder, str) or not folder:
        raise ProtocolError(
            "the run configuration must name the operator's folder, operator = '/path/to/operator'"
        )
    return Path(folder)


app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Drive the operator of the folder that the run's configuration names."""
    folder = _find_folder(context)
    operator = read_operator(read_home(folder.resolve().parent))
    pact = operator.state.pact
    transport = FlowerTransport(
        grid,
        lambda challenge, reply: read_hello(reply, challenge, pact.names, pact.keys),
        tell=lambda why: operator.note(why, time.time()),
    )
    drive(operator, transport, time.time, WaitsWriter(folder))
