"""A site joins a federation: one SuperNode, in the foreground, that answers for the site of a folder.

The SuperNode is in a session of its own, so that Ctrl-C reaches this process alone: it passes one signal on, waits
until the SuperNode has said goodbye, and ends whatever it left. Flower's own output goes to ``supernode.log`` in
the site's folder ``.flower``; a person is shown what the site answers, one line each, and what is wrong.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import FrameType

from fedpact.errors import ProtocolError
from fedpact.protocol.flower import client_app
from fedpact.protocol.flower.local import CONNECTED
from fedpact.protocol.flower.processes import ProcessGroup, flower_environment, supernode_command
from fedpact.protocol.flower.superlink import check_line, check_port, is_loopback, read_address, say_silence
from fedpact.protocol.keys.signing import read_key, read_public_key
from fedpact.protocol.site.site import Site
from fedpact.protocol.site.site_files import FILE, read_site

NODE = "supernode"
GOODBYE = 15.0
"""Seconds that a SuperNode has to leave the SuperLink in order."""
_AFTER = 3.0
"""Seconds that its own processes have to see that it is gone."""
_EVERY = 0.25
_LOOK_EVERY = 5.0
_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
Say = Callable[[str], None]


def _folder_of(where: str | PathLike[str]) -> Path:
    path = Path(where).resolve()
    return path.parent if path.is_file() else path


def _read_keys(keys: str | PathLike[str] | None, superlink: str) -> Path | None:
    """Find the folder of keys, and everything that Flower needs of it."""
    read_address(superlink)
    if keys is None:
        if not is_loopback(superlink):
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


def _say_unsigned(site: Site, keys: Path | None) -> str | None:
    """Say that a site does not sign although it was given a key to sign with."""
    if site.key is not None or keys is None or not (keys / "signing.key").is_file():
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
    home = _folder_of(folder)
    return _make_command(read_site(home), home, superlink, _read_keys(keys, superlink), port)


def _make_command(site: Site, home: Path, superlink: str, keys: Path | None, port: int | None) -> list[str]:
    if keys is not None:
        _check_keys(site, home, keys)
    if port is not None:
        check_port(port)
    return supernode_command(superlink, home, keys, port)


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


@dataclass(slots=True)
class _Ending:
    """The first signal that told this process to end."""

    number: int | None = None


@contextmanager
def _catching() -> Iterator[_Ending]:
    """Take note of signals that would end this process, and give them back to whoever had them."""
    ending, before = _Ending(), {}

    def note(number: int, frame: FrameType | None) -> None:
        ending.number = number if ending.number is None else ending.number

    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in _ENDING}
    # What is ignored stays so: whoever started this with nohup wants it to outlive its terminal.
    caught = {number: had for number, had in before.items() if had not in (signal.SIG_IGN, None)}
    for number in caught:
        signal.signal(number, note)
    try:
        yield ending
    finally:
        for number, had in caught.items():
            signal.signal(number, had)


class _Joined:
    """A SuperNode that runs, and what is shown of it."""

    def __init__(self, command: list[str], home: Path, say: Say, *, is_verbose: bool) -> None:
        self._say, self._is_verbose = say, is_verbose
        self._processes = ProcessGroup(home, flower_environment(home), where=Path.cwd())
        self.log = self._processes.log_of(NODE)
        self._output, self._answers = _Tail(self.log), _Tail(home / client_app.FILE)
        self.is_connected = False
        self.node = self._processes.start(NODE, command)

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

    def explain(self) -> str:
        return self._processes.explain(NODE)

    def end(self) -> None:
        """Let the SuperNode say goodbye; Flower ends in order after one SIGTERM, and stumbles over a second."""
        self.node.terminate()
        _wait_until(lambda: self.node.poll() is not None, GOODBYE)
        if self.node.poll() is not None:
            _wait_until(lambda: not self._processes.living(), _AFTER)
        self._processes.end()


def _wait_until(claim: Callable[[], bool], within: float) -> None:
    until = time.monotonic() + within
    while not claim() and time.monotonic() < until:
        time.sleep(0.05)


def _wait(joined: _Joined, ending: _Ending, superlink: str, root: Path | None) -> None:
    """Wait until the SuperNode ends or this process is told to; look after the line until it is connected."""
    look_at = time.monotonic() + _LOOK_EVERY
    while ending.number is None and joined.node.poll() is None:
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
    place = _folder_of(folder)
    site, own = read_site(place), _read_keys(keys, superlink)
    command = _make_command(site, place, superlink, own, port)
    home, root = place / client_app.FOLDER, None if own is None else own / "ca.crt"
    silence = say_silence(superlink)
    if silence is None:
        check_line(superlink, root, home)
    home.mkdir(exist_ok=True)
    unsigned = _say_unsigned(site, own)
    if unsigned is not None:
        say(unsigned)
    with _catching() as ending:
        joined = _Joined(command, home, say, is_verbose=is_verbose)
        try:
            say(f"joining {superlink}; Flower's own log is {joined.log}")
            if silence is not None:
                say(f"nobody answers at {superlink} yet ({silence}); waiting for it")
            _wait(joined, ending, superlink, root)
        finally:
            joined.end()
    if ending.number is not None:
        return 128 + ending.number
    if joined.node.returncode:
        raise ProtocolError(f"the SuperNode ended: {joined.explain()}")
    return 0
