"""Whether a folder of keys can be used: everything there, belonging together, in time and private.

The operator checks the whole set, a site the folder that it was handed: all that can be told from it alone. Every
file is read once, by the reader of its name; what must be the same in two places is compared afterwards. What only
Flower needs may be absent, but then all of it.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, Final

from cryptography import x509

from fedpact.coded import Coded
from fedpact.describe.parsing import one_line
from fedpact.errors import ProtocolError
from fedpact.protocol.files import find_open_mode, is_there, read_as
from fedpact.protocol.keys.certificates import hosts_of, is_issued_by, read_certificate, read_ec_key, to_time
from fedpact.protocol.keys.key_set import INDEX, OPERATOR, SITES, TLS, Index, parse_supernode, read_index
from fedpact.protocol.keys.signing import parse_key, parse_public_key
from fedpact.result import Result

SOON: Final = timedelta(days=30)

_SIGNING = ("signing.key", "signing.pub", "operator.pub")
_READERS: Mapping[str, Callable[[bytes], Any]] = {
    "signing.key": lambda data: parse_key(data).public,
    "supernode.key": parse_supernode,
    "signing.pub": parse_public_key,
    "supernode.pub": parse_supernode,
    "operator.pub": parse_public_key,
    "ca.crt": read_certificate,
    "server.crt": read_certificate,
    "ca.key": lambda data: read_ec_key(data).public_key(),
    "server.key": lambda data: read_ec_key(data).public_key(),
}
"""What a file says, by its name; a private key says its public half. The first six are a site's."""
_OF_SITE = tuple(_READERS)[:6]
_OF_OPERATOR = (
    *(f"{OPERATOR}/{name}" for name in ("signing.key", "signing.pub")),
    *(f"{TLS}/{name}" for name in ("ca.key", "ca.crt", "server.key", "server.crt")),
)
_AGAIN = {f"{TLS}/ca.crt": "remake", f"{TLS}/server.crt": "renew", "ca.crt": "ask"}
"""Certificates that are looked at, and how to have another."""


class KeysCheckStatus(StrEnum):
    """Whether the keys can be used."""

    SOUND = "sound"
    """Every key and certificate is."""
    ENDS_SOON = "ends-soon"
    """Everything is sound, but a certificate ends within 30 days."""
    UNSOUND = "unsound"
    """Some files must not be used as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateCheck:
    """For whom and when a certificate is valid."""

    file: str
    hosts: tuple[str, ...]
    valid_from: float
    valid_until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysProblem(Coded):
    """A file that must not be used as it is."""

    file: str
    """Its path, or that of the folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysCheck(Result):
    """What is in a folder of keys, and everything that is wrong with it."""

    INDEX: ClassVar = "file"
    ROWS: ClassVar = "problems"

    folder: str
    sites: dict[str, str]
    """Every site's public signing key, by its name; of a site's own folder, by the folder's."""
    files: dict[str, bool]
    """Whether each file that belongs to the set is there."""
    handed_over: tuple[str, ...]
    """Sites whose private keys are not here; once a site has them, they need not be."""
    incomplete: tuple[str, ...]
    """Sites of whose private keys some are here and some are not."""
    certificates: tuple[CertificateCheck, ...]
    problems: tuple[KeysProblem, ...]
    status: KeysCheckStatus

    @property
    def is_sound(self) -> bool:
        """Whether there is no problem."""
        return not self.problems


