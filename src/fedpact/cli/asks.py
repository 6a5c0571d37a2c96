"""Labels that people give: what is asked goes out as a CSV file, comes back filled in, and a state keeps it all.

Points are numbered from 1 there, as for ``fedpact label``. The state is on the disk before anything is asked, and
points that were asked and not told stand in every new file of asks, so whichever file is lost, no label is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fedpact as fp
from fedpact.cli.label_files import find_strange, read_label
from fedpact.describe.evidence import Table
from fedpact.describe.label_codes import Label
from fedpact.describe.names import nearest
from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line, read_text
from fedpact.describe.spreadsheets import defuse, find_column, is_same_cell, read_sheet, to_csv
from fedpact.describe.whole_files import write_for_people
from fedpact.errors import Problems
from fedpact.selection.list_points import list_classes
from fedpact.selection.terms import read_terms

_BOM = b"\xef\xbb\xbf"
"""At the start of a file; tells spreadsheets that it is UTF-8."""
_OPTIONS = {"ask": "how", "plan": "contributions", "rng": "seed"}
"""Options of a selector -> what its terms call them, where that differs."""


def load_selector(path: Path, fed: fp.Federation, options: Mapping[str, Any]) -> fp.Selector:
    """Go on from a state; options that are given must be those it began with."""
    try:
        entry = json.loads(read_text(path))
        selector = fp.Selector.from_dict(fed, _raise_budget(entry, options))
    except (fp.FederationError, ValueError, RecursionError) as error:
        raise fp.FederationError(one_line(f"{path}: the state cannot be read: {error}")) from None
    terms = selector.terms
    given = {key: value for key, value in options.items() if value is not None}
    own = {key: getattr(terms, _OPTIONS.get(key, key)) for key in options}
    _, asked = read_terms(fed, **{**own, **given})
    for key in given:
        name = _OPTIONS.get(key, key)
        if getattr(asked, name) != getattr(terms, name):
            raise fp.FederationError(
                f"{path} was begun with {name} {shorten(getattr(terms, name))} and now it is "
                f"{shorten(getattr(asked, name))}; leave it out, or begin another state"
            )
    return selector


def _raise_budget(entry: Any, options: Mapping[str, Any]) -> Any:
    """Put in a larger budget, if one is asked for: the one thing that may change."""
    more, terms = options.get("max_labels"), entry.get("terms") if isinstance(entry, Mapping) else None
    known = terms.get("max_labels") if isinstance(terms, Mapping) else None
    is_more = isinstance(known, int) and isinstance(more, int) and more > known
    return {**entry, "terms": {**terms, "max_labels": more}} if is_more and isinstance(terms, Mapping) else entry


def save_selector(path: Path, selector: fp.Selector) -> None:
    """Write the state, whole or not at all."""
    data = json.dumps(selector.to_dict(), ensure_ascii=False, allow_nan=False) + "\n"
    write_for_people(path, data.encode(), kind=fp.FederationError)


def write_asks(path: Path, selector: fp.Selector) -> None:
    """Write the points that wait for a label."""
    names = _name_points(selector.fed)
    rows = [
        (defuse(site), point + 1, *([] if names is None else [defuse(names[point])]), "")
        for site, points in selector.pending.items()
        for point in points
    ]
    table = to_csv(("site", "point", *([] if names is None else ["name"]), "label"), rows)
    write_for_people(path, table if table.isascii() else _BOM + table, kind=fp.FederationError)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expected:
    """What may stand in a file of answers."""

    asked: Mapping[str, Mapping[str, int]]
    """Site -> points that were asked, by their number in the file."""
    told: Mapping[str, Mapping[int, Label]]
    names: tuple[str, ...] | None
    """What the points of a table are called."""
    classes: list[Label]


def _expect(selector: fp.Selector) -> _Expected:
    told, pending = selector.told, selector.pending
    asked = {
        site: {str(point + 1): point for point in (*own, *pending.get(site, ()))} for site, own in told.items()
    }
    return _Expected(asked=asked, told=told, names=_name_points(selector.fed), classes=list_classes(selector.fed))


def _name_points(fed: fp.Federation) -> tuple[str, ...] | None:
    return fed.evidence.points if isinstance(fed.evidence, Table) else None


def _find_point(row: Mapping[str, str], expected: _Expected) -> tuple[str, int]:
    """Find which point a row is about; one that was asked."""
    site = next((name for name in expected.asked if is_same_cell(row["site"], name)), None)
    if site is None:
        raise fp.FederationError(
            f"no site is called {shorten(row['site'])}; {nearest(row['site'], expected.asked)}"
        )
    point = expected.asked[site].get(row["point"].removesuffix(".0"))
    if point is None:
        raise fp.FederationError(
            f"point {shorten(row['point'])} of {site!r} was not asked; only label points that were"
        )
    if expected.names is not None and "name" in row and not is_same_cell(row["name"], expected.names[point]):
        raise fp.FederationError(
            f"point {point + 1} is {shorten(expected.names[point])}, not {shorten(row['name'])}"
        )
    return site, point


def _read_row(row: Mapping[str, str], expected: _Expected, *, any_label: bool) -> tuple[str, int, Label]:
    site, point = _find_point(row, expected)
    label = read_label(row["label"], expected.classes)
    if find_strange([label], expected.classes) and not any_label:
        raise fp.FederationError(
            f"no candidate predicts {label!r}, but {', '.join(map(repr, expected.classes[:8]))}; "
            "if it is meant, add --any-label"
        )
    known = expected.told[site].get(point, label)
    if known != label:
        raise fp.FederationError(
            f"point {point + 1} of {site!r} was told to be {known!r} and is now {label!r}; the first stands"
        )
    return site, point, label


def _read_filled(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Read the rows that have a label, each with its line."""
    sheet = read_sheet(path)
    at = {name: find_column(sheet, name, path) for name in ("site", "point", "label")}
    if "name" in [title.casefold() for title in sheet.head]:
        at["name"] = find_column(sheet, "name", path)
    rows = [(line, {name: cells[place] for name, place in at.items()}) for line, cells in sheet.rows]
    return [(line, row) for line, row in rows if row["label"]]


def read_answers(path: Path, selector: fp.Selector, *, any_label: bool) -> dict[str, dict[int, Label]]:
    """Read the labels that were filled in: site -> point, counted from 0 -> label; all or none.

    Raises
    ------
    FederationError
        With one line per problem.
    """
    expected, problems, found = _expect(selector), Problems(), dict[str, dict[int, Label]]()
    for line, row in _read_filled(path):
        where = f"{path}, line {line}: "
        read = problems.read(where, _read_row, row, expected, any_label=any_label)
        if read is not None:
            site, point, label = read
            if found.setdefault(site, {}).setdefault(point, label) != label:
                problems.add(f"{where}point {point + 1} of {site!r} is labelled twice, and differently")
    problems.raise_if_any()
    return found


def check_replaceable(path: Path, selector: fp.Selector) -> None:
    """Refuse to write over labels that were not told, or over a file of something else."""
    if not path.exists():
        return
    try:
        rows = _read_filled(path)
    except fp.FederationError:
        raise fp.FederationError(f"{path} is there already, and holds no asks; choose another name") from None
    expected = _expect(selector)
    for line, row in rows:
        try:
            site, point = _find_point(row, expected)
        except fp.FederationError as error:
            raise fp.FederationError(f"{path} is there already: line {line}: {error}") from None
        if point not in expected.told[site]:
            raise fp.FederationError(
                f"{path}, line {line}: this label was not told yet; give the file with --tell as well"
            )
