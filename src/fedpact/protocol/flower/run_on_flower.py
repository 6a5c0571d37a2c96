"""A prepared run on Flower: on a deployment of this machine, in Flower's simulation, or on a SuperLink elsewhere.

The operator's process is Flower's; what it does is seen in the ledger, which is followed here, and what sites wait
for in a file beside the operator's (:mod:`fedpact.protocol.flower.server_app`).
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from fedpact.errors import LedgerError, ProtocolError
from fedpact.protocol.drive import Watch
from fedpact.protocol.flower.local import deploy
from fedpact.protocol.flower.server_app import read_waits
from fedpact.protocol.flower.superlink import (
    PORT,
    Settings,
    SuperLinkConnection,
    insist_on_health,
    is_healthy,
    read_address,
    write_app,
)
from fedpact.protocol.home import RunHome
from fedpact.protocol.keys.certificates import is_loopback
from fedpact.protocol.keys.key_set import TLS, KeySet, complete_keys
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


def _count_entries(home: RunHome) -> int:
    with Ledger.open(home.ledger) as ledger:
        return len(ledger)


def _is_over(home: RunHome, state: RunState, begun_at: int) -> bool:
    """Whether there is nothing to wait for; a run that was stopped before goes on once its operator is there."""
    if state.status is RunStatus.STOPPED:
        return _count_entries(home) > begun_at
    return state.status is RunStatus.FINISHED


def _carry_out(
    connection: SuperLinkConnection,
    home: RunHome,
    watch: Watch | None,
    within: float,
    *,
    simulated: Sequence[Path] = (),
) -> None:
    """Start the operator on a SuperLink, and watch the books until the run of a home is over.

    Flower is asked now and then whether the operator's process still lives.
    """
    told, apps = {"operator": str(home.operator)}, {}
    if simulated:
        told["sites"] = json.dumps([str(folder.resolve()) for folder in simulated])
        apps = {"clientapp": "fedpact.protocol.flower.client_app:simulated_app"}
    begun_at = _count_entries(home)
    run = connection.submit(
        write_app(connection.home / "app", told, **apps),
        simulation=_resources(len(simulated)) if simulated else None,
    )
    until, ask_at = time.monotonic() + within, time.monotonic() + _ASK_EVERY
    while True:
        has_ended = False
        if time.monotonic() > ask_at:  # asked before the books are read: what it wrote last is in them
            has_ended, ask_at = connection.is_over(run), time.monotonic() + _ASK_EVERY
        state = read_state(home)
        if state is not None and watch is not None:
            watch(state, read_waits(home.operator, state))
        if state is not None and _is_over(home, state, begun_at):
            return
        if has_ended:
            raise ProtocolError(
                f"the operator's process on Flower ended before the run did; its log is in {connection.home}"
            )
        if time.monotonic() > until:
            raise ProtocolError(f"the run is not over after {within:g} s; resume it later")
        time.sleep(_EVERY)


def _resources(nodes: int) -> Settings:
    return {
        "num-supernodes": nodes,
        "client-resources-num-cpus": 1,
        "init-args-num-cpus": max(1, min(nodes, os.cpu_count() or 1)),
    }


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
    folders = complete_keys(home.keys).folders
    nodes = {folder: home.keys / folders[name] for name, folder in home.sites.items()}
    with deploy(home.folder / "flower", nodes, home.keys / TLS) as deployment:
        _carry_out(deployment.connection, home, watch, within)


def run_in_flower_simulation(home: RunHome, *, watch: Watch | None = None, within: float = WITHIN) -> None:
    """Run in Flower's simulation, whose nodes are Ray's actors; Ray's processes are ended with the run."""
    _insist_on_sites(home)
    # Ray's sockets need a short path, and its folder is of no use afterwards.
    with (
        TemporaryDirectory(prefix="fedpact-ray-", ignore_cleanup_errors=True) as scratch,
        deploy(home.folder / "flower", {}, None, environment={"RAY_TMPDIR": scratch}) as deployment,
    ):
        _carry_out(deployment.connection, home, watch, within, simulated=list(home.sites.values()))


def _register_all(connection: SuperLinkConnection, keys: KeySet) -> tuple[str, ...]:
    for folder in keys.folders.values():
        connection.register(Path(keys.folder) / folder / "supernode.pub")
    return tuple(keys.folders)


def _insist_on_own_machine(address: str) -> None:
    if not is_loopback(read_address(address)[0]):
        raise ProtocolError(
            f"runs are started, and sites registered, on the SuperLink's own machine, and {address} is another; "
            f"there it is --superlink 127.0.0.1:{PORT}"
        )


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
    _insist_on_own_machine(address)
    found = complete_keys(keys)
    with TemporaryDirectory(prefix="fedpact-") as home:
        connection = SuperLinkConnection(
            address=address, root_certificates=Path(keys) / TLS / "ca.crt", home=Path(home)
        )
        until = time.monotonic() + within
        while not is_healthy(connection) and time.monotonic() < until:
            time.sleep(_EVERY)
        insist_on_health(connection)
        return _register_all(connection, found)


def run_at_superlink(
    home: RunHome, address: str, *, watch: Watch | None = None, within: float = WITHIN, has_tls: bool = True
) -> None:
    """Run on a SuperLink that is there already, on this machine; its SuperNodes may be anywhere.

    The operator's process is started by the SuperLink, and reads this home: both must see the same files.
    """
    _insist_on_own_machine(address)
    keys = complete_keys(home.keys) if has_tls else None
    connection = SuperLinkConnection(
        address=address,
        root_certificates=home.keys / TLS / "ca.crt" if has_tls else None,
        home=home.folder / "flower",
    )
    insist_on_health(connection)
    if keys is not None:
        _register_all(connection, keys)
    _carry_out(connection, home, watch, within)
