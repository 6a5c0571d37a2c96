"""A site joins a federation: one SuperNode, in the foreground, that answers for the site of a folder.

The SuperNode is in a session of its own, so that Ctrl-C reaches this process alone: it passes one signal on, waits
until the SuperNode has said goodbye, and ends whatever it left. Flower's own output goes to ``supernode.log`` in
the site's folder ``.flower``; a person is shown what the site answers, one line each, and what is wrong.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from os import PathLike
from pathlib import Path

import psutil

from fedpact.errors import ProtocolError
from fedpact.protocol.flower import client_app
from fedpact.protocol.flower.local import CONNECTED
from fedpact.protocol.flower.processes import (
    ProcessGroup,
    flower_environment,
    handling_signals,
    supernode_command,
)
from fedpact.protocol.flower.superlink import check_line, read_address, say_silence
from fedpact.protocol.keys.certificates import is_loopback
from fedpact.protocol.keys.signing import read_key, read_public_key
from fedpact.protocol.site.site import Site
from fedpact.protocol.site.site_files import FILE, find_file, read_site, read_table

NODE = "supernode"
GOODBYE = 15.0
"""Seconds that a SuperNode has to leave the SuperLink in order."""
_AFTER = 3.0
"""Seconds that its own processes have to see that it is gone."""
_EVERY = 0.25
_LOOK_EVERY = 5.0
Say = Callable[[str], None]


def _read_keys(keys: str | PathLike[str] | None, superlink: str) -> Path | None:
    """Find the folder of keys, and everything that Flower needs of it."""
    host, _ = read_address(superlink)
    if keys is None:
        if not is_loopback(host):
            raise ProtocolError(f"a SuperLink at {superlink} is not joined without keys; give the folder of yours")
        return None
    own = Path(keys).resolve()
    for name in ("ca.crt", "supernode.key"):
        if not (own / name).is_file():
            raise ProtocolError(
                f"{own} has no {name}; it must be the folder that 'fedpact keys make' made for a site"
            )
    return own


def _public_in(keys: Path) -> str | None:
    """Return the public half of the signing key of a folder of keys, if there is one."""
    if (keys / "signing.pub").is_file():
        return read_public_key(keys / "signing.pub")
    return read_key(keys / "signing.key").public if (keys / "signing.key").is_file() else None


def _check_keys(site: Site, home: Path, keys: Path) -> None:
    """Refuse keys that are not those that the site's folder names: nobody would believe the site."""
    given, own = _public_in(keys), None if site.key is None else site.key.public
    if given is not None and own is not None and given != own:
        raise ProtocolError(
            f"{keys} has the signing key {given[:16]}..., and {home / FILE} names the key {own[:16]}...; give the "
            f"folder of keys of {site.name!r}, or name its signing.key in {FILE}"
        )
    if (keys / "operator.pub").is_file() and site.operator is not None:
        operator = read_public_key(keys / "operator.pub")
        if operator != site.operator:
            raise ProtocolError(
                f"{keys} is of an operator with the key {operator[:16]}..., and {home / FILE} names one with the "
                f"key {site.operator[:16]}...; name the operator.pub of that folder in {FILE}"
            )


def _say_unsigned(home: Path, keys: Path | None) -> str | None:
    """Say that a site does not sign although it was given a key to sign with."""
    if keys is None or "key" in read_table(home) or not (keys / "signing.key").is_file():
        return None
    return (
        f"{FILE} names no key, so an operator that knows this site by its key will not believe it; add to it: "
        f'key = "{keys / "signing.key"}"'
    )


def join_command(
    folder: str | PathLike[str],
    superlink: str,
    *,
    keys: str | PathLike[str] | None = None,
    port: int | None = None,
) -> list[str]:
    """Return the command that starts a site's SuperNode.

    Parameters
    ----------
    folder
        The site's folder, or its ``site.toml``; it is read first, so that what is wrong with it shows before
        anything is started.
    superlink
        ``HOST:PORT``.
    keys
        The folder that the operator handed over, with ``ca.crt`` and ``supernode.key``. Without one there is
        neither TLS nor authentication, which is refused for any SuperLink but one of this machine. A signing key
        in it must be the one that ``site.toml`` names.
    port
        On which the SuperNode listens for its own processes, on this machine only; a free one if it is not given.
    """
    home = find_file(Path(folder).resolve()).parent
    site, own = read_site(home), _read_keys(keys, superlink)
    if own is not None:
        _check_keys(site, home, own)
    return supernode_command(superlink, home, own, port)


