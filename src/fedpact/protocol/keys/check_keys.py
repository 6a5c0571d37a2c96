"""Whether a folder of keys can be used: everything there, belonging together, in time and private.

The operator checks the whole set, a site the folder that it was handed: all that can be told from it alone. Every
file is read once, by the reader of its name; what must be the same in two places is compared afterwards. What only
Flower needs may be absent, but then all of it.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from cryptography import x509

from fedpact.coded import Coded, coded
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


class Finding(NamedTuple):
    """What is wrong with a file of the folder, or with the folder itself if that is ""."""

    file: str
    problem: Coded


class Rule(NamedTuple):
    """What a file must say, if that is known, and what is wrong if it says something else."""

    file: str
    due: Any
    problem: Coded


def _find_files(folder: Path, names: Sequence[str]) -> dict[str, bool]:
    """Say which files belong to a set, and whether each is there; what Flower needs does whole or not at all."""
    there = {name: is_there(folder / name) for name in names}
    to_sign = [name for name in names if Path(name).name in _SIGNING]
    is_for_flower = any(there[name] for name in names if name not in to_sign)
    return there if is_for_flower else {name: there[name] for name in to_sign}


def _private_of(files: Mapping[str, bool], place: str) -> dict[str, bool]:
    """Which private keys belong into a folder, and whether they are there."""
    return {name: it for name, it in files.items() if name.startswith(place) and name.endswith(".key")}


def _find_missing(files: Mapping[str, bool], *, is_own: bool) -> Iterator[Finding]:
    """Find what is missing; private keys of a site may be with it, but not half of them."""
    for name in [name for name, is_present in files.items() if not is_present]:
        if is_own:
            yield Finding(name, coded("missing-here"))
        elif not name.startswith(SITES) or not name.endswith(".key"):
            yield Finding(name, coded("missing"))
        else:
            here = [
                own for own, is_present in _private_of(files, f"{name.rpartition('/')[0]}/").items() if is_present
            ]
            yield from (Finding(name, coded("half-handed", left=Path(left).name)) for left in here)


def _read(path: Path) -> tuple[Any, Coded | None]:
    """Read a file, and say what is wrong with it; a private key must be so."""
    try:
        value = read_as(path, _READERS[path.name])
    except ProtocolError as error:
        return None, coded("unusable", detail=str(error).removeprefix(one_line(f"{path}: ")))
    mode = find_open_mode(path) if path.suffix == ".key" else None
    return value, coded("open-to-others", mode=mode, quoted=shlex.quote(str(path))) if mode else None


def _find_untimely(certificates: Mapping[str, x509.Certificate], now: float) -> Iterator[Finding]:
    for file, certificate in certificates.items():
        starts, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if ends <= to_time(now):
            yield Finding(file, coded(f"ended-{_AGAIN[file]}", at=ends.timestamp()))
        if starts > to_time(now):
            yield Finding(file, coded("not-yet-valid", at=starts.timestamp()))


def _rules(values: Mapping[str, Any], index: Index | None) -> Iterator[Rule]:
    for name in ("ca", "server"):
        certificate = values.get(f"{TLS}/{name}.crt")
        public = None if certificate is None else certificate.public_key()
        yield Rule(f"{TLS}/{name}.key", public, coded("other-half", of=f"{name}.crt"))
    keys: list[tuple[str, str | None]] = [("", None)]
    if index is not None:
        keys = [(f"{place}/", index.sites[name]) for name, place in index.folders.items()]
        keys = [(f"{OPERATOR}/", index.operator), *keys]
    for place, listed in keys:
        signing, supernode = (values.get(f"{place}{name}.pub") for name in ("signing", "supernode"))
        yield Rule(f"{place}signing.pub", listed, coded("not-listed"))
        yield Rule(f"{place}signing.key", listed or signing, coded("other-half", of="signing.pub"))
        yield Rule(f"{place}supernode.key", supernode, coded("other-half", of="supernode.pub"))
        if index is not None:
            yield Rule(f"{place}operator.pub", index.operator, coded("other-operator"))
            yield Rule(
                f"{place}ca.crt", values.get(f"{TLS}/ca.crt"), coded("other-authority", copy=f"{TLS}/ca.crt")
            )


def _find_shared(keys: Mapping[str, str | bytes | None], what: str) -> Iterator[Finding]:
    first: dict[str | bytes, str] = {}
    for name, key in keys.items():
        if key is not None and first.setdefault(key, name) != name:
            yield Finding("", coded("one-key", first=first[key], second=name, what=what))


def _find_strange(folder: Path, values: Mapping[str, Any], index: Index) -> Iterator[Finding]:
    """Find what a whole set alone can tell: another authority's server, a key of two sites, folders of nobody."""
    ca, server = (values.get(f"{TLS}/{name}.crt") for name in ("ca", "server"))
    if ca and server and not is_issued_by(server, ca):
        yield Finding(f"{TLS}/server.crt", coded("other-issuer"))
    supernodes = {name: values.get(f"{place}/supernode.pub") for name, place in index.folders.items()}
    yield from _find_shared(index.sites, "signing")
    yield from _find_shared(supernodes, "SuperNode")
    parent = folder / SITES
    for name in sorted(f"{SITES}/{path.name}" for path in parent.iterdir()) if parent.is_dir() else ():
        if name not in index.folders.values():  # as an add that was killed leaves behind
            yield Finding(name, coded("leftover"))


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
        What :func:`fedpact.protocol.make_keys` made, or the folder in it that a site was handed.
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
    files = _find_files(place, of_sites if is_own else [*_OF_OPERATOR, *of_sites])
    read = {name: _read(place / name) for name, is_present in files.items() if is_present}
    values = {name: value for name, (value, _) in read.items() if value is not None}
    certificates = {name: values[name] for name in _AGAIN if name in values}
    found = [
        *_find_missing(files, is_own=is_own),
        *(Finding(name, problem) for name, (_, problem) in read.items() if problem is not None),
        *_find_untimely(certificates, at),
        *(
            Finding(rule.file, rule.problem)
            for rule in _rules(values, index)
            if rule.due and values.get(rule.file, rule.due) != rule.due
        ),
        *(() if index is None else _find_strange(place, values, index)),
    ]
    ends_soon = any(one.not_valid_after_utc < to_time(at) + SOON for one in certificates.values())
    sound = KeysCheckStatus.ENDS_SOON if ends_soon else KeysCheckStatus.SOUND
    here = {name: _private_of(files, prefix).values() for name, prefix in places.items()}
    return KeysCheck(
        folder=fspath(folder),
        sites={name: values.get("signing.pub", "") for name in own} if index is None else index.sites,
        files=files,
        handed_over=tuple(name for name, keys in here.items() if not is_own and not any(keys)),
        incomplete=tuple(name for name, keys in here.items() if not all(keys) and (is_own or any(keys))),
        certificates=tuple(_to_check(name, certificate) for name, certificate in certificates.items()),
        problems=tuple(
            KeysProblem(file=str(place / name), code=one.code, values=one.values) for name, one in found
        ),
        status=KeysCheckStatus.UNSOUND if found else sound,
    )
