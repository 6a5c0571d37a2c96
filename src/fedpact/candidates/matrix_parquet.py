"""A matrix of predictions in columns: ``.parquet``, one column per candidate, one row per point.

The only module that imports pyarrow, and only when such a file is read or written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fedpact.candidates.predicted import Predicted
from fedpact.describe.label_codes import Coded, code_labels, join
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError, MissingExtraError

_AT_ONCE = 65536


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("a .parquet file", extra="parquet") from error
    return pyarrow, parquet


def _check_names(names: list[str], path: Path) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if not names or twice or "" in names:
        raise FederationError(
            f"{path}: every column must have the name of a candidate, all different; they are {shorten(names)}"
        )
    index = [name for name in names if name.startswith("__index_level_")]
    if index:
        raise FederationError(
            f"{path}: column {index[0]!r} numbers the rows and is no candidate; write the file without an index"
        )


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
            _check_names(names, path)
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
