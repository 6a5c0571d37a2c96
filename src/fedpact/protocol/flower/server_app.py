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

from fedpact.coded import Coded, coded
from fedpact.errors import MessageError, ProtocolError
from fedpact.protocol.canonical import from_canonical
from fedpact.protocol.drive import Watch, drive
from fedpact.protocol.flower.transport import FlowerTransport, Identify
from fedpact.protocol.flower.waits import WaitsWriter
from fedpact.protocol.keys.signing import SIGNATURE
from fedpact.protocol.operator.operator import Operator
from fedpact.protocol.operator.reasons import Why
from fedpact.protocol.pact import Pact

_MOST_GREETING = 10_000


def make_server_app(
    make_operator: Callable[[Context], Operator],
    make_identify: Callable[[Context], Identify],
    make_watch: Callable[[Context], Watch] | None = None,
) -> ServerApp:
    """Make the Flower app of an operator.

    Parameters
    ----------
    make_operator
        Gives the operator of a run, from the run's configuration.
    make_identify
        Gives the judge of greetings: ``identify(challenge, reply)`` is the site that replied, or None.
    make_watch
        Gives who is shown how the run stands, and what sites wait for; nobody if it is not given.
    """
    app = ServerApp()

    @app.main()
    def main(grid: Grid, context: Context) -> None:
        operator = make_operator(context)
        transport = FlowerTransport(
            grid,
            make_identify(context),
            doubt=lambda challenge, reply: doubt_greeting(operator.state.pact, challenge, reply),
            tell=lambda why: operator.note(why, time.time()),
        )
        drive(operator, transport, time.time, None if make_watch is None else make_watch(context))

    return app


def doubt_greeting(pact: Pact, challenge: bytes, reply: bytes) -> Coded | None:
    """Say what is wrong with a greeting that is not believed; None if it is nobody's of this pact.

    The SuperLink may serve other federations as well, and their sites are no business of this run's books.
    """
    try:
        value = from_canonical(reply, most=_MOST_GREETING)
    except MessageError:
        return None
    site = value.get("site") if isinstance(value, dict) else None
    if not isinstance(site, str) or site not in pact.names:
        return None
    if value.get("challenge") != challenge.hex():
        return coded(Why.NODE_OTHER_GREETING, site=site)
    return coded(Why.NODE_NOT_SIGNED if value.get(SIGNATURE) is None else Why.NODE_OTHER_KEY, site=site)


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


def _watch_from_context(context: Context) -> Watch:
    return WaitsWriter(operator_folder(context))


app = make_server_app(_operator_from_context, _identify_from_context, _watch_from_context)
