"""A prepared run on Flower: on a deployment of this machine, in Flower's simulation, or on a SuperLink elsewhere.

The operator's process is Flower's; what it does is seen in the ledger, which is followed here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

from fedpact.errors import LedgerError, ProtocolError
from fedpact.protocol.drive import Watch
from fedpact.protocol.flower.app_folder import write_app_folder
from fedpact.protocol.flower.local import DeploymentKeys, LocalDeployment, NodeKey
from fedpact.protocol.flower.simulation import simulate
from fedpact.protocol.flower.superlink import FlowerStatus, SuperLinkConnection, insist_on_health
from fedpact.protocol.home import RunHome
from fedpact.protocol.keys.key_set import TLS, read_keys
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.run_state import RunState, RunStatus, replay

WITHIN = math.inf
"""Seconds that a run may take, whatever its pact allows; every step has its own patience."""
_EVERY = 0.5
_ASK_EVERY = 20.0
"""Every question starts one of Flower's own commands."""


def read_state(where: str) -> RunState | None:
    """Return how the last run of a ledger stands; None if there is none yet."""
    try:
        with Ledger.open(where) as ledger:
            last = ledger.last("open")
            return None if last is None else replay(ledger.entries(start=last.seq))
    except LedgerError:
        return None


def deployment_keys(home: RunHome) -> DeploymentKeys:
    """Return the files that make a deployment of a home's sites authentic, in the order of the sites."""
    found, tls = read_keys(home.keys), home.keys / TLS
    folders = [home.keys / found.folders[name] for name in home.sites]
    return DeploymentKeys(
        ca_certificate=tls / "ca.crt",
        server_certificate=tls / "server.crt",
        server_key=tls / "server.key",
        nodes=[NodeKey(private=own / "supernode.key", public=own / "supernode.pub") for own in folders],
    )


def _follow(
    status: Callable[[], FlowerStatus], ledger: str, watch: Watch | None, *, within: float, log: Path
) -> None:
    """Watch a ledger until its run is over; ask Flower now and then whether the operator's process still lives."""
    until, ask_at = time.monotonic() + within, time.monotonic() + _ASK_EVERY
    while True:
        state = read_state(ledger)
        if state is not None and watch is not None:
            watch(state, {})
        if state is not None and state.status is not RunStatus.RUNNING:
            return
        if time.monotonic() > ask_at:
            if status().is_over:
                raise ProtocolError(f"the operator's process on Flower ended before the run did; its log is {log}")
            ask_at = time.monotonic() + _ASK_EVERY
        if time.monotonic() > until:
            raise ProtocolError(f"the run is not over after {within:g} s; resume it later")
        time.sleep(_EVERY)


def run_on_local_flower(home: RunHome, *, watch: Watch | None = None, within: float = WITHIN) -> None:
    """Run on a SuperLink and SuperNodes of this machine, with TLS and authentication; all are ended afterwards."""
    flower = home.folder / "flower"
    app = write_app_folder(flower / "app", {"operator": str(home.operator)})
    nodes = [{"site": str(folder)} for folder in home.sites.values()]
    with LocalDeployment(flower, nodes, keys=deployment_keys(home)) as deployment:
        run = deployment.submit(app)
        _follow(
            lambda: deployment.status(run),
            home.ledger,
            watch,
            within=within,
            log=deployment.log_of("superlink"),
        )


def run_in_flower_simulation(home: RunHome, *, watch: Watch | None = None, within: float = WITHIN) -> None:
    """Run in Flower's simulation, whose nodes are Ray's actors."""
    ended = simulate(
        home.folder / "flower", list(home.sites.values()), {"operator": str(home.operator)}, within=within
    )
    if ended is FlowerStatus.FAILED:
        raise ProtocolError(f"the simulation failed; its log is {home.folder / 'flower' / 'run.log'}")
    state = read_state(home.ledger)
    if state is not None and watch is not None:
        watch(state, {})


def run_at_superlink(
    home: RunHome, address: str, *, watch: Watch | None = None, within: float = WITHIN, has_tls: bool = True
) -> None:
    """Run on a SuperLink that is there already, on this machine; its SuperNodes may be anywhere.

    The operator's process is started by the SuperLink, and reads this home: both must see the same files.
    """
    connection = SuperLinkConnection(
        address=address,
        root_certificates=home.keys / TLS / "ca.crt" if has_tls else None,
        home=home.folder / "flower",
    )
    insist_on_health(connection)
    found = read_keys(home.keys)
    for folder in found.folders.values() if has_tls else ():
        connection.register(home.keys / folder / "supernode.pub")
    run = connection.submit(write_app_folder(home.folder / "flower" / "app", {"operator": str(home.operator)}))
    _follow(lambda: connection.status(run), home.ledger, watch, within=within, log=home.folder / "flower")
