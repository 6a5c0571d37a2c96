"""The home of a run: everything that it needs to be carried out, and to be taken up again, in one folder.

::

    HOME/
      ledger.db            the books, unless they are kept elsewhere
      operator/run.json    the pact, where the ledger and the sites are, and which key signs
      keys/                keys of the operator and of every site (:mod:`fedpact.protocol.keys.key_set`)
      sites/<site>/        a folder for every site (:mod:`fedpact.protocol.site.site_files`)

Sites that are made up, or made here for a trial, have their folders in the home. In a real federation they
are at the sites, and the home has none. What lies in the home is named relative to it, so that it can be copied
or moved.
"""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from fedpact import formats
from fedpact.describe.names import make_slugs, nearest
from fedpact.describe.whole_files import alone_at, make_folder, write_whole
from fedpact.errors import FederationError, ProtocolError
from fedpact.protocol.files import OF_RUN, keep_path, read_kept
from fedpact.protocol.keys.key_set import INDEX, OPERATOR, Index, KeySet, make_keys, read_index, read_keys
from fedpact.protocol.keys.signing import read_key
from fedpact.protocol.ledger.anchor import anchored, insist_on_head, remember_head
from fedpact.protocol.ledger.place import file_of, is_address, read_place, say_ledger
from fedpact.protocol.ledger.store import Ledger, refuse_other_files
from fedpact.protocol.operator.operator import Operator, abandon, continue_or_start, read_run
from fedpact.protocol.operator.run_state import OVER, RunStatus
from fedpact.protocol.pact import Pact, with_keys
from fedpact.protocol.site.site import Site
from fedpact.protocol.site.site_files import read_site
from fedpact.protocol.site.write_site import write_site


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHome:
    """Where the parts of a run are."""

    folder: Path
    pact: Pact
    ledger: str
    """Path or URL of the books."""
    sites: Mapping[str, Path]
    """Site -> its folder, if that is on this machine."""
    keys: Path
    key: Path
    """The operator's, which signs."""
    entries: int
    """Entries that the books had when the run was prepared: those of runs before it."""
    engine: str | None = None
    """What was to carry its messages, if that was said."""
    superlink: str | None = None
    """Where its sites have joined, if that is elsewhere."""

    @property
    def operator(self) -> Path:
        """The folder that the operator's process reads."""
        return self.folder / "operator"

    @property
    def books(self) -> str:
        """Path of the books, or their URL without its password: what may be shown."""
        return say_ledger(self.ledger)


def write_home(home: RunHome) -> None:
    """Write what the operator's process needs, for its eyes alone: a ledger's URL may have a password."""
    path = file_of(read_place(home.ledger))
    kept = {
        "format": formats.HOME,
        "pact": home.pact.to_dict(),
        "ledger": home.ledger if path is None else keep_path(home.folder, path),
        "entries": home.entries,
        "key": keep_path(home.folder, home.key),
        "keys": keep_path(home.folder, home.keys),
        "sites": {name: keep_path(home.folder, own) for name, own in home.sites.items()},
        "engine": home.engine,
        "superlink": home.superlink,
    }
    home.operator.mkdir(parents=True, exist_ok=True)
    home.operator.chmod(0o700)
    write_whole(home.folder / OF_RUN, json.dumps(kept, indent=2, ensure_ascii=False).encode())


def _find_keys(home: Path, given: str | PathLike[str] | None, names: Sequence[str]) -> KeySet:
    """Read the keys that are there; in the home itself a set to sign with is made if there is none."""
    folder = home / "keys" if given is None else Path(given).resolve()
    has_keys = (folder / INDEX).exists()
    if given is not None and not has_keys:
        raise ProtocolError(f"there are no keys in {folder}; make them with: fedpact keys make")
    keys = read_keys(folder) if has_keys else make_keys(folder, names, for_flower=False)
    missing = [name for name in names if name not in keys.sites]
    if missing:
        raise ProtocolError(f"{folder} has no keys of site {missing[0]!r}; make them with: fedpact keys add")
    return keys


def _check_books(home: Path, where: str, *, is_known: bool, rerun: bool) -> int:
    """Count the entries; refuse a run that is still to be continued: what it needs would be written over.

    One that stopped before anybody labelled is abandoned if another is meant.
    """
    with Ledger.open_or_create(where) as books:
        if is_known:
            insist_on_head(home, books)
        last = books.last("open")
        state = None if last is None else read_run(books)
        if state is not None and state.status not in OVER:
            if not rerun or state.status is not RunStatus.STOPPED or any(state.contributed.values()):
                raise ProtocolError(
                    f"run {state.run!r} in {books.where} is not finished; continue it with: fedpact run --resume "
                    f"{shlex.quote(str(home))}, or take another home and ledger; one that stopped before anybody "
                    "labelled can be given up for another with --rerun"
                )
            abandon(books, now=time.time())
        return len(books)


