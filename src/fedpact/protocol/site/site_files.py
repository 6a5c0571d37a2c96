r"""A site's folder: what it needs to take part, in ``site.toml`` and files beside it.

::

    format = 1                           # of this file; left out: 1
    name = "cleveland"                   # as in the federation
    predictions = "predictions.csv"      # what each candidate predicts at each of its points (.csv, .npy)
    classes = ["healthy", "ill"]         # all labels there are; left out: those that are predicted
    masses = "masses.csv"                # samples are drawn with these chances; left out: each point once at most
    labels = "labels.csv"                # one column, a label for every point
    labeller = "clinic.labels:look_up"   # or a function: from the numbers of points, 0, 1, ..., to labels
    examples = "notes.csv"               # or people: what they see of each point, one line each under a first line
    ids = "ids.csv"                      # and how the site itself calls each point, in the same way
    held_out = {predictions = "later.csv", labels = "later-labels.csv"}
    report = "cleveland.report.npz"      # left out: counted on the predictions when it is asked for
    minimum_count = 5                    # smaller counts are not told apart in that report
    key = "signing.key"                  # signs its answers
    operator = "operator.pub"            # whose requests it answers
    most = 200                           # samples that it labels in a run at most
    least = 5                            # samples that it answers for at once at the least, or refuses
    seed = 7                             # of the order in which it draws, for trials: two runs of 5 and of 6
                                         # samples would tell the sixth; left out: a secret one for every run

Only ``name`` and ``predictions`` must be there. Points are numbered from 1, as the lines of ``predictions`` below
the names are; every other file has a line for each of them (.csv, under a first line of names) or an entry (.npy),
in the same order. ``masses`` and, in ``held_out``, ``weights`` are numbers. Without ``labels`` and ``labeller``
people label: ``fedpact label export`` writes what is wanted to a file, ``fedpact label import`` reads it back.
What the site remembers of a run stands in ``.fedpact``. Paths are relative to the folder.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact import formats
from fedpact.candidates.matrix_files import doubt, read_unseen
from fedpact.candidates.predicted import Predicted
from fedpact.describe.array_files import read_point_file
from fedpact.describe.doubts import warn_of_strange
from fedpact.describe.label_codes import code_labels, insist_on_one_kind
from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.describe.parsing import has_known_keys, one_line, parse
from fedpact.describe.report_files import read_report
from fedpact.describe.reports import Report
from fedpact.describe.spreadsheets import Sheet, find_column, read_sheet
from fedpact.errors import FederationError, Problems, ProtocolError
from fedpact.formats import check_format
from fedpact.protocol.keys.signing import read_key, read_public_key
from fedpact.protocol.site.annotations import FILE as ANNOTATIONS
from fedpact.protocol.site.annotations import Annotations
from fedpact.protocol.site.pool import Pool
from fedpact.protocol.site.site import HeldOut, Labeller, Site
from fedpact.protocol.site.site_store import FolderStore

FILE = "site.toml"
MEMORY = ".fedpact"
FILES = ("predictions", "masses", "examples", "ids", "report", "key", "operator")
"""Keys that name a file or files; ``labels`` and ``held_out`` may do so too."""
_NUMBERS = {"minimum_count": 0, "most": 0, "least": 1, "runs": 1, "seed": 0}
"""Whole numbers, and how small they may be."""
KEYS = ("format", "name", "classes", "labels", "labeller", "held_out", *FILES, *_NUMBERS)
_WHOLE_UP_TO = 2**53

P = ParamSpec("P")
T = TypeVar("T")


def find_file(place: Path) -> Path:
    """Name the file that describes a site, given its folder or the file itself."""
    if place.is_dir():
        path = place / FILE
        if not path.is_file():
            raise FederationError(one_line(f"{place}: not a site's folder; there is no {FILE} in it"))
        return path
    if not place.is_file():
        raise FederationError(one_line(f"{place}: no such folder; a site's folder, with {FILE} in it, is wanted"))
    return place


def read_table(place: Path) -> dict[str, Any]:
    """Read what a site's folder says of itself; the files that it names are not looked at."""
    path = find_file(place)
    with _noting(path) as problems:
        return _parse(path, problems)


def _parse(path: Path, problems: Problems) -> dict[str, Any]:
    """Read the table, noting everything that is wrong with it."""
    try:
        table = parse(path, problems)
    except FederationError as error:
        raise FederationError(one_line(f"{path}: {error}")) from None
    _note(problems, check_format, table.get("format", formats.SITE), formats.SITE, "site", str(path))
    has_known_keys(table, KEYS, "", problems)
    for key in ("name", "predictions"):
        if not table.get(key):
            problems.add(f"{key} is missing")
    if "labels" in table and "labeller" in table:
        problems.add("labels and labeller cannot both be given; take one")
    for key, least in _NUMBERS.items():
        if key in table:
            table[key] = _note(problems, read_whole_number, table[key], key, least=least)
    return table


