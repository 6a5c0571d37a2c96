"""All keys of a federation in one folder, ready to be handed over.

::

    FOLDER/
      public-keys.json     the operator's public signing key and every site's, for the pact; nothing secret
      operator/            stays with the operator
        signing.key, signing.pub          signs what the operator sends
        tls/ca.key, ca.crt                the authority that sites trust
        tls/server.key, server.crt        the SuperLink's
      sites/<site>/        goes to the site as it is
        signing.key, signing.pub          signs what the site sends
        supernode.key, supernode.pub      by which Flower knows the site (ECDSA P-384, OpenSSH)
        operator.pub                      by which the site knows the operator
        ca.crt                            by which the site knows the server

Whoever makes a key could have kept it. Where sites do not trust the operator that far, each makes a set of its own
and sends its public keys only; the pact and Flower need no more.

Everything is made in a folder beside and takes its place in one step, so a call that is interrupted leaves no half
set. Nothing is overwritten but ``public-keys.json`` when sites are added and ``server.crt`` when it is renewed.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import ClassVar, Final, TypeVar

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from fedpact import formats
from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.describe.slugs import make_slugs
from fedpact.errors import ProtocolError
from fedpact.formats import check_format
from fedpact.plain import write_fields
from fedpact.protocol.keys.certificates import (
    Authority,
    certificate_to_pem,
    hosts_of,
    is_key_of,
    make_authority,
    make_ec_key,
    make_server_certificate,
    read_certificate,
    read_days,
    read_ec_key,
    read_hosts,
    to_pem,
)
from fedpact.protocol.keys.key_files import PUBLIC, is_there, read_small, write_new
from fedpact.protocol.keys.signing import SigningKey, is_public_key, save_key
from fedpact.result import Result

INDEX: Final = "public-keys.json"
OPERATOR: Final = "operator"
TLS: Final = f"{OPERATOR}/tls"
SITES: Final = "sites"

_RESERVED = ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
"""What no folder can be called on Windows."""
_FOLDER = re.compile(rf"{SITES}/[a-z0-9][a-z0-9-]*")
_KEYS = ("operator", "sites", "folders")

T = TypeVar("T")


class KeysStatus(StrEnum):
    """What became of a set of keys."""

    MADE = "made"
    """For the operator and every site."""
    ADDED = "added"
    """For new sites."""
    RENEWED = "renewed"
    """The server has a new certificate."""
    FOUND = "found"
    """They were there already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySet(Result):
    """A folder of keys: what is public about it, and where everybody's files are."""

    INDEX: ClassVar = "site"

    folder: str
    operator: str
    """The operator's public signing key."""
    sites: dict[str, str]
    """Every site's public signing key, by its name."""
    folders: dict[str, str]
    """Every site's folder, seen from ``folder``."""
    new_sites: tuple[str, ...]
    """Sites whose keys were made by this call."""
    hosts: tuple[str, ...]
    """Names and addresses by which the server can be reached."""
    valid_until: float
    """When the server's certificate ends, in seconds since the epoch."""
    status: KeysStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """What ``public-keys.json`` holds."""

    operator: str
    sites: dict[str, str]
    folders: dict[str, str]

    def to_json(self) -> bytes:
        """Write it for people to read."""
        entry = {"format": formats.KEYS, **write_fields(self)}
        return (json.dumps(entry, indent=2, ensure_ascii=False) + "\n").encode()


def read_as(path: Path, read: Callable[[bytes], T]) -> T:
    """Read a file's bytes as something; what is wrong with them is said of the file."""
    data = read_small(path)
    try:
        return read(data)
    except ProtocolError as error:
        raise ProtocolError(one_line(f"{path}: {error}")) from None


def _parse_index(data: bytes) -> Index:
    try:
        entry = json.loads(data)
    except (ValueError, RecursionError):
        raise ProtocolError("not JSON; bring back the file as it was made") from None
    operator, sites, folders = [entry.get(key) for key in _KEYS] if isinstance(entry, dict) else 3 * [None]
    if isinstance(entry, dict):
        check_format(entry.get("format"), formats.KEYS, "keys", "the file", ProtocolError)
    if not isinstance(sites, dict) or not isinstance(folders, dict) or sites.keys() != folders.keys():
        raise ProtocolError('must hold "operator", "sites" and "folders", the latter two for the same sites')
    for key in (operator, *sites.values()):
        if not is_public_key(key):
            raise ProtocolError(f"a public key is 64 hexadecimal digits; one is {shorten(key)}")
    for folder in folders.values():
        if not isinstance(folder, str) or not _FOLDER.fullmatch(folder):
            raise ProtocolError(f'every folder must be "{SITES}/" and a plain name; one is {shorten(folder)}')
    return Index(operator=str(operator), sites=sites, folders=folders)