def _name_ledger(where: str) -> str:
    """Name a ledger the same however its path is written."""
    path = file_of(read_place(where))
    return where if path is None else str(path.resolve())


def _check_former(former: RunHome, pact: Pact, *, rerun: bool) -> None:
    """Refuse the home of another federation, and to pay for the same run once more unless that is meant."""
    if former.pact.names != pact.names:
        raise ProtocolError(
            f"{former.folder} is the home of {former.pact.name!r} with the sites {', '.join(former.pact.names)}; "
            f"take another home for {pact.name!r}"
        )
    if rerun:
        return
    with Ledger.open_or_create(former.ledger) as books:
        if len(books) > former.entries:
            raise ProtocolError(
                f"the run of {former.folder} is finished, and everybody is paid; to run and pay once more, say so "
                "with --rerun"
            )


@contextmanager
def hold_home(folder: str | PathLike[str]) -> Iterator[None]:
    """Let no other process prepare or carry out a run in this home meanwhile.

    Raises
    ------
    ProtocolError
        If another process does.
    """
    home = _make_folder(folder)
    with ExitStack() as held:
        try:
            held.enter_context(alone_at(home / ".lock", waits=False))
        except BlockingIOError:
            raise ProtocolError(f"another process is at work in {home}; wait for it, or end it") from None
        yield


def _make_folder(folder: str | PathLike[str]) -> Path:
    return make_folder(Path(folder).resolve(), ProtocolError, "name a folder that can be the home of a run")


def _write_sites(home: Path, pact: Pact, sites: Mapping[str, Site], keys: KeySet) -> dict[str, Path]:
    slugs = dict(zip(pact.names, make_slugs(pact.names), strict=True))
    folders = {}
    for name, site in sites.items():
        key, folder = Path(keys.folder) / keys.folders[name] / "signing.key", home / "sites" / slugs[name]
        named = os.path.relpath(key, folder) if key.is_relative_to(home) else str(key)
        folders[name] = write_site(site, folder, key=named, operator=keys.operator)
    return folders


def _read_folders(folders: Sequence[str | PathLike[str]]) -> dict[Path, Site]:
    """Read sites from their own folders."""
    found: dict[Path, Site] = {}
    for folder in folders:
        site = read_site(folder)
        if before := [path for path, other in found.items() if other.name == site.name]:
            raise FederationError(f"{folder}: site {site.name!r} is in {before[0]} already")
        found[Path(folder)] = site
    return found


def _check_site_keys(pact: Pact, site: Site) -> None:
    own, agreed = None if site.key is None else site.key.public, pact.keys.get(site.name)
    if agreed is not None and own != agreed:
        signs = "does not sign" if own is None else f"signs with the key {own[:16]}..."
        raise FederationError(f"site {site.name!r} {signs}; the pact names the key {agreed[:16]}...")
    if site.operator is not None and site.operator != pact.operator:
        known = "none" if pact.operator is None else f"{pact.operator[:16]}..."
        raise FederationError(
            f"site {site.name!r} answers only an operator with the key {site.operator[:16]}...; the pact's is "
            f"{known}"
        )


def check_sites(pact: Pact, sites: Mapping[str, Site]) -> None:
    """Refuse missing sites, strangers, and those whose keys are not the pact's."""
    for name in pact.names:
        if name not in sites:
            raise FederationError(f"sites must hold every agent of the federation; {name!r} is not there")
    for name, site in sites.items():
        if name not in pact.names:
            raise FederationError(
                f"sites name {name!r}, who is not in the federation; {nearest(name, pact.names)}"
            )
        if site.name != name:
            raise FederationError(f"sites must be by their names; {name!r} is called {site.name!r}")
        _check_site_keys(pact, site)


