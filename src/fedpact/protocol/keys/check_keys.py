"""Whether a folder of keys can be used: everything there, belonging together, in time and private.

The operator checks the whole set, a site the folder that it was handed: all that can be told from it alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_ssh_private_key,
    load_ssh_public_key,
)

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
from fedpact.protocol.keys.key_files import is_there, say_if_open
from fedpact.protocol.keys.key_set import INDEX, OPERATOR, SITES, TLS, Index, read_as, read_index
from fedpact.protocol.keys.signing import read_key, read_public_key
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable

SOON: Final = timedelta(days=30)

_PRIVATE = ("signing.key", "supernode.key")
_PUBLIC = ("signing.pub", "supernode.pub", "operator.pub", "ca.crt")
_OF_OPERATOR = (
    f"{OPERATOR}/signing.key",
    f"{OPERATOR}/signing.pub",
    *(f"{TLS}/{name}" for name in ("ca.key", "ca.crt", "server.key", "server.crt")),
)


class KeysCheckStatus(Enum):
    """Whether the keys can be used."""

    SOUND = "every key and certificate is sound"
    ENDS_SOON = "everything is sound, but a certificate ends within 30 days; renew it: fedpact keys renew"
    UNSOUND = "some files must not be used as they are; the problems say which and why"


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateCheck:
    """For whom and when a certificate is valid."""

    file: str
    hosts: tuple[str, ...]
    valid_from: float
    valid_until: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values; times are seconds since the epoch."""
        return {
            "file": self.file,
            "hosts": list(self.hosts),
            "valid_from": self.valid_from,
            "valid_until": self.valid_until,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> CertificateCheck:
        """Read what :meth:`to_dict` wrote."""
        return cls(**{**entry, "hosts": tuple(entry["hosts"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysCheck(Shows):
    """What is in a folder of keys, and everything that is wrong with it."""

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
    problems: tuple[str, ...]
    """One sentence each, with the file, what is wrong and what to do."""
    status: KeysCheckStatus

    @property
    def is_sound(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    def shown(self) -> ShownTable:
        """Show which files are there, and every problem."""
        return ShownTable(
            title=f"Keys in {self.folder}",
            status=self.status.value,
            facts={"sites": len(self.sites), "problems": self.problems},
            columns=[("file", str), ("is_there", bool)],
            rows=list(self.files.items()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "folder": self.folder,
            "sites": dict(self.sites),
            "files": dict(self.files),
            "handed_over": list(self.handed_over),
            "incomplete": list(self.incomplete),
            "certificates": [certificate.to_dict() for certificate in self.certificates],
            "problems": list(self.problems),
            "status": self.status.value,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> KeysCheck:
        """Read what :meth:`to_dict` wrote."""
        certificates = tuple(map(CertificateCheck.from_dict, entry["certificates"]))
        values = {
            **entry,
            "sites": dict(entry["sites"]),
            "files": dict(entry["files"]),
            "certificates": certificates,
        }
        values |= {key: tuple(entry[key]) for key in ("handed_over", "incomplete", "problems")}
        return cls(**{**values, "status": KeysCheckStatus(entry["status"])})


class _Findings:
    """Problems of one folder, and the certificates read on the way."""

    def __init__(self, folder: Path, now: float) -> None:
        self.folder, self.now = folder, to_time(now)
        self.problems: list[str] = []
        self.certificates: dict[str, x509.Certificate] = {}

    def add(self, name: str, problem: str) -> None:
        self.problems.append(one_line(f"{self.folder / name}: {problem}"))

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note an error in place of raising it."""
        try:
            yield
        except ProtocolError as error:
            self.problems.append(str(error))

    def has(self, name: str) -> bool:
        return is_there(self.folder / name)


def _check_signing(found: _Findings, place: str, public: str) -> None:
    """Check that a pair of signing keys is one, and the one that is listed."""
    if found.has(f"{place}/signing.pub"):
        with found.noting():
            if read_public_key(found.folder / place / "signing.pub") != public:
                found.add(
                    f"{place}/signing.pub", "not the key that public-keys.json lists; bring back the one that is"
                )
    if found.has(f"{place}/signing.key"):
        with found.noting():
            if read_key(found.folder / place / "signing.key").public != public:
                found.add(f"{place}/signing.key", "not the key of signing.pub; bring back the one that is")


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
    with found.noting():
        if found.has(f"{place}/supernode.pub"):
            public = read_as(found.folder / place / "supernode.pub", _read_ssh_public)
        if found.has(f"{place}/supernode.key"):
            private = read_as(found.folder / place / "supernode.key", _read_ssh_private)
            if is_open := say_if_open(found.folder / place / "supernode.key"):
                found.problems.append(is_open)
    if public and private and public != private:
        found.add(f"{place}/supernode.key", "not the key of supernode.pub; bring back the one that is")
    return public


def _check_handed(found: _Findings, place: str, operator: str) -> None:
    """Check what a site is given to know the operator by."""
    with found.noting():
        if (
            found.has(f"{place}/operator.pub")
            and read_public_key(found.folder / place / "operator.pub") != operator
        ):
            found.add(f"{place}/operator.pub", "not the operator's key; copy operator/signing.pub")
    with found.noting():
        if found.has(f"{place}/ca.crt"):
            root = read_as(found.folder / place / "ca.crt", read_certificate)
            if root != found.certificates.get("ca", root):
                found.add(f"{place}/ca.crt", f"not this authority's certificate; copy {TLS}/ca.crt")


def _check_times(found: _Findings, file: str, again: str, certificate: x509.Certificate) -> None:
    starts, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if ends <= found.now:
        found.add(file, f"the certificate ended on {_say(ends)}; {again}")
    if starts > found.now:
        found.add(file, f"the certificate is not valid before {_say(starts)}; is the clock right?")


def _say(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _check_tls(found: _Findings) -> None:
    for name in ("ca", "server"):
        with found.noting():
            if found.has(f"{TLS}/{name}.crt"):
                found.certificates[name] = read_as(found.folder / TLS / f"{name}.crt", read_certificate)
                again = "renew it: fedpact keys renew" if name == "server" else "make a new set of keys"
                _check_times(found, f"{TLS}/{name}.crt", again, found.certificates[name])
        with found.noting():
            if found.has(f"{TLS}/{name}.key"):
                _check_tls_key(found, name)
    ca, server = found.certificates.get("ca"), found.certificates.get("server")
    if ca and server and not is_issued_by(server, ca):
        found.add(f"{TLS}/server.crt", "not issued by the authority of ca.crt; renew it: fedpact keys renew")


def _check_tls_key(found: _Findings, name: str) -> None:
    path = found.folder / TLS / f"{name}.key"
    key, certificate = read_as(path, read_ec_key), found.certificates.get(name)
    if certificate and not is_key_of(key, certificate):
        found.add(f"{TLS}/{name}.key", f"not the key of {name}.crt; bring back the one that is")
    if is_open := say_if_open(path):
        found.problems.append(is_open)


def _check_distinct(found: _Findings, keys: Mapping[str, str | bytes | None], what: str) -> None:
    first: dict[str | bytes, str] = {}
    for name, key in keys.items():
        if key is not None and first.setdefault(key, name) != name:
            found.problems.append(
                one_line(
                    f"{found.folder}: sites {first[key]!r} and {name!r} have one {what} key; make one for each"
                )
            )


def _check_leftovers(found: _Findings, index: Index) -> None:
    """Find folders of sites that nobody listed, as an add that was killed leaves behind."""
    parent = found.folder / SITES
    there = sorted(path.name for path in parent.iterdir()) if parent.is_dir() else []
    for name in there:
        if f"{SITES}/{name}" not in index.folders.values():
            found.add(f"{SITES}/{name}", "not listed in public-keys.json; remove it and add the site again")


def _list_files(found: _Findings, index: Index) -> dict[str, bool]:
    """Say which files of the set are there; what is missing and cannot be handed over is a problem."""
    of_sites = [f"{place}/{name}" for place in index.folders.values() for name in (*_PRIVATE, *_PUBLIC)]
    files = {name: found.has(name) for name in (*_OF_OPERATOR, *of_sites)}
    for name, is_present in files.items():
        if not is_present and (name in _OF_OPERATOR or not name.endswith(_PRIVATE)):
            found.add(name, "is missing; bring it back")
    for place in index.folders.values():
        _check_handed_over(found, place)
    return files


def _check_handed_over(found: _Findings, place: str) -> None:
    """Find a site half of whose private keys are here: neither is it handed over, nor can it be."""
    for gone, left in (_PRIVATE, _PRIVATE[::-1]):
        if not found.has(f"{place}/{gone}") and found.has(f"{place}/{left}"):
            found.add(
                f"{place}/{gone}",
                f"is missing, and {left} is here; bring it back, or hand over both and keep none",
            )


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
            found.add(name, "is missing; bring it back, or ask the operator for new keys")
    public = ""
    with found.noting():
        public = read_public_key(folder / "signing.pub") if files["signing.pub"] else ""
    with found.noting():
        if files["signing.key"] and read_key(folder / "signing.key").public != public and public:
            found.add("signing.key", "not the key of signing.pub; bring back the one that is")
    _check_supernode(found, ".")
    with found.noting():
        if files["operator.pub"]:
            read_public_key(folder / "operator.pub")
    with found.noting():
        if files["ca.crt"]:
            found.certificates["ca"] = read_as(folder / "ca.crt", read_certificate)
            _check_times(found, "ca.crt", "ask the operator for new keys", found.certificates["ca"])
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
    >>> early.status.name, late.status.name
    ('SOUND', 'UNSOUND')
    >>> late.problems[0].partition(": ")[2]
    'the certificate ended on 1970-04-11 00:00 UTC; renew it: fedpact keys renew'
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
