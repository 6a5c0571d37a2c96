"""A site joins a federation: one node, in the foreground, that answers for the site of a folder.

A person is shown what the site answers, one line each, and what is wrong. Flower's own log goes to ``flower.log``
in the site's folder ``.flower``. Where the SuperLink is not there yet, or no more, the node waits for it.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import NoReturn

import httpx

from fedpact.describe.numbers import shorten
from fedpact.errors import ProtocolError
from fedpact.protocol.flower.client_app import LOG, make_client_app
from fedpact.protocol.flower.node import connect, is_away
from fedpact.protocol.flower.processes import handling_signals
from fedpact.protocol.flower.superlink import check_line, read_address, say_silence
from fedpact.protocol.keys.certificates import is_loopback
from fedpact.protocol.keys.signing import read_key, read_public_key
from fedpact.protocol.site.site import Site
from fedpact.protocol.site.site_files import FILE, find_file, read_site, read_table

FOLDER, OWN_LOG = ".flower", "flower.log"
_LOOK_EVERY = 0.5
"""Seconds between two questions for messages."""
_TRY_EVERY = 5.0
Say = Callable[[str, str], None]
"""Shows a line, with a code of what it is about: "joining", "waiting", "connected" or "answered"."""


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


def check_site(
    folder: str | PathLike[str], superlink: str, keys: str | PathLike[str] | None
) -> tuple[Path, Path | None]:
    """Read a site's folder, and the keys that it joins with; what is wrong with either shows before it joins."""
    home = find_file(Path(folder).resolve()).parent
    site, own = read_site(home), _read_keys(keys, superlink)
    if own is not None:
        _check_keys(site, home, own)
    return home, own


@contextmanager
def _logging(path: Path, *, is_verbose: bool) -> Iterator[None]:
    """Write what Flower logs to a file, and on demand to stderr too."""
    handlers: list[logging.Handler] = [logging.FileHandler(path, encoding="utf-8")]
    handlers += [logging.StreamHandler()] if is_verbose else []
    before, LOG.handlers = LOG.handlers, handlers
    try:
        yield
    finally:
        LOG.handlers = before
        handlers[0].close()


def _answer(home: Path, own: Path | None, superlink: str, say: Say) -> NoReturn:
    """Answer until the SuperLink is away or refuses, or whoever runs this ends it."""
    said = [""]

    def tell(line: str) -> None:
        if line != said[0]:  # that labels are still missing is said again whenever the site is asked again
            say("answered", time.strftime("%H:%M:%S ") + line)
        said[0] = line

    app, config = make_client_app(lambda context: read_site(home), tell), {"site": str(home)}
    with connect(superlink, own) as node:
        say("connected", f"connected to {superlink}; waiting for requests, until Ctrl-C")
        while True:
            if not node.answer(app, config):
                time.sleep(_LOOK_EVERY)


def _answer_while_there(home: Path, own: Path | None, superlink: str, say: Say) -> str:
    """Answer as long as the SuperLink is there; returns why it is not."""
    try:
        _answer(home, own, superlink, say)
    except httpx.HTTPError as error:
        if is_away(error):
            return shorten(str(error))
        raise ProtocolError(
            f"the SuperLink at {superlink} refuses this node: its key is not registered, or counts as connected "
            "for a minute still; ask the operator to start the run first, which registers this node, and try again"
        ) from error


def _print(what: str, line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _stop(number: int, frame: object) -> None:
    """Unwind like an exception, so that the node leaves the SuperLink."""
    raise SystemExit(128 + number)


def join_federation(
    folder: str | PathLike[str],
    superlink: str,
    *,
    keys: str | PathLike[str] | None = None,
    is_verbose: bool = False,
    say: Say = _print,
) -> int:
    """Answer for a site until interrupted.

    Parameters
    ----------
    folder
        The site's folder, or its ``site.toml``.
    superlink
        ``HOST:PORT``.
    keys
        The folder that the operator handed over, with ``ca.crt`` and ``supernode.key``. Without one there is
        neither TLS nor authentication, which is refused for any SuperLink but one of this machine. A signing key
        in it must be the one that ``site.toml`` names.
    is_verbose
        Show Flower's own log too.
    say
        Shows a person one line; on stderr if it is not given.

    Returns
    -------
    int
        128 plus the number of the signal that ended it: 130 after Ctrl-C, 143 after SIGTERM.

    Raises
    ------
    ProtocolError
        If the SuperLink refuses this node.
    """
    home, own = check_site(folder, superlink, keys)
    (home / FOLDER).mkdir(exist_ok=True)
    root = None if own is None else own / "ca.crt"
    unsigned = _say_unsigned(home, own)
    if unsigned is not None:
        say("joining", unsigned)
    log = home / FOLDER / OWN_LOG
    with _logging(log, is_verbose=is_verbose), handling_signals(_stop, "SIGINT", "SIGTERM", "SIGHUP"):
        try:
            say("joining", f"joining {superlink}; Flower's own log is {log}")
            while True:
                silence = say_silence(superlink)
                if silence is None:
                    check_line(superlink, root, home / FOLDER)
                    silence = _answer_while_there(home, own, superlink, say)
                say("waiting", f"nobody answers at {superlink} ({silence}); waiting for it")
                time.sleep(_TRY_EVERY)
                while say_silence(superlink) is not None:
                    time.sleep(_TRY_EVERY)
        except SystemExit as end:
            return int(str(end.code))