def read_index(folder: Path) -> Index:
    """Read whose public keys a folder holds."""
    return read_as(folder / INDEX, _parse_index)


def _read_sites(sites: Sequence[str], known: Mapping[str, str]) -> list[str]:
    names = [sites] if isinstance(sites, str) else list(sites)
    if not names:
        raise ProtocolError("sites must name at least one site; there is none")
    for name in names:
        if not isinstance(name, str) or not name.strip() or not _is_text(name):
            raise ProtocolError(f"every site must have a non-empty name; one is {shorten(name)}")
        if names.count(name) > 1:
            raise ProtocolError(f"two sites must not have one name; {shorten(name)} is given twice")
        if name in known:
            raise ProtocolError(f"site {shorten(name)} has keys already, and keys are never overwritten")
    return names


def _is_text(name: str) -> bool:
    """Whether a name can be written down: lone surrogates cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _passing_folder(parent: Path) -> Iterator[Path]:
    """Give a folder for this user only, which is gone afterwards unless it was moved."""
    passing = parent / f".{secrets.token_hex(8)}.tmp"
    try:
        passing.mkdir(mode=0o700)
        yield passing
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(one_line(f"{parent}: keys cannot be written here: {reason}")) from None
    finally:
        shutil.rmtree(passing, ignore_errors=True)


def _write_signing(folder: Path) -> str:
    key = SigningKey.generate()
    save_key(key, folder / "signing.key")
    write_new(folder / "signing.pub", f"{key.public}\n".encode(), mode=PUBLIC)
    return key.public


def _write_supernode(folder: Path, comment: str) -> None:
    key = ec.generate_private_key(ec.SECP384R1())
    write_new(folder / "supernode.key", key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    write_new(folder / "supernode.pub", public + f" {comment}\n".encode(), mode=PUBLIC)


def _write_sites(parent: Path, slugs: Sequence[str], operator: str, root: bytes) -> list[str]:
    """Write every site's folder; returns the public signing keys."""
    public = []
    for slug in slugs:
        folder = parent / slug
        folder.mkdir(mode=0o700)
        public.append(_write_signing(folder))
        _write_supernode(folder, slug)
        write_new(folder / "operator.pub", f"{operator}\n".encode(), mode=PUBLIC)
        write_new(folder / "ca.crt", root, mode=PUBLIC)
    return public


def _write_operator(folder: Path, hosts: Sequence[str], days: int, now: float) -> str:
    (folder / TLS).mkdir(parents=True, mode=0o700)
    (folder / OPERATOR).chmod(0o700)
    authority, server = make_authority(now), make_ec_key()
    certificate = make_server_certificate(authority, server.public_key(), hosts, days=days, now=now)
    for name, key in (("ca", authority.key), ("server", server)):
        write_new(folder / TLS / f"{name}.key", to_pem(key))
    for name, made in (("ca", authority.certificate), ("server", certificate)):
        write_new(folder / TLS / f"{name}.crt", certificate_to_pem(made), mode=PUBLIC)
    return _write_signing(folder / OPERATOR)


def _check_is_new(folder: Path) -> None:
    if is_there(folder / INDEX):
        raise ProtocolError(
            one_line(
                f"{folder}: keys are here already, and are never overwritten; "
                "fedpact keys add makes them for more sites, fedpact keys renew a new certificate"
            )
        )
    if is_there(folder) or folder.is_symlink():
        raise ProtocolError(one_line(f"{folder}: is there already; name a folder that is to be made"))
    if not is_there(folder.parent):
        raise ProtocolError(one_line(f"{folder}: cannot be made, since there is no folder {folder.parent}"))


def read_keys(folder: str | PathLike[str]) -> KeySet:
    """Say whose keys a folder holds, and for which hosts and how long its server is certified."""
    return _describe(Path(folder), read_index(Path(folder)), KeysStatus.FOUND)


def _describe(folder: Path, index: Index, status: KeysStatus, new_sites: Sequence[str] = ()) -> KeySet:
    certificate = read_as(folder / TLS / "server.crt", read_certificate)
    return KeySet(
        folder=fspath(folder),
        operator=index.operator,
        sites=index.sites,
        folders=index.folders,
        new_sites=tuple(new_sites),
        hosts=hosts_of(certificate),
        valid_until=certificate.not_valid_after_utc.timestamp(),
        status=status,
    )