def prepare_home(
    folder: str | PathLike[str],
    pact: Pact,
    sites: Mapping[str, Site] | None = None,
    *,
    folders: Sequence[str | PathLike[str]] = (),
    keys: str | PathLike[str] | None = None,
    ledger: str | None = None,
    engine: str | None = None,
    superlink: str | None = None,
    rerun: bool = False,
) -> RunHome:
    """Write everything that a run needs.

    Parameters
    ----------
    folder
        Made if it is not there.
    pact
        What was agreed on; it is given the keys' public halves.
    sites
        Sites that live on this machine, whose folders are written.
    folders
        Instead of ``sites``, their own folders on this machine, which stay where they are. Sites with keys sign.
    keys
        A folder of keys; if not given, ``keys`` in the home, made if they are not there.
    ledger
        Path or URL of the books; if not given, those of the run before, or ``ledger.db`` in the home.
    engine, superlink
        What will carry the messages, kept for whoever resumes the run.
    rerun
        In a home where a run is finished, make another ready, with the same keys and in the same books; everybody
        is asked, and paid, once more. A run that stopped before anybody labelled is abandoned.

    Raises
    ------
    FederationError
        If ``folders`` are not those of the pact's sites, or the keys in them are others.
    ProtocolError
        If the books have a run that is not finished, or one that is finished and no other is meant; if the home is
        that of another federation; or if keys are missing.
    """
    placed, home = _read_folders(folders), _make_folder(folder)
    home.chmod(0o700)  # books, keys and made-up sites' labels are in it
    former = read_home(home) if (home / OF_RUN).exists() else None
    if ledger is None:
        ledger = str(home / "ledger.db") if former is None else former.ledger
    is_known = former is not None and _name_ledger(former.ledger) == _name_ledger(ledger)
    entries = _check_books(home, ledger, is_known=is_known, rerun=rerun)
    if former is not None:
        _check_former(former, pact, rerun=rerun)
    found = _find_keys(home, keys, pact.names)
    if placed:  # whoever has no key of its own does not sign
        own = {site.name: site for site in placed.values()}
        check_sites(with_keys(pact, {}, found.operator), own)
        public = {name: site.key.public for name, site in own.items() if site.key}
        own_folders = {site.name: path for path, site in placed.items()}
    else:
        public = {name: found.sites[name] for name in pact.names}
        own_folders = _write_sites(home, pact, sites or {}, found)
    made = RunHome(
        folder=home,
        pact=with_keys(pact, public, found.operator),
        ledger=ledger,
        sites=own_folders,
        keys=Path(found.folder),
        key=Path(found.folder) / OPERATOR / "signing.key",
        entries=entries,
        engine=engine,
        superlink=superlink,
    )
    write_home(made)
    with Ledger.open(made.ledger) as books:
        remember_head(home, books)
    return read_home(home)


def read_home(where: str | PathLike[str]) -> RunHome:
    """Find the home of a run again, from its folder or from its ledger's file; all paths are absolute."""
    if "://" in str(where):
        raise ProtocolError("a database does not say where the home of its run is; give that folder instead")
    path = Path(where).resolve()
    home = path.parent if path.is_file() else path
    if path.is_file() and not (home / OF_RUN).exists():
        refuse_other_files(path)
        raise ProtocolError(f"{path} is kept apart from its run; give the folder of the run (--home) instead")
    try:
        kept = read_kept(home / OF_RUN, formats.HOME, "home")
    except FileNotFoundError:
        raise ProtocolError(f"there is no run at {home}; start one with: fedpact run FILE") from None
    return RunHome(
        folder=home,
        pact=Pact.from_dict(kept["pact"]),
        ledger=kept["ledger"] if is_address(kept["ledger"]) else str(home / kept["ledger"]),
        sites={name: home / own for name, own in kept["sites"].items()},
        keys=home / kept["keys"],
        key=home / kept["key"],
        entries=kept["entries"],
        engine=kept.get("engine"),
        superlink=kept.get("superlink"),
    )


def find_public_keys(ledger: str | PathLike[str], keys: str | PathLike[str] | None) -> Index | None:
    """Read the public keys to hold books against: of a folder of keys, else of the home that the books are in.

    Nothing if there is neither: then only the books say whose keys they are.
    """
    if keys is not None:
        given = Path(keys)
        return read_index(given.parent if given.is_file() else given)
    place = Path(ledger)
    home = place if place.is_dir() else place.parent
    if "://" in str(ledger) or not (home / OF_RUN).is_file():
        return None
    found = read_home(home)
    return read_index(found.keys) if found.ledger == str(place.resolve()) or place.is_dir() else None


def read_operator(home: RunHome) -> Operator:
    """Open the ledger of a home and start its run, or continue it.

    A server that died is simply started again; once the run is finished it stays so, and nobody is paid twice.
    """
    key = read_key(home.key)
    ledger = anchored(home.folder, Ledger.open_or_create(home.ledger))
    return continue_or_start(ledger, home.pact, entries=home.entries, key=key)