class _Findings:
    """What the files of one folder say, and what is wrong with them."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.folder = folder
        there = {name: is_there(folder / name) for name in names}
        is_for_flower = any(there[name] for name in names if Path(name).name not in _SIGNING)
        self.files = {name: it for name, it in there.items() if is_for_flower or Path(name).name in _SIGNING}
        self.values: dict[str, Any] = {}
        self.problems: list[KeysProblem] = []

    def add(self, name: str, code: str, **values: Any) -> None:
        self.problems.append(KeysProblem(file=str(self.folder / name), code=code, values=values))

    def read(self, name: str) -> None:
        """Read a file; a private key must be so."""
        path = self.folder / name
        try:
            self.values[name] = read_as(path, _READERS[path.name])
        except ProtocolError as error:
            self.add(name, "unusable", detail=str(error).removeprefix(one_line(f"{path}: ")))
            return
        if path.suffix == ".key" and (mode := find_open_mode(path)):
            self.add(name, "open-to-others", mode=mode, quoted=shlex.quote(str(path)))

    def compare(self, name: str, other: Any, code: str, **values: Any) -> None:
        """Note that a file says something else than it must, if both are known."""
        if other is not None and self.values.get(name, other) != other:
            self.add(name, code, **values)

    def private_of(self, place: str) -> dict[str, bool]:
        """Which private keys belong into a folder, and whether they are there."""
        return {name: it for name, it in self.files.items() if name.startswith(place) and name.endswith(".key")}


def _check_missing(found: _Findings, *, is_own: bool) -> None:
    """Find what is missing; private keys of a site may be with it, but not half of them."""
    for name in [name for name, is_present in found.files.items() if not is_present]:
        if is_own:
            found.add(name, "missing-here")
        elif not name.startswith(SITES) or not name.endswith(".key"):
            found.add(name, "missing")
        else:
            here = [own for own, is_present in found.private_of(name.rpartition("/")[0]).items() if is_present]
            for left in here:
                found.add(name, "half-handed", left=Path(left).name)


def _check_pairs(found: _Findings, place: str, listed: str | None) -> None:
    """Check that both halves of a pair belong together, and to the key that is listed."""
    found.compare(f"{place}signing.pub", listed, "not-listed")
    found.compare(f"{place}signing.key", listed or found.values.get("signing.pub"), "other-half", of="signing.pub")
    supernode = found.values.get(f"{place}supernode.pub")
    found.compare(f"{place}supernode.key", supernode, "other-half", of="supernode.pub")


def _check_times(found: _Findings, file: str, certificate: x509.Certificate, now: float) -> None:
    starts, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if ends <= to_time(now):
        found.add(file, f"ended-{_AGAIN[file]}", at=ends.timestamp())
    if starts > to_time(now):
        found.add(file, "not-yet-valid", at=starts.timestamp())


def _check_tls(found: _Findings) -> None:
    ca, server = (found.values.get(f"{TLS}/{name}.crt") for name in ("ca", "server"))
    for name, certificate in (("ca", ca), ("server", server)):
        public = None if certificate is None else certificate.public_key()
        found.compare(f"{TLS}/{name}.key", public, "other-half", of=f"{name}.crt")
    if ca and server and not is_issued_by(server, ca):
        found.add(f"{TLS}/server.crt", "other-issuer")


def _check_distinct(found: _Findings, keys: Mapping[str, str | bytes | None], what: str) -> None:
    first: dict[str | bytes, str] = {}
    for name, key in keys.items():
        if key is not None and first.setdefault(key, name) != name:
            found.add("", "one-key", first=first[key], second=name, what=what)


def _check_set(found: _Findings, index: Index) -> None:
    """Check what a whole set alone can tell: whether its folders fit together."""
    _check_tls(found)
    _check_pairs(found, f"{OPERATOR}/", index.operator)
    for name, place in index.folders.items():
        _check_pairs(found, f"{place}/", index.sites[name])
        found.compare(f"{place}/operator.pub", index.operator, "other-operator")
        root = found.values.get(f"{TLS}/ca.crt")
        found.compare(f"{place}/ca.crt", root, "other-authority", copy=f"{TLS}/ca.crt")
    supernodes = {name: found.values.get(f"{place}/supernode.pub") for name, place in index.folders.items()}
    _check_distinct(found, index.sites, "signing")
    _check_distinct(found, supernodes, "SuperNode")
    parent = found.folder / SITES
    for name in sorted(f"{SITES}/{path.name}" for path in parent.iterdir()) if parent.is_dir() else ():
        if name not in index.folders.values():  # as an add that was killed leaves behind
            found.add(name, "leftover")


def _judge(found: _Findings, certificates: Mapping[str, x509.Certificate], now: float) -> KeysCheckStatus:
    if found.problems:
        return KeysCheckStatus.UNSOUND
    ends_soon = any(one.not_valid_after_utc < to_time(now) + SOON for one in certificates.values())
    return KeysCheckStatus.ENDS_SOON if ends_soon else KeysCheckStatus.SOUND


def _to_check(file: str, certificate: x509.Certificate) -> CertificateCheck:
    return CertificateCheck(
        file=file,
        hosts=hosts_of(certificate),
        valid_from=certificate.not_valid_before_utc.timestamp(),
        valid_until=certificate.not_valid_after_utc.timestamp(),
    )


def check_keys(folder: str | PathLike[str], *, now: float | None = None) -> KeysCheck:
    """Look at every file of a set of keys and list all that is wrong.

    Parameters
    ----------
    folder
        What :func:`fedpact.protocol.keys.make_keys` made, or the folder in it that a site was handed.
    now
        Seconds since the epoch; the clock's if not given.

    Raises
    ------
    ProtocolError
        If the folder holds no set of keys, or its ``public-keys.json`` cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from fedpact.protocol.keys.key_set import make_keys
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     made = make_keys(f"{parent}/keys", ["alice", "bob"], days=100, now=0)
    ...     early, late = check_keys(f"{parent}/keys", now=0), check_keys(f"{parent}/keys", now=9e6)
    >>> print(early.status, late.status, late.problems[0].code)
    sound unsound ended-renew
    """
    place, at = Path(folder), time.time() if now is None else now
    is_own = not is_there(place / INDEX) and any(is_there(place / name) for name in _OF_SITE)
    index = None if is_own else read_index(place)
    own = {place.resolve().name: ""}
    places = own if index is None else {name: f"{folder}/" for name, folder in index.folders.items()}
    of_sites = [f"{prefix}{name}" for prefix in places.values() for name in _OF_SITE]
    found = _Findings(place, of_sites if is_own else [*_OF_OPERATOR, *of_sites])
    _check_missing(found, is_own=is_own)
    for name in [name for name, is_present in found.files.items() if is_present]:
        found.read(name)
    certificates = {name: found.values[name] for name in _AGAIN if name in found.values}
    for name, certificate in certificates.items():
        _check_times(found, name, certificate, at)
    if index is None:
        _check_pairs(found, "", None)
    else:
        _check_set(found, index)
    here = {name: found.private_of(prefix).values() for name, prefix in places.items()}
    return KeysCheck(
        folder=fspath(folder),
        sites={name: found.values.get("signing.pub", "") for name in own} if index is None else index.sites,
        files=found.files,
        handed_over=tuple(name for name, keys in here.items() if not is_own and not any(keys)),
        incomplete=tuple(name for name, keys in here.items() if not all(keys) and (is_own or any(keys))),
        certificates=tuple(_to_check(name, certificate) for name, certificate in certificates.items()),
        problems=tuple(found.problems),
        status=_judge(found, certificates, at),
    )
