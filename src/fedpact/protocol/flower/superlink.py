"""Talk to a SuperLink: is it there, does it speak TLS, and, by Flower's own command, register, submit and ask.

``flwr`` reads its connections from ``config.toml`` in ``FLWR_HOME``, so every connection here has a home of its
own and never touches the user's. Without TLS anybody on the way reads and changes everything: that is refused for
any host but this one.

What is submitted is a tiny Flower project, one ``pyproject.toml`` that points at fedpact's two apps. Nothing of a
run is code: what differs between runs is the run's configuration, which Flower sends to every node. So nothing
secret may stand in it; it names a folder on the SuperLink's machine.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from fedpact.describe.numbers import shorten
from fedpact.describe.whole_files import write_whole
from fedpact.errors import FederationError, ProtocolError
from fedpact.protocol.flower.processes import flower_command, flower_environment
from fedpact.protocol.keys.certificates import is_loopback

NAME = "fedpact"
PORT = 9093
"""On which a SuperLink behind a gate listens for the operator's own commands, on this machine only."""
COMMAND_WITHIN = 60.0
_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})")
_MOST_PORT = 65535
_IS_REGISTERED = "Public key already in use"
_IN_THE_CLEAR = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTP_RESPONSE")
_APPS = {
    "serverapp": "fedpact.protocol.flower.server_app:app",
    "clientapp": "fedpact.protocol.flower.client_app:app",
}
_IS_OVER = {
    **dict.fromkeys(("pending", "starting", "running"), False),
    **dict.fromkeys(("finished:completed", "finished:stopped", "finished:failed"), True),
}
"""Flower's words for how a run stands, and whether nothing more will happen."""
Settings = Mapping[str, str | int | float | bool]


def read_address(address: str) -> tuple[str, int]:
    """Take an address, ``HOST:PORT``, apart.

    Examples
    --------
    >>> read_address("[::1]:9092")
    ('::1', 9092)
    >>> read_address("localhost")
    Traceback (most recent call last):
    ...
    fedpact.errors.FederationError: --superlink must be HOST:PORT, as in fl.example.org:9092; it is 'localhost'
    """
    found = _ADDRESS.fullmatch(address)
    if found is None or not 1 <= int(found["port"]) <= _MOST_PORT:
        rule = "--superlink must be HOST:PORT, as in fl.example.org:9092"
        raise FederationError(f"{rule}; it is {shorten(address)}")
    return found["host"].strip("[]"), int(found["port"])


