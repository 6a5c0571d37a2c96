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

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from fedpact.describe.slugs import make_slugs
from fedpact.errors import FederationError, ProtocolError
from fedpact.protocol.check_sites import check_sites
from fedpact.protocol.keys.key_set import INDEX, OPERATOR, KeySet, make_keys, read_keys
from fedpact.protocol.ledger.place import say_ledger
from fedpact.protocol.ledger.store import Ledger, refuse_other_files
from fedpact.protocol.operator.operator import read_run
from fedpact.protocol.operator.operator_files import FILE, read_settings, write_operator
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import Pact, with_keys
from fedpact.protocol.site.site import Site
from fedpact.protocol.site.site_files import read_site
from fedpact.protocol.site.write_site import write_site
from fedpact.protocol.whole_files import alone_at


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


class _Placed(NamedTuple):
    """A site that has a folder of its own."""

    folder: Path
    site: Site


def _find_keys(home: Path, given: str | PathLike[str] | None, names: Sequence[str]) -> KeySet:
    """Read the keys that are there; in the home itself a set is made if there is none."""
    folder = home / "keys" if given is None else Path(given).resolve()
    has_keys = (folder / INDEX).exists()
    if given is not None and not has_keys:
        raise ProtocolError(f"there are no keys in {folder}; make them with: fedpact keys make")
    keys = read_keys(folder) if has_keys else make_keys(folder, names)
    missing = [name for name in names if name not in keys.sites]
    if missing:
        raise ProtocolError(f"{folder} has no keys of site {missing[0]!r}; make them with: fedpact keys add")
    return keys


def _check_books(home: Path, where: str) -> None:
    """Refuse books with a run that is still to be continued: what it needs would be written over."""
    with Ledger.open_or_create(where) as books:
        last = books.last("open")
        if last is not None and read_run(books).status is not RunStatus.FINISHED:
            raise ProtocolError(
                f"run {last.run!r} in {books.where} is not finished; continue it with: fedpact run --resume "
                f"{shlex.quote(str(home))}, or take another home and ledger"
            )


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
    home = Path(folder).resolve()
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProtocolError(f"{home} cannot be the home of a run: {error.strerror}; name a folder") from None
    return home


def _write_sites(home: Path, pact: Pact, sites: Mapping[str, Site], keys: KeySet) -> dict[str, Path]:
    slugs = dict(zip(pact.names, make_slugs(pact.names), strict=True))
    folders = {}
    for name, site in sites.items():
        key, folder = Path(keys.folder) / keys.folders[name] / "signing.key", home / "sites" / slugs[name]
        named = os.path.relpath(key, folder) if key.is_relative_to(home) else str(key)
        folders[name] = write_site(site, folder, key=named, operator=keys.operator)
    return folders


def _read_folders(folders: Sequence[str | PathLike[str]]) -> dict[str, _Placed]:
    """Read sites from their own folders."""
    found: dict[str, _Placed] = {}
    for folder in folders:
        site = read_site(folder)
        if site.name in found:
            raise FederationError(f"{folder}: site {site.name!r} is in {found[site.name].folder} already")
        found[site.name] = _Placed(Path(folder), site)
    return found


def _sign_with_own(pact: Pact, placed: Mapping[str, _Placed], operator: str) -> Pact:
    """Name the keys that the sites have themselves; one without a key does not sign."""
    sites = {name: site for name, (_, site) in placed.items()}
    check_sites(with_keys(pact, {}, operator), sites)
    return with_keys(pact, {name: site.key.public for name, site in sites.items() if site.key}, operator)


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
        is asked, and paid, once more.

    Raises
    ------
    FederationError
        If ``folders`` are not those of the pact's sites, or the keys in them are others.
    ProtocolError
        If the books have a run that is not finished, or one that is finished and no other is meant; if the home is
        that of another federation; or if keys are missing.
    """
    placed_sites = _read_folders(folders)
    home = _make_folder(folder)
    former = read_home(home) if (home / "operator" / FILE).exists() else None
    if ledger is None:
        ledger = str(home / "ledger.db") if former is None else former.ledger
    _check_books(home, ledger)
    if former is not None:
        _check_former(former, pact, rerun=rerun)
    found = _find_keys(home, keys, pact.names)
    placed = Path(found.folder)
    if placed_sites:
        signed = _sign_with_own(pact, placed_sites, found.operator)
        own_folders = {name: folder for name, (folder, _) in placed_sites.items()}
    else:
        signed = with_keys(pact, {name: found.sites[name] for name in pact.names}, found.operator)
        own_folders = _write_sites(home, pact, sites or {}, found)
    write_operator(
        home / "operator",
        signed,
        ledger,
        key=placed / OPERATOR / "signing.key",
        sites=own_folders,
        keys=placed,
        engine=engine,
        superlink=superlink,
    )
    return read_home(home)


def read_home(where: str | PathLike[str]) -> RunHome:
    """Find the home of a run again, from its folder or from its ledger's file."""
    if "://" in str(where):
        raise ProtocolError("a database does not say where the home of its run is; give that folder instead")
    path = Path(where).resolve()
    home = path.parent if path.is_file() else path
    if path.is_file() and not (home / "operator" / FILE).exists():
        refuse_other_files(path)
        raise ProtocolError(f"{path} is kept apart from its run; give the folder of the run (--home) instead")
    kept = read_settings(home / "operator")
    return RunHome(
        folder=home,
        pact=Pact.from_dict(kept["pact"]),
        ledger=kept["ledger"],
        sites={name: Path(folder) for name, folder in kept["sites"].items()},
        keys=Path(kept["keys"]),
        entries=kept["entries"],
        engine=kept.get("engine"),
        superlink=kept.get("superlink"),
    )
