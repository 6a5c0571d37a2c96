"""Files of predictions and points, ``.npy``, ``.csv`` and ``.parquet``: every input is read as each of them."""

from __future__ import annotations

import csv
import io
import json
import random
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import fedpact as fp
from fedpact.describe.report_files import UNREADABLE
from fuzz.report_files import POINTS
from fuzz.target import Target, Unreadable
from fuzz.workplace import new_folder

_CELLS = (
    "",
    " ",
    "0",
    "1",
    "-1",
    "00",
    "1.0",
    "1/3",
    "1/0",
    "nan",
    "inf",
    "1e400",
    "ill",
    "healthy",
    "\u00e9",
    "\x00",
    '"',
    "a\nb",
    "9" * 30,
)
_WORDS = (
    "\x93NUMPY",
    "'descr': '<i8'",
    "'fortran_order': True",
    "'shape': (2, 3)",
    "'|O'",
    "'<U4'",
    "PAR1",
    ",",
    "\n",
    '"',
    *_CELLS,
)
_TYPES = ("<i8", "<u8", ">i4", "<i1", "?", "<f8", "<f2", "<c16", "<U3", "S3", "<M8[s]", "V4")
_COLUMNS: tuple[Any, ...] = (
    [0, 1, 1], [True, False, None], ["ill", "ill", "healthy"], [0.0, 1.0, 0.5], [None, None, None],
    [b"x", b"y", b""], [[0], [1], []], [2**62, -1, 0], ["", " ", "0"],
)  # fmt: skip


@cache
def _folder() -> Path:
    folder = new_folder()
    head = {"delta": 0.1, "epsilon": 0.2}
    kinds = {
        "predictions-npy": {"agents": [{"name": "a", "predictions": "a.npy"}]},
        "points-npy": {"agents": [{"name": "a", "points": "a.npy"}], "hypotheses": {"class": "stumps"}},
        "points-csv": {"agents": [{"name": "a", "points": "a.csv"}], "hypotheses": {"class": "stumps"}},
    }
    for name, one in kinds.items():
        (folder / f"{name}.json").write_text(json.dumps(head | one))
    return folder


def _npy(array: np.ndarray[Any, Any], version: tuple[int, int] | None = None) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=version, allow_pickle=False)
    return buffer.getvalue()


def _parquet(columns: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def seeds() -> list[bytes]:
    """Return a few of every kind."""
    whole = np.array([[0, 1, 1], [1, 0, 1]])
    texts = ["forest,stump\nill,ill\nhealthy,ill\n", "a,b\n1,0\n0,0\n", "age,height\n1,2\n2,1/3\n0.5,7\n"]
    return [
        _npy(whole),
        _npy(whole.astype("<f8") / 3, (2, 0)),
        _npy(whole.astype("<U2")),
        _npy(whole[0]),
        *map(str.encode, texts),
        _parquet({"forest": [0, 1], "stump": [1, 1]}),
        _parquet({"forest": ["ill", "healthy"], "stump": ["ill", "ill"]}),
    ]


def _read_predictions(path: Path) -> bool:
    try:
        found = fp.sites.read_predictions(path)
    except fp.FedpactError:
        return False
    again = path.with_stem("again")
    try:
        fp.sites.write_predictions(found, again)
    except fp.FedpactError:
        return False
    other = fp.sites.read_predictions(again, classes=found.classes)
    assert np.array_equal(found.labels, other.labels), "what was written is read again"
    assert path.suffix == ".npy" or found.candidates.names == other.candidates.names
    return True


def _load(path: Path) -> bool:
    try:
        fp.load(path, confined=True)
    except fp.FedpactError:
        return False
    return True


def read(data: bytes) -> bool:
    """Read an input as predictions in every format, and as an agent's file."""
    paths = [_folder() / f"a.{ending}" for ending in ("npy", "csv", "parquet")]
    for path in paths:
        path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Reading `.npy`")  # numpy's word on files of Python 2
        answers = [_read_predictions(path) for path in paths]
        answers += [_load(path) for path in sorted(_folder().glob("*.json"))]
    return any(answers)


def _mutate_npy(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.3:
        return _npy(
            np.ones(rng.choice([(), (0,), (3,), (2, 0), (0, 2), (1, 1), (2, 3, 1)]), dtype=rng.choice(_TYPES))
        )
    array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    if rng.random() < 0.1:
        return _npy(np.array([[65, rng.choice(POINTS)]], dtype="<u4").view("<U1"))
    if rng.random() < 0.5:
        return _npy(array.astype(rng.choice(_TYPES[:10])), rng.choice([(1, 0), (2, 0), (3, 0)]))
    changed = np.resize(array, (rng.randrange(5), rng.randrange(5)))
    if changed.size:
        changed.flat[rng.randrange(changed.size)] = rng.choice([0, 1, -1, 2, 100])
    return _npy(np.asfortranarray(changed) if rng.random() < 0.3 else changed)


def _mutate_csv(data: bytes, rng: random.Random) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    row = rng.choice(rows)
    if row and rng.random() < 0.7:
        row[rng.randrange(len(row))] = rng.choice(_CELLS)
    else:
        rows.insert(rng.randrange(len(rows)), rng.choice([[], row, row[:-1], [*row, "1"]]))
    text = io.StringIO()
    csv.writer(text, quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerows(rows)
    return text.getvalue().encode()


def _mutate_parquet(data: bytes, rng: random.Random) -> bytes:
    columns = {rng.choice(["a", "b", "", "\u00e9", "1"]): rng.choice(_COLUMNS) for _ in range(rng.randrange(4))}
    return _parquet(columns)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Change an array, a cell or a column."""
    kind = _mutate_npy if data[:6] == b"\x93NUMPY" else _mutate_parquet if data[:4] == b"PAR1" else _mutate_csv
    try:
        return kind(data, rng)
    except (*UNREADABLE, csv.Error, pa.ArrowException, SystemError, Warning):
        raise Unreadable from None


TARGET = Target(
    about="files of predictions and points: read as .npy, .csv and .parquet, written, read again, loaded",
    seeds=seeds,
    read=read,
    mutate=mutate,
    words=_WORDS,
)
