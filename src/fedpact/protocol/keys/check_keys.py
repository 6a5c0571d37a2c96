"""Whether a folder of keys can be used: everything there, belonging together, in time and private.

The operator checks the whole set, a site the folder that it was handed: all that can be told from it alone.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_ssh_private_key,
    load_ssh_public_key,
)

from fedpact.coded import Coded
from fedpact.describe.parsing import one_line
from fedpact.errors import ProtocolError
from fedpact.protocol.keys.certificates import (
    hosts_of,
    is_issued_by,
    is_key_of,
    read_certificate,
    read_ec_key,
    to_time,
)
from fedpact.protocol.keys.key_files import find_open_mode, is_there
from fedpact.protocol.keys.key_set import INDEX, OPERATOR, SITES, TLS, Index, read_as, read_index
from fedpact.protocol.keys.signing import read_key, read_public_key
from fedpact.result import Result

SOON: Final = timedelta(days=30)

_PRIVATE = ("signing.key", "supernode.key")
_PUBLIC = ("signing.pub", "supernode.pub", "operator.pub", "ca.crt")
_OF_OPERATOR = (
    f"{OPERATOR}/signing.key",
    f"{OPERATOR}/signing.pub",
    *(f"{TLS}/{name}" for name in ("ca.key", "ca.crt", "server.key", "server.crt")),
)


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
    """Problems of one folder, and the certificates read on the way."""

    def __init__(self, folder: Path, now: float) -> None:
        self.folder, self.now = folder, to_time(now)
        self.problems: list[KeysProblem] = []
        self.certificates: dict[str, x509.Certificate] = {}

    def add(self, name: str, code: str, **values: Any) -> None:
        self.problems.append(KeysProblem(file=str(self.folder / name), code=code, values=values))

    @contextmanager
    def noting(self, name: str) -> Iterator[None]:
        """Note an error of reading a file in place of raising it."""
        try:
            yield
        except ProtocolError as error:
            self.add(name, "unusable", detail=str(error).removeprefix(one_line(f"{self.folder / name}: ")))

    def has(self, name: str) -> bool:
        return is_there(self.folder / name)


def _check_signing(found: _Findings, place: str, public: str) -> None:
    """Check that a pair of signing keys is one, and the one that is listed."""
    if found.has(name := f"{place}/signing.pub"):
        with found.noting(name):
            if read_public_key(found.folder / name) != public:
                found.add(name, "not-listed")
    if found.has(name := f"{place}/signing.key"):
        with found.noting(name):
            if read_key(found.folder / name).public != public:
                found.add(name, "other-half", of="signing.pub")


def _to_ssh(public: object) -> bytes:
    if not isinstance(public, ec.EllipticCurvePublicKey):
        raise ProtocolError("not an elliptic-curve key in the format of OpenSSH; Flower will refuse it")
    return public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)


def _read_ssh_private(data: bytes) -> bytes:
    """Return the public half of a SuperNode's private key."""
    try:
        return _to_ssh(load_ssh_private_key(data, None).public_key())
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return _to_ssh(None)


def _read_ssh_public(data: bytes) -> bytes:
    try:
        return _to_ssh(load_ssh_public_key(data))
    except (ValueError, UnsupportedAlgorithm):
        return _to_ssh(None)


def _check_supernode(found: _Findings, place: str) -> bytes | None:
    """Check a SuperNode's pair; returns the public key."""
    public = private = None
    if found.has(name := f"{place}/supernode.pub"):
        with found.noting(name):
            public = read_as(found.folder / name, _read_ssh_public)
    if found.has(name := f"{place}/supernode.key"):
        with found.noting(name):
            private = read_as(found.folder / name, _read_ssh_private)
            _check_private(found, name)
    if public and private and public != private:
        found.add(name, "other-half", of="supernode.pub")
    return public


def _check_private(found: _Findings, name: str) -> None:
    if mode := find_open_mode(found.folder / name):
        found.add(name, "open-to-others", mode=mode, quoted=shlex.quote(str(found.folder / name)))


def _check_handed(found: _Findings, place: str, operator: str) -> None:
    """Check what a site is given to know the operator by."""
    with found.noting(name := f"{place}/operator.pub"):
        if found.has(name) and read_public_key(found.folder / name) != operator:
            found.add(name, "other-operator")
    with found.noting(name := f"{place}/ca.crt"):
        if found.has(name):
            root = read_as(found.folder / name, read_certificate)
            if root != found.certificates.get("ca", root):
                found.add(name, "other-authority", copy=f"{TLS}/ca.crt")


def _check_times(found: _Findings, file: str, again: str, certificate: x509.Certificate) -> None:
    """Check that a certificate is in time; ``again`` names how to have another: "renew", "remake" or "ask"."""
    starts, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if ends <= found.now:
        found.add(file, f"ended-{again}", at=ends.timestamp())
    if starts > found.now:
        found.add(file, "not-yet-valid", at=starts.timestamp())


def _check_tls(found: _Findings) -> None:
    for name in ("ca", "server"):
        with found.noting(file := f"{TLS}/{name}.crt"):
            if found.has(file):
                found.certificates[name] = read_as(found.folder / file, read_certificate)
                _check_times(found, file, "renew" if name == "server" else "remake", found.certificates[name])
        with found.noting(file := f"{TLS}/{name}.key"):
            if found.has(file):
                _check_tls_key(found, file, name)
    ca, server = found.certificates.get("ca"), found.certificates.get("server")
    if ca and server and not is_issued_by(server, ca):
        found.add(f"{TLS}/server.crt", "other-issuer")


