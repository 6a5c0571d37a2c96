"""A Flower deployment on this machine: one SuperLink, and a node per site or Flower's simulation of them.

Everything listens on the loopback address only, on ports that the system gave, in a home of the deployment's own,
and every process is ended on the way out, also when the body fails or the process is told to stop.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.processes import (
    HOST,
    ProcessGroup,
    flower_command,
    flower_environment,
    free_port,
    handling_signals,
)
from fedpact.protocol.flower.superlink import SuperLinkConnection, is_healthy


def superlink_command(address: str, home: Path, tls: Path | None) -> list[str]:
    """Return the command that starts a SuperLink; one without TLS simulates its nodes, and lets none in."""
    command = [flower_command("flower-superlink"), "--host", HOST, "--port", address.rpartition(":")[2]]
    command += ["--disable-runtime-dependency-installation", "--database", str(home / "state.db")]
    if tls is None:
        return [*command, "--simulation", "--insecure"]
    files = {"--ssl-ca-certfile": "ca.crt", "--ssl-certfile": "server.crt", "--ssl-keyfile": "server.key"}
    command += [part for option, name in files.items() for part in (option, str(tls.resolve() / name))]
    return [*command, "--enable-supernode-auth"]


def _has_connected(log: str) -> bool:
    """Tell from what ``fedpact site join --json`` wrote whether the SuperLink has let it in."""
    told = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    return any(one.get("what") == "connected" for one in told)


class LocalDeployment:
    """A SuperLink and nodes of this machine; made by :func:`deploy`.

    Attributes
    ----------
    connection
        How to reach the SuperLink.
    processes
        ``superlink``, ``node0``, ``node1``, ..., each with its log in the deployment's home.
    """

    def __init__(
        self,
        home: Path,
        tls: Path | None,
        start_within: float,
        environment: Mapping[str, str] | None = None,
        *,
        port: int | None = None,
    ) -> None:
        home = home.resolve()
        home.mkdir(parents=True, exist_ok=True)
        self._within, self._tls = start_within, tls
        self.processes = ProcessGroup(home, {**flower_environment(home), **(environment or {})})
        self.connection = SuperLinkConnection(
            address=f"{HOST}:{free_port() if port is None else port}",
            root_certificates=None if tls is None else tls / "ca.crt",
            home=home,
        )

    def start(self) -> None:
        """Start the SuperLink, and return when it is healthy."""
        address = self.connection.address
        self.processes.start("superlink", superlink_command(address, self.connection.home, self._tls))
        self._wait("superlink", f"the SuperLink at {address}", lambda: is_healthy(self.connection))

    def launch_node(self, site: Path, keys: Path) -> int:
        """Start a node that answers for a site's folder, and return its number."""
        number = len(self.processes.started) - 1  # the SuperLink is the first
        command = [sys.executable, "-m", "fedpact", "site", "join", str(site), "--json"]
        command += ["--superlink", self.connection.address, "--keys", str(keys)]
        self.processes.start(f"node{number}", command)
        return number

    def wait_for_node(self, number: int) -> None:
        """Return when a node is connected; say why if it is not."""
        name = f"node{number}"
        self._wait(name, f"node {number}", lambda: _has_connected(self.processes.new_log(name)))

    def _wait(self, name: str, what: str, is_up: Callable[[], bool]) -> None:
        until = time.monotonic() + self._within
        while not is_up():
            if self.processes.started[name].poll() is not None:
                raise ProtocolError(f"{what} ended: {self.processes.explain(name)}")
            if time.monotonic() > until:
                log = self.processes.explain(name)
                raise ProtocolError(f"{what} did not come up within {self._within:g} s; {log}")
            time.sleep(0.1)


def _stop(number: int, frame: object) -> None:
    """Unwind this process like an exception, so that it ends what it started."""
    raise SystemExit(128 + number)


@contextmanager
def deploy(
    home: Path,
    sites: Mapping[Path, Path],
    tls: Path | None,
    *,
    start_within: float = 120.0,
    environment: Mapping[str, str] | None = None,
) -> Iterator[LocalDeployment]:
    """Start a deployment, and end everything of it on the way out.

    Parameters
    ----------
    home
        A folder of the deployment's own: Flower's files and one log per process.
    sites
        The folder of each site, and that of its keys; none for a simulation.
    tls
        The folder of the SuperLink's certificates; None is for a simulation, whose nodes are this machine's.
    start_within
        Seconds until the SuperLink, and then every node, has to be up.
    environment
        Variables for the processes, beside those of this one and Flower's.
    """
    deployment = LocalDeployment(home, tls, start_within, environment)
    for old in deployment.connection.home.glob("state.db*"):  # in which nodes that were killed count as connected
        old.unlink()
    with handling_signals(_stop, "SIGTERM"):
        try:
            deployment.start()
            for keys in sites.values():
                deployment.connection.register(keys / "supernode.pub")
            numbers = [deployment.launch_node(site, keys) for site, keys in sites.items()]
            for number in numbers:
                deployment.wait_for_node(number)
            yield deployment
        finally:
            with handling_signals(signal.SIG_IGN, "SIGINT", "SIGTERM"):
                deployment.processes.end()
