"""A matrix of predictions as text: ``.csv``, candidates named in the first line, then one line per point.

If every cell of a file is a whole number, the labels are whole numbers, else strings. Cells are read with the
spaces around them removed. A cell that is some other number ("0.37", "nan") is a mistake, most often a score,
unless it is declared as a class. Lines are read as they come: each different text is looked at once, and what
is kept of a line is one code per candidate.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from fedpact.candidates.predicted import Predicted
from fedpact.describe.label_codes import Coded, Label
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError

_AT_ONCE = 4096
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})(\.0+)?", re.ASCII)
_CODE_WITH_ZEROS = re.compile(r"\d+", re.ASCII)


class _Texts(dict[str, int]):
    """Codes of the cells met so far; a new cell is checked, then given the code of its stripped text."""

    def __init__(self, declared: Collection[Label]) -> None:
        super().__init__()
        self.declared = declared
        self.codes: dict[str, int] = {}

    def __missing__(self, cell: str) -> int:
        text = cell.strip()
        if not text:
            raise ValueError("is empty")
        if self.declared and text not in self.declared and _to_label(text) not in self.declared:
            raise ValueError(f"is {shorten(text)}, which is not among the declared classes")
        if not self.declared and not _is_label(text):
            raise ValueError(
                f"is {shorten(text)}; it must be a whole number or a name, or declared in classes=[...]"
            )
        return self.setdefault(cell, self.codes.setdefault(text, len(self.codes)))


def _to_label(text: str) -> Label:
    return int(text.partition(".")[0]) if _WHOLE.fullmatch(text) else text


def _is_label(text: str) -> bool:
    if _WHOLE.fullmatch(text) or _CODE_WITH_ZEROS.fullmatch(text):
        return True
    try:
        float(text)
    except ValueError:
        return True
    return False


def check_names(names: Sequence[str], where: str) -> None:
    """Refuse columns that are not one candidate each."""
    if not names or "" in names or len(set(names)) < len(names):
        raise FederationError(
            f"{where}: every column must have the name of a candidate, all different; they are {shorten(names)}"
        )
    index = [name for name in names if name.startswith("__index_level_")]
    if index:
        raise FederationError(
            f"{where}: column {index[0]!r} numbers the rows and is no candidate; write the file without an index"
        )


def _read_header(row: list[str], path: Path) -> list[str]:
    names = [cell.strip() for cell in row]
    check_names(names, f"{path}: line 1")
    if len(names) == 1 and re.search(r"[;\t]", names[0]):
        raise FederationError(f"{path}: line 1: names must be separated by commas; it is {shorten(names[0])}")
    return names


def _read_lines(
    reader: Iterator[list[str]], names: Sequence[str], path: Path, texts: _Texts
) -> Iterator[list[int]]:
    blank = 0
    for row in reader:
        line: int = reader.line_num  # type: ignore[attr-defined]
        if not row:
            blank = blank or line
            continue
        if blank:
            raise FederationError(f"{path}: line {blank} is empty; leave it out or write a label per candidate")
        if len(row) != len(names):
            raise FederationError(
                f"{path}: line {line} must have {len(names)} labels, one per candidate; it has {len(row)}"
            )
        try:
            yield [texts[cell] for cell in row]
        except ValueError as error:
            name = next(name for name, cell in zip(names, row, strict=True) if cell not in texts)
            raise FederationError(f"{path}: line {line}: the label of {name!r} {error}") from None


def read_csv(path: Path, *, declared: Collection[Label]) -> dict[str, Coded]:
    """Columns of one file by name; ``declared`` are the classes, empty if none are."""
    texts, blocks = _Texts(declared), []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            names = _read_header(next(reader, []), path)
            lines = _read_lines(reader, names, path, texts)
            while block := list(islice(lines, _AT_ONCE)):
                blocks.append(np.array(block).T.astype(np.min_scalar_type(len(texts.codes))))
    except FileNotFoundError:
        raise FederationError(f"{path}: no such file") from None
    except OSError as error:
        raise FederationError(f"{path}: the predictions cannot be read: {error.strerror}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise FederationError(f"{path}: not a text of values separated by commas, in UTF-8: {error}") from None
    if not blocks:
        raise FederationError(f"{path}: there must be a point, a line after the names; there is none")
    labels = tuple(map(_to_label, texts.codes))
    if any(isinstance(label, str) for label in (*declared, *labels)):
        labels = tuple(texts.codes)
    columns = zip(names, np.concatenate(blocks, axis=1), strict=True)
    return {name: Coded(labels, codes) for name, codes in columns}


def write_csv(predicted: Predicted, path: Path) -> None:
    """Write the labels by the names of their classes, in lines that read back as the same."""
    for text in (*predicted.candidates.names, *predicted.classes):
        if isinstance(text, str) and (not text.strip() or text != text.strip() or "\0" in text):
            raise FederationError(
                f"{path}: a name or label with spaces around it would not read back the same; one is "
                f"{shorten(text)}; rename it or write .parquet"
            )
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(predicted.candidates.names)
        for first in range(0, predicted.n, _AT_ONCE):
            codes = predicted.labels[:, first : first + _AT_ONCE].T
            writer.writerows(np.array(predicted.classes)[codes].tolist())
