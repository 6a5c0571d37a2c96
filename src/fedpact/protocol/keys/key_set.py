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

A run within one process needs nothing but what is signed with: its set has no ``tls`` and no ``supernode`` and
``ca.crt`` at the sites, until :func:`complete_keys` adds them for Flower.

Whoever makes a key could have kept it. Where sites do not trust the operator that far, each makes a set of its own
and sends its public keys only; the pact and Flower need no more.

Everything is made in a folder beside and takes its place in one step, so a call that is interrupted leaves no half
set. Nothing is overwritten but ``public-keys.json`` when sites are added and ``server.crt`` when it is renewed.
"""

from __future__ import annotations

import json
import math
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import ClassVar, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_ssh_private_key,
    load_ssh_public_key,
)

from fedpact import formats
from fedpact.describe.names import make_slugs
from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.describe.whole_files import write_for_people
from fedpact.errors import ProtocolError
from fedpact.formats import check_format
from fedpact.plain import write_fields
from fedpact.protocol.files import PUBLIC, is_there, read_as, say_os_error, write_new
from fedpact.protocol.keys.certificates import (
    LOOPBACK,
    Authority,
    hosts_of,
    make_authority,
    make_ec_key,
    make_server_certificate,
    read_certificate,
    read_days,
    read_ec_key,
    read_hosts,
    to_pem,
)
from fedpact.protocol.keys.signing import SigningKey, is_public_key, save_key
from fedpact.result import Result

INDEX: Final = "public-keys.json"
OPERATOR: Final = "operator"
TLS: Final = f"{OPERATOR}/tls"
SITES: Final = "sites"

_RESERVED = ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
"""What no folder can be called on Windows."""
_FOLDER = re.compile(rf"{SITES}/[a-z0-9][a-z0-9-]*")
_DAYS = 365


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
    """Names and addresses by which the server can be reached; none if the set is not for Flower."""
    valid_until: float
    """When the server's certificate ends, in seconds since the epoch; infinite if there is none."""
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


def _parse_index(data: bytes) -> Index:
    try:
        entry = json.loads(data)
    except (ValueError, RecursionError):
        raise ProtocolError("not JSON; bring back the file as it was made") from None
    entry = entry if isinstance(entry, dict) else {"format": formats.KEYS}
    check_format(entry.get("format"), formats.KEYS, "keys", "the file", ProtocolError)
    operator, sites, folders = (entry.get(key) for key in ("operator", "sites", "folders"))
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
        if not isinstance(name, str) or not name.strip() or name.encode(errors="ignore").decode() != name:
            raise ProtocolError(f"every site must have a non-empty name; one is {shorten(name)}")
        if names.count(name) > 1:
            raise ProtocolError(f"two sites must not have one name; {shorten(name)} is given twice")
        if name in known:
            raise ProtocolError(f"site {shorten(name)} has keys already, and keys are never overwritten")
    return names


@contextmanager
def _passing_folder(parent: Path) -> Iterator[Path]:
    """Give a folder for this user only, which is gone afterwards unless it was moved."""
    passing = parent / f".{secrets.token_hex(8)}.tmp"
    try:
        passing.mkdir(mode=0o700)
        yield passing
    except (OSError, ValueError) as error:
        raise ProtocolError(one_line(f"{parent}: keys cannot be written here: {say_os_error(error)}")) from None
    finally:
        shutil.rmtree(passing, ignore_errors=True)


def _write_signing(folder: Path) -> str:
    folder.mkdir(mode=0o700)
    key = SigningKey.generate()
    save_key(key, folder / "signing.key")
    write_new(folder / "signing.pub", f"{key.public}\n".encode(), mode=PUBLIC)
    return key.public


def _write_sites(parent: Path, index: Index, names: Sequence[str], slugs: Sequence[str]) -> Index:
    """Write new sites' folders with what they sign with; returns the index with them."""
    public, folders = dict(index.sites), dict(index.folders)
    for name, slug in zip(names, slugs, strict=True):
        public[name], folders[name] = _write_signing(parent / slug), f"{SITES}/{slug}"
        write_new(parent / slug / "operator.pub", f"{index.operator}\n".encode(), mode=PUBLIC)
    return Index(operator=index.operator, sites=public, folders=folders)


def parse_supernode(data: bytes) -> bytes:
    """Read a SuperNode's key, private or public; returns the public one as OpenSSH writes it."""
    try:
        is_private = b"PRIVATE KEY" in data
        key = load_ssh_private_key(data, None).public_key() if is_private else load_ssh_public_key(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise ProtocolError("not an elliptic-curve key in the format of OpenSSH; Flower will refuse it")
    return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)


