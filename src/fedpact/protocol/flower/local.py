"""A whole Flower deployment on this machine: one SuperLink and a SuperNode per site, for trying out and for tests.

Everything listens on the loopback address only, on ports that the system gave, in a home of the deployment's own,
and every process is ended on the way out, also when the body fails or the process is told to stop.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.failures import explain
from fedpact.protocol.flower.processes import ProcessGroup
from fedpact.protocol.flower.superlink import (
    FlowerStatus,
    Settings,
    SuperLinkConnection,
    flower_command,
    flower_environment,
    is_healthy,
)

HOST = "127.0.0.1"
REFUSAL = "Exit Code: 305"
NodeSettings = Mapping[str, str | int]
_ENDING = (signal.SIGINT, signal.SIGTERM)


class NodeRefusedError(ProtocolError):
    """The SuperLink did not let a SuperNode in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeKey:
    """A SuperNode's key pair, as files in OpenSSH's format (ECDSA on a NIST curve)."""

    private: Path
    public: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentKeys:
    """The files that make a deployment authentic: TLS for the SuperLink, a key pair for each SuperNode."""

    ca_certificate: Path
    server_certificate: Path
    server_key: Path
    nodes: Sequence[NodeKey]


@dataclass(frozen=True, slots=True)
class _Node:
    settings: NodeSettings
    key: NodeKey | None


