"""Predictions that somebody else has made: matrices in ``.npy``, ``.csv`` and ``.parquet`` files.

=========== ============================================== ======================================
file        orientation                                    names of the candidates
=========== ============================================== ======================================
.npy        one row per candidate, one column per point    h1, h2, ...; a single row: the file's
.csv        one column per candidate, one line per point   the first line
.parquet    one column per candidate, one row per point    the columns
=========== ============================================== ======================================

Nothing in a file is ever executed: an ``.npy`` is mapped, not loaded, read one row at a time, and refused if it
holds pickled objects. A file of predictions says nothing about the models behind them, so the
digests of its candidates are those of their names.
pyarrow is imported only when a ``.parquet`` file is read or written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from fedpact.candidates.matrix_csv import check_names, read_csv, write_csv
from fedpact.candidates.predicted import Predicted
from fedpact.describe.array_files import map_npy
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.doubts import warn_of_ids, warn_of_orientation, warn_of_spellings
from fedpact.describe.hypothesis_class import number_names
from fedpact.describe.label_codes import Coded, Label, code_labels, join, read_classes, stack
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError, MissingExtraError

_AT_ONCE = 65536
Files: TypeAlias = str | PathLike[str] | Sequence[str | PathLike[str]]


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("a .parquet file", extra="parquet") from error
    return pyarrow, parquet


def _code_column(column: Any, what: str, first: int) -> Coded:
    if column.null_count:
        row = first + int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise FederationError(f"{what} has no label at point {row}; every candidate must predict every point")
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    return code_labels(column.to_numpy(zero_copy_only=False), what, first=first)


def read_parquet(path: Path) -> dict[str, Coded]:
    """Columns of one file by name."""
    pyarrow, parquet = _import_pyarrow()
    if not path.exists():
        raise FederationError(f"{path}: no such file")
    try:
        with parquet.ParquetFile(path, memory_map=True) as file:
            names = list(file.schema_arrow.names)
            check_names(names, str(path))
            pieces: dict[str, list[Coded]] = {name: [] for name in names}
            first = 1
            for batch in file.iter_batches(batch_size=_AT_ONCE):
                for name, column in zip(names, batch.columns, strict=True):
                    pieces[name].append(_code_column(column, f"{path}: {name!r}", first))
                first += batch.num_rows
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FederationError(f"{path}: not a .parquet file that can be read: {shorten(str(error))}") from None
    if first == 1:
        raise FederationError(f"{path}: there must be at least one point, a row of the table; there is none")
    return {name: join(coded) for name, coded in pieces.items()}


def write_parquet(predicted: Predicted, path: Path) -> None:
    """Write the labels by the names of their classes, one column per candidate."""
    pyarrow, parquet = _import_pyarrow()
    classes = pyarrow.array(predicted.classes)
    columns = [classes.take(pyarrow.array(row)) for row in predicted.labels]
    table = pyarrow.table(columns, names=list(predicted.candidates.names))
    with path.open("wb") as file:
        parquet.write_table(table, file)


def read_npy(path: Path, *, before: int) -> dict[str, Coded]:
    """Rows of one file: a single one is called after the file, others h1, h2, ... from ``before`` + 1."""
    array = map_npy(
        path, ", or one without any point; write it with numpy.save, labels as whole numbers or strings"
    )
    if array.ndim not in (1, 2) or not array.size:
        raise FederationError(
            f"{path}: must be a matrix, candidates by points, or one candidate's row, with at least one point; "
            f"its shape is {array.shape}"
        )
    rows = np.atleast_2d(array)
    names = (path.stem,) if len(rows) == 1 else number_names("h", before + len(rows))[before:]
    return {name: code_labels(row, f"{path}: {name!r}") for name, row in zip(names, rows, strict=True)}


def write_npy(predicted: Predicted, path: Path) -> None:
    """Write the labels by the names of their classes; the names of the candidates are not kept."""
    labels = predicted.decode()
    if labels.dtype.kind == "i":
        labels = labels.astype(np.min_scalar_type(min(int(labels.min()), -1 - int(labels.max()))))
    with path.open("wb") as file:
        np.save(file, labels, allow_pickle=False)


_WRITERS: dict[str, Callable[[Predicted, Path], None]] = {
    ".npy": write_npy,
    ".csv": write_csv,
    ".parquet": write_parquet,
}


def _read_suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        raise FederationError(
            f"{path}: a file of predictions must end in {', '.join(_WRITERS)}; it ends in {suffix!r}"
        )
    return suffix


_READERS: dict[str, Callable[[Path, int, Collection[Label]], dict[str, Coded]]] = {
    ".npy": lambda path, before, _: read_npy(path, before=before),
    ".csv": lambda path, _, declared: read_csv(path, declared=declared),
    ".parquet": lambda path, *_: read_parquet(path),
}


def _list_paths(files: Files) -> list[Path]:
    listed = list(files) if isinstance(files, Sequence) and not isinstance(files, str) else [files]
    if not listed or not all(isinstance(file, str | PathLike) for file in listed):
        raise FederationError(f"files must be the paths of one or more matrices; they are {shorten(files)}")
    return [Path(file) for file in listed]


def read_predictions(
    files: Files,
    *,
    classes: Iterable[Label] | None = None,
) -> Predicted:
    r"""Read what candidates predict at the points of one site.

    Parameters
    ----------
    files
        One path or several, whose candidates are stacked; all must be about the same points in the same order.
    classes
        All labels that a candidate may predict, strings or whole numbers, in the order of their codes. Without
        them the labels that occur, sorted. With strings, cells of a ``.csv`` are read as strings even where
        they look like numbers.

    Returns
    -------
    Predicted
        (H, n) codes, the names of the candidates, and what each code stands for.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "clinic.csv")
    ...     _ = path.write_text("forest,stump\nill,ill\nhealthy,ill\n")
    ...     found = read_predictions(path)
    >>> found.candidates.names, found.classes, found.labels.tolist()
    (('forest', 'stump'), ('healthy', 'ill'), [[1, 0], [1, 1]])
    """
    found = read_unseen(files, classes=classes)
    doubt(found, files, are_declared=classes is not None)
    return found


def doubt(found: Predicted, files: Files, *, are_declared: bool) -> None:
    """Warn of what is probably not meant: numbers of points, a transpose, labels spelt in two ways."""
    paths = _list_paths(files)
    where = str(paths[0])
    for name, row in zip(found.candidates.names, found.labels, strict=True):
        warn_of_ids(row, name, where)
    if paths[0].suffix.lower() == ".npy":
        warn_of_orientation(found.labels, where)
    if not are_declared:
        warn_of_spellings(found.classes, where)


def read_unseen(files: Files, *, classes: Iterable[Label] | None) -> Predicted:
    """Read predictions without a doubt about what they are."""
    declared = None if classes is None else read_classes(classes)
    rows: dict[str, Coded] = {}
    for path in _list_paths(files):
        found = _READERS[_read_suffix(path)](path, len(rows), declared or ())
        twice = sorted(rows.keys() & found)
        if twice:
            raise FederationError(
                f"{path}: candidate {twice[0]!r} is in an earlier file as well; their names must be different"
            )
        rows |= found
    labels, known = stack(rows, declared)
    return Predicted(labels=labels, candidates=CandidateList.from_names(rows), classes=known)


def write_predictions(predicted: Predicted, path: str | PathLike[str]) -> None:
    """Write predictions as ``.npy``, ``.csv`` or ``.parquet``, by the names of their classes.

    ``.npy`` keeps no names of candidates. Read with the same ``classes`` to get the same codes.

    Parameters
    ----------
    predicted
        What to write.
    path
        Where to; the ending says how.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from fedpact.describe.candidate_list import CandidateList
    >>> candidates = CandidateList.from_names(["forest", "stump"])
    >>> found = Predicted(labels=np.array([[1, 0], [1, 1]]), candidates=candidates, classes=("healthy", "ill"))
    >>> with TemporaryDirectory() as folder:
    ...     write_predictions(found, Path(folder, "clinic.csv"))
    ...     print(Path(folder, "clinic.csv").read_text())
    forest,stump
    ill,ill
    healthy,ill
    <BLANKLINE>
    """
    target: Any = Path(path)
    write = _WRITERS[_read_suffix(target)]
    try:
        write(predicted, target)
    except OSError as error:
        raise FederationError(f"{path}: the predictions cannot be written: {error.strerror}") from None