@dataclass(frozen=True, slots=True, kw_only=True)
class SuperLinkConnection:
    """How to reach a SuperLink.

    Parameters
    ----------
    address
        ``HOST:PORT``.
    root_certificates
        The certificate that signs the SuperLink's; None is without TLS, and for this machine only.
    home
        A folder of this connection's own, for Flower's files.
    """

    address: str
    root_certificates: Path | None
    home: Path

    def __post_init__(self) -> None:
        read_address(self.address)
        if self.root_certificates is None and not is_loopback(read_address(self.address)[0]):
            rule = "no SuperLink on another machine is reached without TLS"
            raise ProtocolError(f"{rule}; give the root certificates that sign the one of {self.address}")
        if self.root_certificates is not None and not self.root_certificates.is_file():
            raise ProtocolError(f"the root certificates {self.root_certificates} are not a file")

    def register(self, public_key: Path) -> None:
        """Let the SuperNode with this public key take part; one that may already, still may."""
        try:
            self._run("supernode", "register", str(public_key.resolve()), NAME)
        except ProtocolError as error:
            if _IS_REGISTERED not in str(error):
                raise

    def submit(self, app_folder: Path, *, simulation: Settings | None = None) -> str:
        """Start a run of a Flower project, and return the run's id.

        Parameters
        ----------
        app_folder
            The project, with the run's configuration in it; the SuperLink and all nodes get to see it.
        simulation
            For a SuperLink that simulates its nodes: how many, and with what.
        """
        pairs = [f"{key}={json.dumps(value)}" for key, value in (simulation or {}).items()]
        arguments = ["--federation-config", " ".join(pairs)] if pairs else []
        return str(self._ask("run-id", "run", str(app_folder.resolve()), NAME, *arguments))

    def is_over(self, run: str) -> bool:
        """Ask whether nothing more will happen to a run."""
        runs = self._ask("runs", "list", NAME, "--run-id", run)
        try:
            return _IS_OVER[runs[0]["status"]]
        except (LookupError, TypeError):
            raise self._misunderstood("list", run, json.dumps(runs)) from None

    def write_config(self) -> None:
        """Write the connection where Flower's command looks for it."""
        where: dict[str, Any] = {"address": self.address, "insecure": self.root_certificates is None}
        if self.root_certificates is not None:
            where["root-certificates"] = str(self.root_certificates.resolve())
        self.home.mkdir(parents=True, exist_ok=True)
        text = tomli_w.dumps({"superlink": {"default": NAME, NAME: where}})
        write_whole(self.home / "config.toml", text.encode())

    def _ask(self, key: str, *arguments: str) -> Any:
        """Return one value of what Flower's command answers as JSON."""
        printed = self._run(*arguments, "--format", "json")
        try:
            return json.loads(printed[printed.index("{") :])[key]
        except (KeyError, ValueError):
            raise self._misunderstood(arguments[0], arguments[1], printed) from None

    def _misunderstood(self, what: str, about: str, printed: str) -> ProtocolError:
        return ProtocolError(
            f"'flwr {what} {about}' at {self.address} does not say what was asked for: {_reason([printed])}; does "
            f"another process, with another SuperLink, use {self.home} at the same time? Take another home for it"
        )

    def _run(self, *arguments: str) -> str:
        self.write_config()
        what = " ".join(arguments[:2])
        try:
            done = subprocess.run(
                [flower_command("flwr"), *arguments],
                env=flower_environment(self.home),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=COMMAND_WITHIN,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ProtocolError(
                f"'flwr {what}' at {self.address} did not end within {COMMAND_WITHIN:g} s"
            ) from None
        if done.returncode:
            raise ProtocolError(f"'flwr {what}' at {self.address} failed: {_reason([done.stdout, done.stderr])}")
        return done.stdout


def _reason(texts: Sequence[str]) -> str:
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    return " ".join(lines)[-300:] or "it says nothing"


def is_healthy(connection: SuperLinkConnection, *, within: float = 2.0) -> bool:
    """Whether a SuperLink answers; a certificate that is not trusted or not valid is an error, not an answer."""
    (host, port), roots = read_address(connection.address), connection.root_certificates
    client = http.client.HTTPConnection(host, port, timeout=within)
    if roots is not None:
        context = ssl.create_default_context(cafile=str(roots))
        client = http.client.HTTPSConnection(host, port, timeout=within, context=context)
    try:
        with closing(client):
            client.request("GET", "/health")
            return client.getresponse().status == http.client.OK
    except ssl.SSLCertVerificationError as error:
        shown = f"the SuperLink at {connection.address} shows a certificate that is not accepted"
        check = f"check its dates and names, and that {roots} signed it"
        raise ProtocolError(f"{shown} ({error.verify_message}); {check}") from None
    except (OSError, http.client.HTTPException):
        return False


def insist_on_health(connection: SuperLinkConnection) -> None:
    """Raise unless a SuperLink answers."""
    if not is_healthy(connection, within=10.0):
        raise ProtocolError(
            f"no SuperLink answers at {connection.address}; start one there, or check host, port and firewall"
        )


def write_app(folder: Path, run_config: Settings, **apps: str) -> Path:
    """Write the Flower project of a run into a folder of its own, and return the folder.

    ``run_config`` is what the apps are told, and every node gets to see; ``apps`` may name another app,
    ``module:name``, as ``serverapp`` or ``clientapp``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    about = {"name": "fedpact-run", "version": "1.0.0", "description": "Report, plan, contribute, pay"}
    app = {"publisher": "fedpact", "components": {**_APPS, **apps}, "config": dict(run_config)}
    project = {"project": {**about, "license": "MIT", "dependencies": []}, "tool": {"flwr": {"app": app}}}
    write_whole(folder / "pyproject.toml", tomli_w.dumps(project).encode())
    return folder


def say_silence(superlink: str, *, within: float = 5.0) -> str | None:
    """Say why nobody can be reached at an address, or None if somebody listens there."""
    try:
        with socket.create_connection(read_address(superlink), timeout=within):
            return None
    except OSError as error:
        return error.strerror or str(error) or type(error).__name__


def check_line(superlink: str, root_certificates: Path | None, home: Path) -> None:
    """Refuse a SuperLink that listens, but not as this site would speak: with TLS, or without.

    Raises
    ------
    ProtocolError
        If one of the two speaks TLS and the other does not, or the certificate is not accepted.
    """
    if is_healthy(SuperLinkConnection(address=superlink, root_certificates=root_certificates, home=home)):
        return
    if root_certificates is None and _has_tls(superlink) is True:
        raise ProtocolError(
            f"the SuperLink at {superlink} speaks TLS only; give the folder of keys that the operator handed "
            "over: --keys KEYS"
        )
    if root_certificates is not None and _has_tls(superlink) is False:
        raise ProtocolError(
            f"what listens at {superlink} speaks no TLS; ask the operator for the SuperLink's address, and "
            "whether it was started with its certificates"
        )


def _has_tls(superlink: str, within: float = 5.0) -> bool | None:
    """Whether who listens shakes hands, whoever it is, or answers in the clear; None if it does neither."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection(read_address(superlink), timeout=within) as line,
            context.wrap_socket(line),
        ):
            return True
    except ssl.SSLError as error:
        return False if error.reason in _IN_THE_CLEAR else None
    except OSError:
        return None
