"""The operator's Flower app: drives an operator over the grid of a run until the run is over.

The app runs beside the SuperLink. Flower sends the run's configuration to every node, so it names no secret: only
``operator``, the folder on the SuperLink's machine where the operator's pact, keys and ledger are described.

Use it from any Flower project: ``serverapp = "fedpact.protocol.flower.server_app:app"``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp

from fedpact.errors import ProtocolError
from fedpact.protocol.drive import drive
from fedpact.protocol.flower.transport import FlowerTransport, Identify
from fedpact.protocol.operator.operator import Operator


def make_server_app(
    make_operator: Callable[[Context], Operator], make_identify: Callable[[Context], Identify]
) -> ServerApp:
    """Make the Flower app of an operator.

    Parameters
    ----------
    make_operator
        Gives the operator of a run, from the run's configuration.
    make_identify
        Gives the judge of greetings: ``identify(challenge, reply)`` is the site that replied, or None.
    """
    app = ServerApp()

    @app.main()
    def main(grid: Grid, context: Context) -> None:
        drive(make_operator(context), FlowerTransport(grid, make_identify(context)), time.time)

    return app


def operator_folder(context: Context) -> Path:
    """Find the folder that the run's configuration names as ``operator``."""
    folder = context.run_config.get("operator")
    if not isinstance(folder, str) or not folder:
        raise ProtocolError(
            "the run configuration must name the operator's folder, operator = '/path/to/operator'"
        )
    return Path(folder)


def _operator_from_context(context: Context) -> Operator:
    from fedpact.protocol.operator.operator_files import read_operator

    operator: Operator = read_operator(operator_folder(context))
    return operator


def _identify_from_context(context: Context) -> Identify:
    from fedpact.protocol.operator.operator_files import read_identify

    identify: Identify = read_identify(operator_folder(context))
    return identify


app = make_server_app(_operator_from_context, _identify_from_context)
