"""A prepared run on Flower: on a deployment of this machine, in Flower's simulation, or on a SuperLink elsewhere.

The operator's process is Flower's; what it does is seen in the ledger, which is followed here, and what sites wait
for in a file beside the operator's (:mod:`fedpact.protocol.flower.waits`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from fedpact.errors import LedgerError, ProtocolError
from fedpact.protocol.drive import Watch
from fedpact.protocol.flower.app_folder import write_app_folder
from fedpact.protocol.flower.local import DeploymentKeys, LocalDeployment, NodeKey
from fedpact.protocol.flower.simulation import simulate
from fedpact.protocol.flower.superlink import FlowerStatus, SuperLinkConnection, insist_on_health, is_healthy
from fedpact.protocol.flower.waits import read_waits
from fedpact.protocol.home import RunHome
from fedpact.protocol.keys.key_set import TLS, read_keys
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.run_state import RunState, RunStatus
from fedpact.protocol.runs import read_state_of

WITHIN = math.inf
"""Seconds that a run may take, whatever its pact allows; every step has its own patience."""
REGISTER_WITHIN = 60.0
_EVERY = 0.5
_ASK_EVERY = 20.0
"""Every question starts one of Flower's own commands."""


def read_state(home: RunHome) -> RunState | None:
    """Return how the run of a home stands; None if it was not begun yet, whatever run came before it."""
    with suppress(LedgerError):
        return read_state_of(home)
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


def _count_entries(home: RunHome) -> int:
    with Ledger.open(home.ledger) as ledger:
        return len(ledger)


def _is_over(home: RunHome, state: RunState, begun_at: int) -> bool:
    """Whether there is nothing to wait for; a run that was stopped before goes on once its operator is there."""
    if state.status is RunStatus.STOPPED:
        return _count_entries(home) > begun_at
    return state.status is RunStatus.FINISHED


def _follow(
    status: Callable[[], FlowerStatus],
    home: RunHome,
    watch: Watch | None,
    *,
    begun_at: int,
    within: float,
    log: Path,
) -> None:
    """Watch the books until the run of a home is over; ask Flower now and then whether its operator still lives.

    ``begun_at`` is how many entries the books had before the operator's process was started.
    """
    until, ask_at = time.monotonic() + within, time.monotonic() + _ASK_EVERY
    while True:
        state = read_state(home)
        if state is not None and watch is not None:
            watch(state, read_waits(home.operator, state))
        if state is not None and _is_over(home, state, begun_at):
            return
        if time.monotonic() > ask_at:
            if status().is_over:
                raise ProtocolError(f"the operator's process on Flower ended before the run did; its log is {log}")
            ask_at = time.monotonic() + _ASK_EVERY
        if time.monotonic() > until:
            raise ProtocolError(f"the run is not over after {within:g} s; resume it later")
        time.sleep(_EVERY)


def _insist_on_sites(home: RunHome) -> None:
    """Refuse to start nodes for sites that are elsewhere: the run would wait for them in vain."""
    if any(name not in home.sites for name in home.pact.names):
        raise ProtocolError(
            "the sites of this run are not on this machine; give the SuperLink that they joined: "
            "--superlink HOST:PORT"
        )


def run_on_local_flower(home: RunHome, *, watch: Watch | None = None, within: float = WITHIN) -> None:
    """Run on a SuperLink and SuperNodes of this machine, with TLS and authentication; all are ended afterwards."""
    _insist_on_sites(home)
    begun_at = _count_entries(home)
    flower = home.folder / "flower"
    app = write_app_folder(flower / "app", {"operator": str(home.operator)})
    nodes = [{"site": str(folder)} for folder in home.sites.values()]
    with LocalDeployment(flower, nodes, keys=deployment_keys(home)) as deployment:
        run = deployment.submit(app)
        _follow(
            lambda: deployment.status(run),
            home,
            watch,
            begun_at=begun_at,
            within=within,
            log=deployment.log_of("superlink"),
        )


def run_in_flower_simulation(home: RunHome, *, watch: Watch | None = None, within: float = WITHIN) -> None:
    """Run in Flower's simulation, whose nodes are Ray's actors."""
    _insist_on_sites(home)
    begun_at = _count_entries(home)
    ended = simulate(
        home.folder / "flower", list(home.sites.values()), {"operator": str(home.operator)}, within=within
    )
    log = home.folder / "flower" / "run.log"
    if ended is FlowerStatus.FAILED:
        raise ProtocolError(f"the simulation failed; its log is {log}")
    state = read_state(home)
    if state is None or not _is_over(home, state, begun_at):
        raise ProtocolError(f"the simulation ended before the run did; its log is {log}")
    if watch is not None:
        watch(state, {})


def _register_all(connection: SuperLinkConnection, keys: Path) -> tuple[str, ...]:
    found = read_keys(keys)
    for folder in found.folders.values():
        connection.register(keys / folder / "supernode.pub")
    return tuple(found.folders)


def register_sites(keys: str | PathLike[str], address: str, *, within: float = REGISTER_WITHIN) -> tuple[str, ...]:
    """Tell a SuperLink which sites may join it; those that may already, still may. Every run does so, too.

    Parameters
    ----------
    keys
        The operator's folder of keys.
    address
        ``HOST:PORT`` of the SuperLink.
    within
        Seconds to wait for a SuperLink that is only starting.

    Returns
    -------
    tuple of str
        Names of the sites.
    """
    folder = Path(keys)
    with TemporaryDirectory(prefix="fedpact-") as home:
        connection = SuperLinkConnection(
            address=address, root_certificates=folder / TLS / "ca.crt", home=Path(home)
        )
        until = time.monotonic() + within
        while not is_healthy(connection) and time.monotonic() < until:
            time.sleep(_EVERY)
        insist_on_health(connection)
        return _register_all(connection, folder)


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
    begun_at = _count_entries(home)
    if has_tls:
        _register_all(connection, home.keys)
    run = connection.submit(write_app_folder(home.folder / "flower" / "app", {"operator": str(home.operator)}))
    _follow(
        lambda: connection.status(run),
        home,
        watch,
        begun_at=begun_at,
        within=within,
        log=home.folder / "flower",
    )
