"""Labelling by people: what a run asks for goes out as a CSV file, and comes back with a column filled in.

A site that finds samples without a label tells the operator that it needs more time, and notes which points
these are. :func:`export_labels` writes them down, each by its number (point 1 is the first line of ``predictions``
below the names), by what the site calls it if ``ids`` in ``site.toml`` says where that is, and with what people
have to see of it if ``examples`` does; :func:`import_labels` takes the filled file, wholly or not at all. The next
time the operator asks, the labels are there, and the run goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from fedpact.describe.names import nearest
from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.describe.spreadsheets import defuse, to_csv
from fedpact.describe.whole_files import write_for_people
from fedpact.errors import FederationError
from fedpact.protocol.files import is_there
from fedpact.protocol.site.annotations import FILE, HEAD, ID, Annotations, read_filled
from fedpact.protocol.site.site_files import FILE as SITE_FILE
from fedpact.protocol.site.site_files import FILES, MEMORY, read_ids, read_lines, read_pool, read_table
from fedpact.protocol.site.site_store import FolderStore
from fedpact.result import Result

_BOM = b"\xef\xbb\xbf"
"""At the start of a file; tells spreadsheets that it is UTF-8."""


class LabellingStatus(StrEnum):
    """How far people are with labelling."""

    NOT_ASKED = "not-asked"
    """No run has asked this site for labels yet."""
    WAITING = "waiting"
    """The run waits for labels."""
    COMPLETE = "complete"
    """Every label that was asked for is there."""
    CONTRIBUTED = "contributed"
    """Every sample that was asked for is labelled and contributed."""


class LabellingStep(StrEnum):
    """What was done."""

    LOOKED = "looked"
    """Nothing changed."""
    EXPORTED = "exported"
    """The points that wait for a label were written to a file."""
    IMPORTED = "imported"
    """Labels were read from a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelling(Result):
    """What a run wants of a site's annotators, and how far they are."""

    DERIVED: ClassVar = ("missing", "status")

    step: LabellingStep = LabellingStep.LOOKED
    wanted: int
    """Points that had no label when the run asked last."""
    labelled: int
    """Those of them that have one now."""
    added: int
    """Labels that the file brought, those for other runs included; 0 if none was imported."""
    repeated: int = 0
    """Rows of the file that say of a point what another row has said already."""
    contributed: int = 0
    """Samples that the site has contributed to the run: how often each candidate is wrong on them."""
    site: str
    folder: str
    """The site's."""
    run: str | None
    """The run that wants them; None if there is none."""
    file: str | None
    """What was written or read."""

    @property
    def missing(self) -> int:
        """Points that still have none."""
        return self.wanted - self.labelled

    @property
    def status(self) -> LabellingStatus:
        """How far people are."""
        if self.run is None:
            return LabellingStatus.NOT_ASKED
        if self.missing:
            return LabellingStatus.WAITING
        is_done = self.contributed and not self.wanted
        return LabellingStatus.CONTRIBUTED if is_done else LabellingStatus.COMPLETE


