"""The home of a run: everything that it needs to be carried out, and to be taken up again, in one folder.

::

    HOME/
      ledger.db            the books, unless they are kept elsewhere
      operator/run.json    the pact, where the ledger and the sites are, and which key signs
      keys/                keys of the operator and of every site (:mod:`fedpact.protocol.keys.key_set`)
      sites/<site>/        a folder for every site (:mod:`fedpact.protocol.site.site_files`)

Sites that are made up, or trained here for a trial, have their folders in the home. In a real federation they
are at the sites, and the home has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from fedpact.describe.slugs import make_slugs
from fedpact.errors import ProtocolError
from fedpact.protocol.keys.key_set import INDEX, OPERATOR, KeySet, make_keys, read_keys
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.operator import read_run
from fedpact.protocol.operator.operator_files import FILE, read_settings, write_operator
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import Pact, with_keys
from fedpact.protocol.site.site import Site
from fedpact.protocol.site.site_files import write_site


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

    @property
    def operator(self) -> Path:
        """The folder that the operator's process reads."""
        return self.folder / "operator"


def _find_keys(folder: Path, names: Sequence[str]) -> KeySet:
    """Read the keys that are there, or make a set."""
    keys = read_keys(folder) if (folder / INDEX).exists() else make_keys(folder, names)
    missing = [name for name in names if name not in keys.sites]
    if missing:
        raise ProtocolError(f"{folder} has no keys of site {missing[0]!r}; make them with: fedpact keys add")
    return keys


def _check_books(where: str) -> None:
    """Refuse books with a run that is still to be continued: what it needs would be written over."""
    with Ledger.open_or_create(where) as books:
        last = books.last("open")
        if last is not None and read_run(books).status is not RunStatus.FINISHED:
            raise ProtocolError(
                f"run {last.run!r} in {where} is not finished; continue it with: fedpact run --resume HOME, or "
                "take another home and ledger"
            )


def prepare_home(
    folder: str | PathLike[str],
    pact: Pact,
    sites: Mapping[str, Site] | None = None,
    *,
    keys: str | PathLike[str] | None = None,
    ledger: str | None = None,
    starts: Sequence[Mapping[str, Any] | None] | None = None,
) -> RunHome:
    """Write everything that a run needs.

    In a home where a run is finished another one is made ready, with the same keys and in the same books.

    Parameters
    ----------
    folder
        Made if it is not there.
    pact
        What was agreed on; it is given the keys' public halves.
    sites
        Sites that live on this machine, whose folders are written.
    keys
        A folder of keys; if not given, ``keys`` in the home, made if they are not there.
    ledger
        Path or URL of the books; if not given, ``ledger.db`` in the home.
    starts
        For every candidate the weights from which training goes on, if the pact says that it does.

    Raises
    ------
    ProtocolError
        If the books have a run that is not finished, or there are keys, but none of some site.
    """
    home = Path(folder).resolve()
    home.mkdir(parents=True, exist_ok=True)
    books = str(home / "ledger.db") if ledger is None else ledger
    _check_books(books)
    found = _find_keys(home / "keys" if keys is None else Path(keys).resolve(), pact.names)
    signed = with_keys(pact, {name: found.sites[name] for name in pact.names}, found.operator)
    placed = Path(found.folder)
    slugs = dict(zip(pact.names, make_slugs(pact.names), strict=True))
    folders = {}
    for name, site in (sites or {}).items():
        key = placed / found.folders[name] / "signing.key"
        folders[name] = write_site(site, home / "sites" / slugs[name], key=str(key), operator=found.operator)
    key = placed / OPERATOR / "signing.key"
    write_operator(home / "operator", signed, books, key=key, sites=folders, keys=placed, starts=starts)
    return read_home(home)


def read_home(where: str | PathLike[str]) -> RunHome:
    """Find the home of a run again, from its folder or from its ledger's file."""
    path = Path(where).resolve()
    home = path.parent if path.is_file() else path
    if path.is_file() and not (home / "operator" / FILE).exists():
        raise ProtocolError(f"{path} is kept apart from its run; give the folder of the run (--home) instead")
    kept = read_settings(home / "operator")
    return RunHome(
        folder=home,
        pact=Pact.from_dict(kept["pact"]),
        ledger=kept["ledger"],
        sites={name: Path(folder) for name, folder in kept["sites"].items()},
        keys=Path(kept["keys"]),
        entries=kept["entries"],
    )