class LocalDeployment:
    """A SuperLink and SuperNodes on this machine, as a context manager.

    Parameters
    ----------
    home
        A folder of the deployment's own: Flower's files and one log per process.
    nodes
        The configuration of each SuperNode, e.g. ``{"site": "/path/to/site"}``.
    keys
        Turns on TLS and the authentication of SuperNodes; None is without both, on the loopback address only.
    is_simulation
        Flower simulates the nodes itself, with Ray; ``nodes`` is empty then.
    start_within
        Seconds until everything has to be up.
    environment
        Variables for the processes, beside those of this one and Flower's.
    """

    def __init__(
        self,
        home: Path,
        nodes: Sequence[NodeSettings],
        *,
        keys: DeploymentKeys | None = None,
        is_simulation: bool = False,
        start_within: float = 120.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        if keys is not None and len(keys.nodes) < len(nodes):
            raise ProtocolError(
                f"there are {len(nodes)} nodes and only {len(keys.nodes)} key pairs; make one for each"
            )
        self.home = home.resolve()
        self._keys, self._is_simulation = keys, is_simulation
        self._nodes = [_Node(settings, keys.nodes[i] if keys else None) for i, settings in enumerate(nodes)]
        self._start_within = start_within
        self.home.mkdir(parents=True, exist_ok=True)
        self._processes = ProcessGroup(self.home, {**flower_environment(self.home), **(environment or {})})
        self._superlink: subprocess.Popen[bytes] | None = None
        self._handlers: dict[signal.Signals, Any] = {}
        self.connection = SuperLinkConnection(
            address=f"{HOST}:{free_port()}",
            root_certificates=None if keys is None else keys.ca_certificate,
            home=self.home,
        )

    def __enter__(self) -> Self:
        self._catch_signals()
        try:
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def log_of(self, name: str) -> Path:
        """Where a process writes its log: ``superlink``, ``node0``, ``node1``, ..., ``run``."""
        return self._processes.log_of(name)

    def submit(self, app_folder: Path, *, simulation: Settings | None = None) -> str:
        """Start a run of a Flower project, and return the run's id."""
        return self.connection.submit(app_folder, simulation=simulation)

    def status(self, run: str) -> FlowerStatus:
        """Ask how a run stands."""
        return self.connection.status(run)

    def wait(self, run: str, *, within: float) -> FlowerStatus:
        """Wait until a run is over, with its log in ``run.log``."""
        until = time.monotonic() + within
        follower = self._processes.start("run", self.connection.follow(run))
        while follower.poll() is None and time.monotonic() < until:
            self._check_superlink()
            time.sleep(0.2)
        status = self.status(run)
        while not status.is_over and time.monotonic() < until:
            time.sleep(1.0)
            status = self.status(run)
        if not status.is_over:
            raise ProtocolError(f"run {run} is not over after {within:g} s; its log is {self.log_of('run')}")
        return status

    def add_node(self, settings: NodeSettings, key: NodeKey | None = None, *, is_registered: bool = False) -> int:
        """Let one more SuperNode join, and return its number; its key is registered unless it is said to be."""
        if (key is None) != (self._keys is None):
            raise ProtocolError("a SuperNode has a key exactly if the deployment has keys")
        if key is not None and not is_registered:
            self.connection.register(key.public)
        self._nodes.append(_Node(settings, key))
        self._launch_node(len(self._nodes) - 1)
        self._wait_for_nodes([len(self._nodes) - 1], time.monotonic() + self._start_within)
        return len(self._nodes) - 1

    def start_node(self, index: int) -> None:
        """Start a SuperNode anew, and return when it is connected.

        The SuperLink counts a killed node as connected for up to a minute and refuses its key until then, so a
        refused start is tried again.
        """
        until = time.monotonic() + self._start_within
        self._launch_node(index)
        while not self._has_connected(index, until):
            time.sleep(2.0)
            self._launch_node(index)

    def _has_connected(self, index: int, until: float) -> bool:
        try:
            self._wait_for_nodes([index], until)
        except NodeRefusedError:
            if time.monotonic() > until:
                raise
            return False
        return True

    def kill_node(self, index: int) -> None:
        """Kill a SuperNode and all its processes at once, as a machine that loses power would."""
        self._processes.kill(f"node{index}")

    def pids(self) -> list[int]:
        """Ids of the deployment's living processes."""
        return sorted(self._processes.marked())

    def _start(self) -> None:
        until = time.monotonic() + self._start_within
        self._superlink = self._processes.start("superlink", self._superlink_command())
        self._wait_for_superlink(until)
        for index, node in enumerate(self._nodes):
            if node.key is not None:
                self.connection.register(node.key.public)
            self._launch_node(index)
        self._wait_for_nodes(range(len(self._nodes)), until)

    def _superlink_command(self) -> list[str]:
        port = self.connection.address.rpartition(":")[2]
        command = [flower_command("flower-superlink"), "--host", HOST, "--port", port]
        command += ["--disable-runtime-dependency-installation", "--database", str(self.home / "state.db")]
        command += ["--simulation"] if self._is_simulation else []
        if self._keys is None:
            return [*command, "--insecure"]
        command += ["--ssl-ca-certfile", str(self._keys.ca_certificate.resolve())]
        command += ["--ssl-certfile", str(self._keys.server_certificate.resolve())]
        command += ["--ssl-keyfile", str(self._keys.server_key.resolve())]
        return command if self._is_simulation else [*command, "--enable-supernode-auth"]

    def _launch_node(self, index: int) -> None:
        node = self._nodes[index]
        command = [flower_command("flower-supernode"), "--superlink", self.connection.address]
        command += ["--host", HOST, "--port", str(free_port()), "--node-config", node_config(node.settings)]
        if self._keys is None or node.key is None:
            command += ["--insecure"]
        else:
            command += ["--root-certificates", str(self._keys.ca_certificate.resolve())]
            command += ["--auth-supernode-private-key", str(node.key.private.resolve())]
        self._processes.start(f"node{index}", command)

    def _wait_for_superlink(self, until: float) -> None:
        while not is_healthy(self.connection):
            self._check_superlink()
            if time.monotonic() > until:
                where, log = self.connection.address, self._explain("superlink")
                raise ProtocolError(
                    f"the SuperLink at {where} did not get healthy in {self._start_within:g} s; {log}"
                )
            time.sleep(0.1)

    def _check_superlink(self) -> None:
        if self._superlink is not None and self._superlink.poll() is not None:
            raise ProtocolError(f"the SuperLink at {self.connection.address} ended: {self._explain('superlink')}")

    def _wait_for_nodes(self, indices: Sequence[int], until: float) -> None:
        for index in indices:
            while not self._is_connected(index):
                if time.monotonic() > until:
                    log = self._explain(f"node{index}")
                    raise ProtocolError(
                        f"SuperNode {index} did not connect within {self._start_within:g} s; {log}"
                    )
                time.sleep(0.1)

    def _is_connected(self, index: int) -> bool:
        name = f"node{index}"
        if self._processes.poll(name) is not None:
            kind = NodeRefusedError if REFUSAL in self._processes.new_log(name) else ProtocolError
            raise kind(f"SuperNode {index} ended: {self._explain(name)}")
        return "SuperNode ID:" in self._processes.new_log(name)

    def _explain(self, name: str) -> str:
        return explain(self._processes.new_log(name), self.log_of(name))

    def _catch_signals(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._handlers = {number: signal.getsignal(number) for number in _ENDING}
            signal.signal(signal.SIGTERM, _stop)

    def _end(self) -> None:
        for number in self._handlers:
            signal.signal(number, signal.SIG_IGN)
        self._processes.end()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers = {}


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def node_config(settings: NodeSettings) -> str:
    """Write settings as ``--node-config`` reads them."""
    for key, value in settings.items():
        if "'" in str(value) or "\n" in str(value):
            raise ProtocolError(f"a node's {key} holds no quote and no line break; it is {value!r}")
    return " ".join(
        f"{key}={value}" if isinstance(value, int) else f"{key}='{value}'" for key, value in settings.items()
    )


def free_port() -> int:
    """Ask the system for a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port