def _note(problems: Problems, read: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
    """Read something; what is wrong with it, or with a key, is noted."""
    try:
        return problems.read("", read, *args, **options)
    except ProtocolError as error:
        problems.add(str(error))
        return None


def _paths(folder: Path, value: Any) -> list[Path]:
    listed = value if isinstance(value, list) else [value]
    return [folder / str(one) for one in listed]


def read_pool(home: Path, table: Mapping[str, Any]) -> Predicted:
    """Read what each candidate predicts at a site's points."""
    files, classes = _paths(home, table["predictions"]), table.get("classes")
    found = read_unseen(files, classes=classes)
    for name, row in zip(found.candidates.names, found.labels, strict=True):
        if name.casefold() == "id" and found.n > 2 and len(np.unique(row)) == found.n:
            raise FederationError(
                f"predictions: column {name!r} would be a candidate, and differs at every point; put it into a "
                'file of its own and name that: ids = "ids.csv"'
            )
    doubt(found, files, are_declared=classes is not None)
    return found


def _read_column(folder: Path, value: Any) -> list[Any]:
    """Read a column of labels."""
    found = read_unseen(_paths(folder, value), classes=None)
    if found.H != 1:
        raise FederationError(f"{folder / str(value)}: labels must be one column (.csv) or one row (.npy)")
    labels: list[Any] = found.decode()[0].tolist()
    return labels


def code_labels_by(labels: list[Any], classes: tuple[Any, ...], where: str) -> NDArray[np.intp]:
    """Code labels by their place among the classes; a label that is none of them is no candidate's.

    Examples
    --------
    >>> code_labels_by(["ill", "healthy", "dead"], ("healthy", "ill"), "labels.csv")
    array([1, 0, 2])
    """
    coded, known = code_labels(labels, where), {str(label): place for place, label in enumerate(classes)}
    if not any(str(label) in known for label in coded.values):
        insist_on_one_kind({"labels": coded.values, "predictions": classes}, f"{where}: labels and predictions")
    places = [known.setdefault(str(label), len(known)) for label in coded.values]
    return np.array(places, dtype=np.intp).take(coded.codes)


def _code_own_labels(labels: list[Any], classes: tuple[Any, ...], where: str) -> NDArray[np.intp]:
    """Code a site's own labels; its report says how many there are, and with two the check relies on it.

    Where there are but two labels, candidates that differ are never both wrong. A third label would make an honest
    site look like one that makes up its counts.
    """
    codes = code_labels_by(labels, classes, where)
    if len(classes) <= 2 and codes.max(initial=0) >= 2:
        third = labels[int((codes >= 2).argmax())]
        raise FederationError(
            f"{where}: label {shorten(third)} is none of those that are predicted, "
            f"{', '.join(map(str, classes))}; list every label there is in classes"
        )
    warn_of_strange(dict.fromkeys(map(str, labels)), [str(label) for label in classes], where)
    return codes


def _read_labeller(folder: Path, table: Mapping[str, Any], predicted: Predicted) -> Labeller:
    if "labels" in table:
        path = str(folder / str(table["labels"]))
        codes = _code_own_labels(_read_column(folder, table["labels"]), predicted.classes, path)
        if len(codes) != predicted.n:
            raise FederationError(
                f"{path}: labels must be one for each of {predicted.n} points; they are {len(codes)}"
            )
        return lambda places: codes[places]
    if "labeller" in table:
        look_up = _import(table["labeller"])
        where = f"labeller {shorten(table['labeller'])}"
        return lambda places: _code_own_labels(list(look_up(places)), predicted.classes, where)
    return Annotations(folder / ANNOTATIONS, predicted.classes, predicted.n)


def _import(named: Any) -> Callable[[NDArray[np.intp]], Any]:
    module, colon, function = str(named).partition(":")
    try:
        found = getattr(importlib.import_module(module), function) if colon else None
    except (ImportError, AttributeError) as error:
        raise FederationError(f"labeller {shorten(named)} cannot be imported: {error}") from None
    if not callable(found):
        raise FederationError(f'labeller must be a function as in "module:function"; it is {shorten(named)}')
    return found  # type: ignore[no-any-return]


def _read_held_out(folder: Path, value: Any, predicted: Predicted) -> HeldOut | None:
    if value is None:
        return None
    if not isinstance(value, dict) or set(value) - {"weights"} != {"predictions", "labels"}:
        raise FederationError(f"held_out must have predictions and labels; it is {shorten(value)}")
    found = read_unseen(_paths(folder, value["predictions"]), classes=predicted.classes)
    difference = predicted.candidates.difference(found.candidates)
    if difference is not None:
        raise FederationError(f"held_out must be of the same candidates: {difference}")
    labels = _read_column(folder, value["labels"])
    where = str(folder / str(value["labels"]))
    codes = code_labels_by(labels, predicted.classes, where)
    warn_of_strange(dict.fromkeys(map(str, labels)), [str(label) for label in predicted.classes], where)
    if len(codes) != found.n:
        raise FederationError(f"held_out must have a label for each of {found.n} points; it has {len(codes)}")
    weights = _read_column_of_numbers(folder, value.get("weights"))
    if weights is not None and (
        weights.shape != codes.shape or weights.dtype.kind not in "iu" or weights.min() < 0
    ):
        raise FederationError(f"held_out weights must be a whole number >= 0 for each of {found.n} points")
    return HeldOut(predicted=found.labels, labels=codes, weights=weights)


def _read_column_of_numbers(folder: Path, value: Any) -> NDArray[Any] | None:
    """Read one number per point: what ``numpy.save`` wrote, or the column of a .csv, whole ones as such."""
    if value is None:
        return None
    path = folder / str(value)
    if not path.is_file():
        raise FederationError(f"{path}: no such file")
    found = np.asarray(read_point_file(path).points)
    if path.suffix.lower() != ".csv":
        return found
    if found.shape[1] != 1:
        raise FederationError(f"{path}: must have one column; it has {found.shape[1]}")
    column = found[:, 0]
    is_whole = (column == np.rint(column)).all() and abs(column).max() < _WHOLE_UP_TO
    return column.astype(np.int64) if is_whole else column


def _read_own_report(home: Path, table: Mapping[str, Any], predicted: Predicted) -> Report | None:
    """Read the report that the site sends; the operator would refuse that of another."""
    if "report" not in table:
        return None
    path = home / str(table["report"])
    found = read_report(path)
    if "name" in table and found.name != table["name"]:
        raise FederationError(f"{path}: the report is that of {found.name!r}; this site is {str(table['name'])!r}")
    if found.H != predicted.H:
        raise FederationError(f"{path}: the report is about {found.H} candidates; {predicted.H} are predicted")
    difference = None if found.candidates is None else predicted.candidates.difference(found.candidates)
    if difference is not None:
        raise FederationError(f"{path}: the report is about other candidates than the predictions: {difference}")
    return found


def read_site(folder: str | PathLike[str]) -> Site:
    """Read a site from its folder, or from the file that describes it.

    Raises
    ------
    FederationError
        With one line per problem: the file, the key, the value and the rule it breaks.
    """
    path = find_file(Path(folder))
    with _noting(path) as problems:
        site = _read_site(path.parent, _parse(path, problems), problems)
    assert site is not None, "what could not be read was noted"
    return site


@contextmanager
def _noting(path: Path) -> Iterator[Problems]:
    """Collect problems and raise them at the end, each with the file that it is about unless it says so itself."""
    problems, home = Problems(), str(path.parent)
    yield problems
    try:
        problems.raise_if_any()
    except FederationError as error:
        raise FederationError(
            one if one.startswith(home) else f"{path}: {one}" for one in error.problems
        ) from None


def _read_site(home: Path, table: Mapping[str, Any], problems: Problems) -> Site | None:
    """Read all files that are named, noting what is wrong with each."""
    key = _note(problems, read_key, home / str(table["key"])) if "key" in table else None
    operator = _note(problems, _read_operator, home, str(table["operator"])) if "operator" in table else None
    predicted = _note(problems, read_pool, home, table) if table.get("predictions") else None
    if predicted is None:
        return None
    _note(problems, read_ids, home, table, predicted.n)
    pool = _note(problems, _read_own_pool, home, table, predicted)
    labeller = _note(problems, _read_labeller, home, table, predicted)
    held_out = _note(problems, _read_held_out, home, table.get("held_out"), predicted)
    report = _note(problems, _read_own_report, home, table, predicted)
    if problems or pool is None or labeller is None:
        return None
    return Site(
        name=str(table["name"]),
        pool=pool,
        labeller=labeller,
        held_out=held_out,
        report=report,
        key=key,
        operator=operator,
        store=FolderStore(home / MEMORY),
        **{name: table[name] for name in _NUMBERS if name in table},
    )


def _read_own_pool(home: Path, table: Mapping[str, Any], predicted: Predicted) -> Pool:
    return Pool(predicted=predicted, masses=_read_column_of_numbers(home, table.get("masses")))


def read_lines(home: Path, table: Mapping[str, Any], key: str, n: int) -> Sheet | None:
    """Read a .csv with a line for each point, if it is named."""
    if key not in table:
        return None
    path = home / str(table[key])
    sheet = read_sheet(path)
    if len(sheet.rows) != n:
        raise FederationError(f"{path}: {key} must be one line for each of {n} points; they are {len(sheet.rows)}")
    return sheet


def read_ids(home: Path, table: Mapping[str, Any], n: int) -> tuple[str, ...] | None:
    """Read how a site itself calls its points, if it says so: the column ``id`` of a .csv, or the only one."""
    sheet = read_lines(home, table, "ids", n)
    if sheet is None:
        return None
    path = home / str(table["ids"])
    column = 0 if len(sheet.head) == 1 else find_column(sheet, "id", path)
    ids = tuple(cells[column] for _, cells in sheet.rows)
    twice = next((one for one, count in Counter(ids).items() if count > 1), None)
    if twice is not None:
        raise FederationError(f"{path}: ids must be different; {shorten(twice)} is there twice")
    return ids


def _read_operator(home: Path, value: str) -> str:
    """Read a public key that is given as it is, or as a file."""
    return read_public_key(home / value if (home / value).exists() else value)