def _check_tls_key(found: _Findings, file: str, name: str) -> None:
    key, certificate = read_as(found.folder / file, read_ec_key), found.certificates.get(name)
    if certificate and not is_key_of(key, certificate):
        found.add(file, "other-half", of=f"{name}.crt")
    _check_private(found, file)


def _check_distinct(found: _Findings, keys: Mapping[str, str | bytes | None], what: str) -> None:
    first: dict[str | bytes, str] = {}
    for name, key in keys.items():
        if key is not None and first.setdefault(key, name) != name:
            found.add("", "one-key", first=first[key], second=name, what=what)


def _check_leftovers(found: _Findings, index: Index) -> None:
    """Find folders of sites that nobody listed, as an add that was killed leaves behind."""
    parent = found.folder / SITES
    there = sorted(path.name for path in parent.iterdir()) if parent.is_dir() else []
    for name in there:
        if f"{SITES}/{name}" not in index.folders.values():
            found.add(f"{SITES}/{name}", "leftover")


def _list_files(found: _Findings, index: Index) -> dict[str, bool]:
    """Say which files of the set are there; what is missing and cannot be handed over is a problem."""
    of_sites = [f"{place}/{name}" for place in index.folders.values() for name in (*_PRIVATE, *_PUBLIC)]
    files = {name: found.has(name) for name in (*_OF_OPERATOR, *of_sites)}
    for name, is_present in files.items():
        if not is_present and (name in _OF_OPERATOR or not name.endswith(_PRIVATE)):
            found.add(name, "missing")
    for place in index.folders.values():
        _check_handed_over(found, place)
    return files


def _check_handed_over(found: _Findings, place: str) -> None:
    """Find a site half of whose private keys are here: neither is it handed over, nor can it be."""
    for gone, left in (_PRIVATE, _PRIVATE[::-1]):
        if not found.has(f"{place}/{gone}") and found.has(f"{place}/{left}"):
            found.add(f"{place}/{gone}", "half-handed", left=left)


def _judge(found: _Findings) -> KeysCheckStatus:
    if found.problems:
        return KeysCheckStatus.UNSOUND
    ends = [certificate.not_valid_after_utc for certificate in found.certificates.values()]
    return KeysCheckStatus.ENDS_SOON if min(ends) < found.now + SOON else KeysCheckStatus.SOUND


def _check_own(folder: Path, now: float) -> KeysCheck:
    """Check the folder that a site was handed, by itself."""
    found = _Findings(folder, now)
    files = {name: found.has(name) for name in (*_PRIVATE, *_PUBLIC)}
    for name, is_present in files.items():
        if not is_present:
            found.add(name, "missing-here")
    public = ""
    with found.noting("signing.pub"):
        public = read_public_key(folder / "signing.pub") if files["signing.pub"] else ""
    with found.noting("signing.key"):
        if files["signing.key"] and read_key(folder / "signing.key").public != public and public:
            found.add("signing.key", "other-half", of="signing.pub")
    _check_supernode(found, ".")
    with found.noting("operator.pub"):
        if files["operator.pub"]:
            read_public_key(folder / "operator.pub")
    with found.noting("ca.crt"):
        if files["ca.crt"]:
            found.certificates["ca"] = read_as(folder / "ca.crt", read_certificate)
            _check_times(found, "ca.crt", "ask", found.certificates["ca"])
    return KeysCheck(
        folder=fspath(folder),
        sites={folder.resolve().name: public},
        files=files,
        handed_over=(),
        incomplete=() if all(files[key] for key in _PRIVATE) else (folder.resolve().name,),
        certificates=tuple(_to_check("ca.crt", certificate) for certificate in found.certificates.values()),
        problems=tuple(found.problems),
        status=_judge(found),
    )


def _is_own(folder: Path) -> bool:
    """Whether this is a site's folder of keys, not a whole set."""
    return not is_there(folder / INDEX) and any(is_there(folder / name) for name in (*_PRIVATE, *_PUBLIC))


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
    if _is_own(place):
        return _check_own(place, at)
    index = read_index(place)
    found = _Findings(place, at)
    files = _list_files(found, index)
    here = {name: sum(files[f"{at}/{key}"] for key in _PRIVATE) for name, at in index.folders.items()}
    _check_tls(found)
    _check_signing(found, OPERATOR, index.operator)
    supernodes = {name: _check_site(found, name, index) for name in index.sites}
    _check_distinct(found, index.sites, "signing")
    _check_distinct(found, supernodes, "SuperNode")
    _check_leftovers(found, index)
    return KeysCheck(
        folder=fspath(folder),
        sites=index.sites,
        files=files,
        handed_over=tuple(name for name, count in here.items() if count == 0),
        incomplete=tuple(name for name, count in here.items() if 0 < count < len(_PRIVATE)),
        certificates=tuple(
            _to_check(f"{TLS}/{name}.crt", certificate) for name, certificate in found.certificates.items()
        ),
        problems=tuple(found.problems),
        status=_judge(found),
    )


def _check_site(found: _Findings, name: str, index: Index) -> bytes | None:
    place = index.folders[name]
    _check_signing(found, place, index.sites[name])
    _check_handed(found, place, index.operator)
    return _check_supernode(found, place)


def _to_check(file: str, certificate: x509.Certificate) -> CertificateCheck:
    return CertificateCheck(
        file=file,
        hosts=hosts_of(certificate),
        valid_from=certificate.not_valid_before_utc.timestamp(),
        valid_until=certificate.not_valid_after_utc.timestamp(),
    )