def make_keys(
    folder: str | PathLike[str],
    sites: Sequence[str],
    *,
    hosts: Sequence[str] = ("localhost", "127.0.0.1"),
    days: int = 365,
    now: float | None = None,
) -> KeySet:
    """Make all keys of a federation in a folder that is not there yet.

    Parameters
    ----------
    folder
        Where; the folder is made.
    sites
        Names of the sites, each once.
    hosts
        Names and addresses by which the sites reach the server; the loopback addresses are always added.
    days
        How long the server's certificate is valid; :func:`renew_certificate` makes the next one.
    now
        Seconds since the epoch; the clock's if not given.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     made = make_keys(f"{parent}/keys", ["alice", "Bob's clinic"], hosts=["fl.example.org"])
    >>> made.folders
    {'alice': 'sites/alice', "Bob's clinic": 'sites/bob-s-clinic'}
    >>> made.hosts
    ('fl.example.org', 'localhost', '127.0.0.1', '::1')
    """
    names, names_of_server, days = _read_sites(sites, {}), read_hosts(hosts), read_days(days)
    place = Path(folder)
    _check_is_new(place)
    slugs = make_slugs(names, default="site", taken=_RESERVED)
    with _passing_folder(place.parent) as passing:
        operator = _write_operator(passing, names_of_server, days, time.time() if now is None else now)
        (passing / SITES).mkdir(mode=0o700)
        public = _write_sites(passing / SITES, slugs, operator, (passing / TLS / "ca.crt").read_bytes())
        index = _extend(Index(operator=operator, sites={}, folders={}), names, public, slugs)
        write_new(passing / INDEX, index.to_json(), mode=PUBLIC)
        passing.rename(place)
    return _describe(place, index, KeysStatus.MADE, names)


def _extend(index: Index, names: Sequence[str], public: Sequence[str], slugs: Sequence[str]) -> Index:
    folders = [f"{SITES}/{slug}" for slug in slugs]
    return Index(
        operator=index.operator,
        sites=index.sites | dict(zip(names, public, strict=True)),
        folders=index.folders | dict(zip(names, folders, strict=True)),
    )


def _replace(path: Path, data: bytes) -> None:
    """Let new content take the place of the old in one step."""
    passing = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        write_new(passing, data, mode=PUBLIC)
        passing.replace(path)
    except OSError as error:
        raise ProtocolError(one_line(f"{path}: cannot be written: {error.strerror}")) from None
    finally:
        passing.unlink(missing_ok=True)


def _move_in(passing: Path, parent: Path, slugs: Sequence[str], finish: Callable[[], None]) -> None:
    """Move the folders to their places and finish; if anything fails, none has moved."""
    moved: list[Path] = []
    is_done = False
    try:
        for slug in slugs:
            (passing / slug).rename(parent / slug)
            moved.append(parent / slug)
        finish()
        is_done = True
    finally:
        for folder in () if is_done else moved:
            shutil.rmtree(folder, ignore_errors=True)


def add_keys(folder: str | PathLike[str], sites: Sequence[str]) -> KeySet:
    """Make the keys of more sites in a folder of :func:`make_keys`; the keys that are there stay as they are."""
    place = Path(folder)
    index = read_index(place)
    names = _read_sites(sites, index.sites)
    root = read_as(place / TLS / "ca.crt", lambda data: certificate_to_pem(read_certificate(data)))
    parent = place / SITES
    there = [path.name for path in parent.iterdir()] if parent.is_dir() else []
    listed = [Path(known).name for known in index.folders.values()]
    slugs = make_slugs(names, default="site", taken=[*_RESERVED, *there, *listed])
    with _passing_folder(place) as passing:
        public = _write_sites(passing, slugs, index.operator, root)
        parent.mkdir(mode=0o700, exist_ok=True)
        longer = _extend(index, names, public, slugs)
        _move_in(passing, parent, slugs, lambda: _replace(place / INDEX, longer.to_json()))
    return _describe(place, longer, KeysStatus.ADDED, names)


def _read_authority(folder: Path) -> Authority:
    certificate = read_as(folder / "ca.crt", read_certificate)
    key = read_as(folder / "ca.key", read_ec_key)
    if not is_key_of(key, certificate):
        raise ProtocolError(one_line(f"{folder / 'ca.key'}: not the key of ca.crt; bring back the one that is"))
    return Authority(key=key, certificate=certificate)


def renew_certificate(
    folder: str | PathLike[str], *, hosts: Sequence[str] | None = None, days: int = 365, now: float | None = None
) -> KeySet:
    """Certify the server's key anew by the same authority, so that no site has to change anything.

    Parameters
    ----------
    folder, days, now
        As for :func:`make_keys`.
    hosts
        The new names and addresses of the server; those of its present certificate if not given.
    """
    place, days = Path(folder), read_days(days)
    index, authority = read_index(place), _read_authority(place / TLS)
    key = read_as(place / TLS / "server.key", read_ec_key)
    if hosts is None:
        hosts = hosts_of(read_as(place / TLS / "server.crt", read_certificate))
    at = time.time() if now is None else now
    certificate = make_server_certificate(authority, key.public_key(), read_hosts(hosts), days=days, now=at)
    _replace(place / TLS / "server.crt", certificate_to_pem(certificate))
    return _describe(place, index, KeysStatus.RENEWED)