def _write_for_flower(folder: Path, root: bytes) -> None:
    """Write by what Flower knows a site and the site knows the server, unless it is there."""
    private, public = folder / "supernode.key", folder / "supernode.pub"
    if not is_there(public):
        if not is_there(private):
            made = ec.generate_private_key(ec.SECP384R1())
            write_new(private, made.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
        write_new(public, read_as(private, parse_supernode) + f" {folder.name}\n".encode(), mode=PUBLIC)
    if not is_there(folder / "ca.crt"):
        write_new(folder / "ca.crt", root, mode=PUBLIC)


def _write_tls(folder: Path, hosts: Sequence[str], days: int, now: float) -> None:
    authority, key = make_authority(now), make_ec_key()
    server = make_server_certificate(authority, key.public_key(), hosts, days=days, now=now)
    for name, own, certificate in (("ca", authority.key, authority.certificate), ("server", key, server)):
        write_new(folder / f"{name}.key", to_pem(own))
        write_new(folder / f"{name}.crt", to_pem(certificate), mode=PUBLIC)


def _complete(place: Path, folders: Iterable[str], hosts: Sequence[str], days: int, now: float | None) -> None:
    """Add whatever Flower needs and a set has not."""
    if not is_there(place / TLS):
        for folder in folders:
            if is_there(place / folder / "ca.crt"):
                raise ProtocolError(
                    one_line(f"{place / TLS}: is missing, and sites trust its ca.crt; bring it back")
                )
        with _passing_folder(place) as passing:
            _write_tls(passing, hosts, days, time.time() if now is None else now)
            passing.rename(place / TLS)
    root = to_pem(read_as(place / TLS / "ca.crt", read_certificate))
    for folder in folders:
        _write_for_flower(place / folder, root)


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
    has_server = is_there(folder / TLS)
    certificate = read_as(folder / TLS / "server.crt", read_certificate) if has_server else None
    return KeySet(
        folder=fspath(folder),
        operator=index.operator,
        sites=index.sites,
        folders=index.folders,
        new_sites=tuple(new_sites),
        hosts=() if certificate is None else hosts_of(certificate),
        valid_until=math.inf if certificate is None else certificate.not_valid_after_utc.timestamp(),
        status=status,
    )


def make_keys(
    folder: str | PathLike[str],
    sites: Sequence[str],
    *,
    hosts: Sequence[str] = ("localhost", "127.0.0.1"),
    days: int = _DAYS,
    now: float | None = None,
    for_flower: bool = True,
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
    for_flower
        If not, make only what is signed with, which is enough for a run within one process.

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
        new = Index(operator=_write_signing(passing / OPERATOR), sites={}, folders={})
        (passing / SITES).mkdir(mode=0o700)
        index = _write_sites(passing / SITES, new, names, slugs)
        if for_flower:
            _complete(passing, index.folders.values(), names_of_server, days, now)
        write_new(passing / INDEX, index.to_json(), mode=PUBLIC)
        passing.rename(place)
    return _describe(place, index, KeysStatus.MADE, names)


def complete_keys(folder: str | PathLike[str]) -> KeySet:
    """Add to a set that was made for runs within one process what Flower needs; what is there stays as it is."""
    place, index = Path(folder), read_index(Path(folder))
    _complete(place, index.folders.values(), LOOPBACK, _DAYS, None)
    return _describe(place, index, KeysStatus.FOUND)


def add_keys(folder: str | PathLike[str], sites: Sequence[str]) -> KeySet:
    """Make the keys of more sites in a folder of :func:`make_keys`; the keys that are there stay as they are."""
    place = Path(folder)
    index = read_index(place)
    names = _read_sites(sites, index.sites)
    parent = place / SITES
    there = [path.name for path in parent.iterdir()] if parent.is_dir() else []
    listed = [Path(known).name for known in index.folders.values()]
    slugs = make_slugs(names, default="site", taken=[*_RESERVED, *there, *listed])
    with _passing_folder(place) as passing:
        longer = _write_sites(passing, index, names, slugs)
        if is_there(place / TLS):
            root = to_pem(read_as(place / TLS / "ca.crt", read_certificate))
            for slug in slugs:
                _write_for_flower(passing / slug, root)
        parent.mkdir(mode=0o700, exist_ok=True)
        with ExitStack() as undo:
            for slug in slugs:
                (passing / slug).rename(parent / slug)
                undo.callback(shutil.rmtree, parent / slug, ignore_errors=True)
            write_for_people(place / INDEX, longer.to_json(), kind=ProtocolError)
            undo.pop_all()
    return _describe(place, longer, KeysStatus.ADDED, names)


def _read_authority(folder: Path) -> Authority:
    certificate = read_as(folder / "ca.crt", read_certificate)
    key = read_as(folder / "ca.key", read_ec_key)
    if key.public_key() != certificate.public_key():
        raise ProtocolError(one_line(f"{folder / 'ca.key'}: not the key of ca.crt; bring back the one that is"))
    return Authority(key=key, certificate=certificate)


def renew_certificate(
    folder: str | PathLike[str], *, hosts: Sequence[str] | None = None, days: int = _DAYS, now: float | None = None
) -> KeySet:
    """Certify the server's key anew by the same authority, so that no site has to change anything.

    A set without certificates is completed for Flower.

    Parameters
    ----------
    folder, days, now
        As for :func:`make_keys`.
    hosts
        The new names and addresses of the server; those of its present certificate if not given.
    """
    place, days = Path(folder), read_days(days)
    index = read_index(place)
    if not is_there(place / TLS):
        _complete(place, index.folders.values(), read_hosts(hosts or ()), days, now)
        return _describe(place, index, KeysStatus.RENEWED)
    authority, key = _read_authority(place / TLS), read_as(place / TLS / "server.key", read_ec_key)
    if hosts is None:
        hosts = hosts_of(read_as(place / TLS / "server.crt", read_certificate))
    at = time.time() if now is None else now
    certificate = make_server_certificate(authority, key.public_key(), read_hosts(hosts), days=days, now=at)
    write_for_people(place / TLS / "server.crt", to_pem(certificate), kind=ProtocolError)
    return _describe(place, index, KeysStatus.RENEWED)
