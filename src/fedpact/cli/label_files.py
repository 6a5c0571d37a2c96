"""Labels that are known, as files: a column for each site, or for a table the label of each point by its name."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import fedpact as fp
from fedpact.describe.evidence import Predictions, Table
from fedpact.describe.label_codes import Label
from fedpact.describe.names import make_slugs, nearest
from fedpact.describe.spreadsheets import find_column, read_sheet
from fedpact.selection.list_points import list_classes

ENDINGS = (".csv", ".npy", ".parquet")
_WHOLE = re.compile(r"-?[0-9]{1,18}(\.0+)?")


def read_label(text: str, classes: Sequence[Label]) -> Label:
    """Read a label as people write it: a class in any capitals, or a whole number.

    Examples
    --------
    >>> read_label("Ill", ["ill", "well"]), read_label("1.0", [0, 1]), read_label("odd", ["ill", "well"])
    ('ill', 1, 'odd')
    """
    alike = [label for label in classes if str(label).strip().casefold() == text.strip().casefold()]
    if text in classes or len(alike) == 1:
        return text if text in classes else alike[0]
    return int(text.partition(".")[0]) if _WHOLE.fullmatch(text) else text


def find_strange(labels: Iterable[Any], classes: Sequence[Label]) -> list[Any]:
    """List the labels that no candidate predicts: they may be misspelt, or of another coding."""
    return [label for label in dict.fromkeys(labels) if label not in classes]


def read_label_files(fed: fp.Federation, place: Path) -> dict[str, Any]:
    """Read the labels of every site from a folder, or of every point of a table from a file.

    Labels that no candidate predicts are noted on stderr.
    """
    classes = list_classes(fed)
    if isinstance(fed.evidence, Table):
        found = _read_points(place, classes)
        _note_strange("", find_strange(found.values(), classes), classes)
        return found
    if not isinstance(fed.evidence, Predictions):
        return {}
    if not place.is_dir():
        raise fp.FederationError(f"labels must be a folder with a file for every site; {str(place)!r} is none")
    found = {}
    for name, slug, n in zip(fed.names, make_slugs(fed.names), fed.evidence.sizes, strict=True):
        stems = [name] if slug in fed.names else [name, slug]
        found[name] = _read_column(_find_file(place, name, stems), n, classes)
        _note_strange(f"at {name!r} ", find_strange(found[name], classes), classes)
    return found


def _note_strange(where: str, labels: list[Any], classes: Sequence[Label]) -> None:
    """Note labels that may be right; those of another kind are refused later on."""
    if labels and type(labels[0]) is type(classes[0]):
        shown = ", ".join(map(repr, labels[:5]))
        print(f"note: {where}some points are labelled {shown}, which no candidate predicts", file=sys.stderr)


def _find_file(folder: Path, site: str, stems: list[str]) -> Path:
    there = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in ENDINGS]
    for stem in stems:
        own = [path for path in there if path.stem == stem]
        if len(own) > 1:
            raise fp.FederationError(
                f"labels of site {site!r} stand in both {own[0]} and {own[1]}; keep one of them"
            )
        if own:
            return own[0]
    hint = f"; {nearest(stems[-1], [path.stem for path in there])}" if there else ""
    raise fp.FederationError(
        f"labels of site {site!r} are missing: {folder} has no {stems[-1]}.csv, {stems[-1]}.npy or "
        f"{stems[-1]}.parquet{hint}"
    )


def _read_column(path: Path, n: int, classes: Sequence[Label]) -> list[Any]:
    """Read one column or row of labels; a ``.csv`` may have its name in the first line."""
    read = fp.sites.read_predictions(path)
    if read.H != 1:
        raise fp.FederationError(f"{path}: labels must be one column (.csv) or one row (.npy)")
    labels = read.decode()[0].tolist()
    first = read_label(read.candidates.names[0], classes)
    if path.suffix.lower() == ".csv" and len(labels) == n - 1 and (first in classes or first in labels):
        labels = [first, *labels]
    if len(labels) != n:
        raise fp.FederationError(f"{path}: labels must be one for each of {n} points; they are {len(labels)}")
    is_text = bool(classes) and isinstance(classes[0], str)
    return [str(label) if is_text and str(label) in classes else label for label in labels]


def _read_points(path: Path, classes: Sequence[Label]) -> dict[str, Any]:
    sheet = read_sheet(path)
    at_point, at_label = (find_column(sheet, name, path) for name in ("point", "label"))
    found: dict[str, Any] = {}
    for line, cells in sheet.rows:
        point, label = cells[at_point], cells[at_label]
        if not point or not label or point in found:
            raise fp.FederationError(f"{path}, line {line}: every point must have one line, and a label")
        found[point] = read_label(label, classes)
    return found