class _Tail:
    """New whole lines of a file that others write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = path.stat().st_size if path.exists() else 0

    def lines(self) -> list[str]:
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._at)
            whole = file.read().rpartition(b"\n")
        self._at += len(whole[0]) + len(whole[1])
        return whole[0].decode(errors="replace").splitlines()


class _Joined:
    """A SuperNode that runs, and what is shown of it."""

    def __init__(self, command: list[str], home: Path, say: Say, *, is_verbose: bool) -> None:
        self._say, self._is_verbose = say, is_verbose
        self.processes = ProcessGroup(home, flower_environment(home), where=Path.cwd())
        self.log = self.processes.log_of(NODE)
        self._output, self._answers = _Tail(self.log), _Tail(home / client_app.FILE)
        self.is_connected = False
        self.node = self.processes.start(NODE, command)

    def show(self, superlink: str) -> None:
        """Show what is new."""
        for line in self._output.lines():
            if self._is_verbose:
                self._say(line)
            if CONNECTED in line and not self.is_connected:
                self.is_connected = True
                self._say(f"connected to {superlink}; waiting for requests, until Ctrl-C")
        for line in self._answers.lines():
            self._say(line)

    def end(self) -> None:
        """Let the SuperNode say goodbye; Flower ends in order after one SIGTERM, and stumbles over a second."""
        self.node.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.node.wait(GOODBYE)
            psutil.wait_procs(self.processes.living(), _AFTER)
        self.processes.end()


def _wait(joined: _Joined, ended_by: list[int], superlink: str, root: Path | None) -> None:
    """Wait until the SuperNode ends or this process is told to; look after the line until it is connected."""
    look_at = time.monotonic() + _LOOK_EVERY
    while not ended_by and joined.node.poll() is None:
        joined.show(superlink)
        if not joined.is_connected and time.monotonic() > look_at:
            check_line(superlink, root, joined.log.parent)
            look_at = time.monotonic() + _LOOK_EVERY
        time.sleep(_EVERY)
    joined.show(superlink)


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def join_federation(
    folder: str | PathLike[str],
    superlink: str,
    *,
    keys: str | PathLike[str] | None = None,
    port: int | None = None,
    is_verbose: bool = False,
    say: Say = _print,
) -> int:
    """Answer for a site until interrupted.

    Parameters
    ----------
    folder, superlink, keys, port
        As for :func:`join_command`.
    is_verbose
        Show Flower's own output too.
    say
        Shows a person one line; on stderr if it is not given.

    Returns
    -------
    int
        0 if the SuperNode ended by itself and in order, 128 plus the signal's number after a signal: 130 after
        Ctrl-C, 143 after SIGTERM.

    Raises
    ------
    ProtocolError
        If the SuperNode cannot be started, or gave up; the line says why, and where Flower's own log is.
    """
    command = join_command(folder, superlink, keys=keys, port=port)
    place, own = find_file(Path(folder).resolve()).parent, _read_keys(keys, superlink)
    home, root = place / client_app.FOLDER, None if own is None else own / "ca.crt"
    silence = say_silence(superlink)
    if silence is None:
        check_line(superlink, root, home)
    home.mkdir(exist_ok=True)
    unsigned = _say_unsigned(place, own)
    if unsigned is not None:
        say(unsigned)
    ended_by: list[int] = []
    with handling_signals(lambda number, _: ended_by.append(number), "SIGINT", "SIGTERM", "SIGHUP"):
        joined = _Joined(command, home, say, is_verbose=is_verbose)
        try:
            say(f"joining {superlink}; Flower's own log is {joined.log}")
            if silence is not None:
                say(f"nobody answers at {superlink} yet ({silence}); waiting for it")
            _wait(joined, ended_by, superlink, root)
        finally:
            joined.end()
    if ended_by:
        return 128 + ended_by[0]
    if joined.node.returncode:
        raise ProtocolError(f"the SuperNode ended: {joined.processes.explain(NODE)}")
    return 0