class _Desk:
    """A site's folder as its annotators need it; its keys are not read."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        place = self.place = Path(folder)
        self.home = place if place.is_dir() else place.parent
        self.table = read_table(place)
        self.name = str(self.table["name"])
        for key in ("labels", "labeller"):
            if key in self.table:
                raise FederationError(
                    one_line(f"{place}: labels come from {key} = {shorten(self.table[key])}, and not from people")
                )
        predicted = read_pool(self.home, self.table)
        self.n, self.ids = predicted.n, read_ids(self.home, self.table, predicted.n)
        self.annotations = Annotations(self.home / FILE, predicted.classes, predicted.n)
        store = FolderStore(self.home / MEMORY)
        records = {run: store.load(run) for run in store.runs()}
        self.wanted = {run: list(record["wanted"]) for run, record in records.items() if "wanted" in record}
        self.contributed = {run: int(record.get("drawn", 0)) for run, record in records.items()}

    def find_run(self, run: str | None) -> str | None:
        """Return the run of that name, or the one that began last of those that asked for labels."""
        if run is not None and run not in self.wanted:
            known = nearest(run, self.wanted) if self.wanted else "none has"
            raise FederationError(f"run {shorten(run)} has not asked site {self.name!r} for labels; {known}")
        return run if run is not None else next(iter(self.wanted), None)

    def count(self, run: str | None) -> Labelling:
        """Say how far labelling is."""
        wanted, known = [] if run is None else self.wanted[run], self.annotations.read()
        return Labelling(
            wanted=len(wanted),
            labelled=sum(place in known for place in wanted),
            added=0,
            contributed=0 if run is None else self.contributed[run],
            site=self.name,
            folder=str(self.place),
            run=run,
            file=None,
        )

    def own_files(self) -> list[Path]:
        """Files of the site, which no export may replace."""
        held_out = self.table.get("held_out")
        named = [*map(self.table.get, FILES), *(held_out.values() if isinstance(held_out, dict) else ())]
        flat = [one for value in named for one in (value if isinstance(value, list) else [value]) if one]
        return [self.home / str(one) for one in (SITE_FILE, FILE, *flat)]


def _title(name: str) -> str:
    """Name a column that people are shown, so that it is not taken for one of ours."""
    return f"example {name}" if name.casefold() in (*HEAD, ID) else name


def _write(desk: _Desk, places: list[int], target: Path, *, force: bool) -> None:
    shown = read_lines(desk.home, desk.table, "examples", desk.n)
    columns: list[tuple[str, list[Any]]] = [(HEAD[0], [place + 1 for place in places])]
    if desk.ids is not None:
        columns.append((ID, [defuse(desk.ids[place]) for place in places]))
    columns.append((HEAD[1], [""] * len(places)))
    if shown is not None:
        rows = [shown.rows[place][1] for place in places]
        columns += [(_title(name), [defuse(row[at]) for row in rows]) for at, name in enumerate(shown.head)]
    if any(target.exists() and is_there(own) and target.samefile(own) for own in desk.own_files()):
        raise FederationError(one_line(f"{target}: is one of the site's own files; choose another name"))
    there = f"{target}: is there already; import what was filled in, then choose another name or force it"
    table = to_csv([name for name, _ in columns], zip(*[cells for _, cells in columns], strict=True))
    write_for_people(target, _BOM + table, force=force, there=there, kind=FederationError)


def export_labels(
    folder: str | PathLike[str], file: str | PathLike[str], *, run: str | None = None, force: bool = False
) -> Labelling:
    """Write the points that wait for a label to a CSV file, for people to fill in the column ``label``.

    Parameters
    ----------
    folder
        The site's folder, :func:`fedpact.protocol.read_site`.
    file
        The file to write.
    run
        The run that wants the labels; if not given, the one that began last of those that asked for any.
    force
        Replace a file that is there; what was filled in there and not imported is lost.

    Raises
    ------
    FederationError
        If nothing waits for a label, or the file cannot be written; nothing has changed then.
    """
    desk, target = _Desk(folder), Path(file)
    seen = replace(desk.count(desk.find_run(run)), step=LabellingStep.EXPORTED, file=str(target))
    if seen.run is None:
        raise FederationError(f"nothing is to be labelled at site {desk.name!r}: no run has asked for labels yet")
    if not seen.missing:
        raise FederationError(f"nothing is to be labelled at site {desk.name!r}: every label asked for is there")
    known = desk.annotations.read()
    _write(desk, [place for place in desk.wanted[seen.run] if place not in known], target, force=force)
    return seen


def import_labels(folder: str | PathLike[str], file: str | PathLike[str]) -> Labelling:
    """Take a file of :func:`export_labels` with labels filled in: all of them, or none if anything is wrong.

    Rows without a label may be filled in later. Other columns, their order, semicolons and what else
    spreadsheets change do not matter.

    Raises
    ------
    FederationError
        With one line per problem: a point that is none, or that nobody asked for; a label that is not among the
        classes; a point with two labels, in the file or before; an id that is no longer that of its point.
    """
    desk, source = _Desk(folder), Path(file)
    if not desk.wanted:
        raise FederationError(f"no run has asked for labels yet; site {desk.name!r} expects none")
    filled = read_filled(source, desk.annotations.classes, desk.n, desk.ids)
    if not filled.labels:
        raise FederationError(one_line(f"{source}: no label is filled in; the column label is empty"))
    expected = frozenset(place for places in desk.wanted.values() for place in places)
    added = desk.annotations.add(filled.labels, expected, source)
    seen, step = desk.count(desk.find_run(None)), LabellingStep.IMPORTED
    return replace(seen, step=step, added=added, repeated=filled.repeated, file=str(source))


def read_labelling(folder: str | PathLike[str], *, run: str | None = None) -> Labelling:
    """Say how many labels a run waits for; see :func:`export_labels` for the arguments."""
    desk = _Desk(folder)
    return desk.count(desk.find_run(run))
