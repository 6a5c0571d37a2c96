"""What every hypothesis says at every point, as a federation keeps it.

Whole numbers are kept as they are. Strings are numbered, in the order of their characters, and only the border
knows them: whatever counts and compares sees small whole numbers. All agents of a federation share one numbering.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.doubts import warn_of_strange
from fedpact.describe.label_codes import (
    Coded,
    Label,
    code_labels,
    insist_on_one_kind,
    read_whole,
    recode,
    stack,
)
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError

Classes: TypeAlias = tuple[Label, ...] | None
"""The label that each code stands for; None where the codes, whole numbers, are the labels."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelMatrix:
    """Labels of H hypotheses at n points."""

    codes: NDArray[np.integer]
    """(H, n) of the smallest type that holds them."""
    classes: Classes = None

    @property
    def occurring(self) -> tuple[Label, ...]:
        """Labels that occur."""
        found: list[int] = np.unique(self.codes).tolist()
        return tuple(found if self.classes is None else (self.classes[code] for code in found))


def decode(codes: NDArray[np.integer], classes: Classes) -> NDArray[Any]:
    """Labels as they were given.

    Examples
    --------
    >>> decode(np.array([[0, 1]]), ("benign", "malignant")).tolist()
    [['benign', 'malignant']]
    """
    return codes if classes is None else _shrink(np.array(classes))[codes]


def _shrink(labels: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers of the smallest type that holds them; strings stay as they are."""
    if labels.dtype.kind == "U":
        return labels
    kind = np.result_type(np.min_scalar_type(labels.min()), np.min_scalar_type(labels.max()))
    return labels.astype(kind) if kind.kind in "iu" else labels


def read_labels(values: Any, field: str) -> LabelMatrix:
    """Read labels (H, n), all whole numbers or all strings, or the predictions of candidates.

    Examples
    --------
    >>> read_labels([["malignant", "benign"], ["benign", "benign"]], "labels")
    LabelMatrix(codes=array([[1, 0],
           [0, 0]], dtype=uint8), classes=('benign', 'malignant'))
    >>> read_labels([[1, 0]], "labels").classes is None
    True
    """
    if isinstance(getattr(values, "candidates", None), CandidateList):
        return LabelMatrix(_shrink(values.labels), _or_none(values.classes))
    array = _read_matrix(values, field)
    if array.dtype.kind in "OTU":
        return _code_rows(values if isinstance(values, list | tuple) else array, field)
    rows = (read_whole(row, f"{field}: row {place}") for place, row in enumerate(array, 1))
    return LabelMatrix(_shrink(np.stack([*rows])))


def read_sampled_labels(values: Any, field: str) -> LabelMatrix:
    """Read labels (H, m) of samples, of which there may be none."""
    try:
        shape = np.shape(values)
    except ValueError:
        shape = ()
    if len(shape) == 2 and shape[0] > 0 and shape[1] == 0:
        return LabelMatrix(np.empty(shape, dtype=np.int64))
    return read_labels(values, field)


def _or_none(classes: tuple[Label, ...]) -> Classes:
    """Return None for classes that are their own codes."""
    return None if classes == tuple(range(len(classes))) else classes


def _read_matrix(values: Any, field: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        array = np.empty(0)
    if array.ndim != 2:
        raise FederationError(
            f"{field} must be a matrix with one row per hypothesis and one column per point; "
            f"rows of different length, nested values or no labels were given: {shorten(values)}"
        )
    if array.size == 0:
        raise FederationError(
            f"{field} must have at least one hypothesis and one point; the shape is {array.shape}"
        )
    return array


def _code_rows(rows: Iterable[Any], field: str) -> LabelMatrix:
    coded = {f"row {place}": code_labels(row, f"{field}: row {place}") for place, row in enumerate(rows, 1)}
    codes, classes = stack(coded, None, field)
    if isinstance(classes[0], str):
        return LabelMatrix(codes, classes)
    return LabelMatrix(decode(codes, classes))


def share_classes(
    given: Mapping[str, LabelMatrix], field: str, classes: Classes = None
) -> tuple[tuple[NDArray[np.integer], ...], Classes]:
    """Give the labels of all agents one numbering: that of ``classes``, or of all strings that occur, in order.

    Whole numbers without ``classes`` stay as they are.

    Examples
    --------
    >>> north, south = (read_labels([row], "labels") for row in (["a", "c"], ["c", "b"]))
    >>> share_classes({"north": north, "south": south}, "labels")[0]
    (array([[0, 2]], dtype=uint8), array([[2, 1]], dtype=uint8))
    """
    codes, found = tuple(matrix.codes for matrix in given.values()), {matrix.classes for matrix in given.values()}
    if classes is None and len(found) == 1:
        return codes, found.pop()
    if classes is None:
        insist_on_one_kind({name: matrix.classes or (0,) for name, matrix in given.items()}, field)
        classes = tuple(sorted({label for own in found for label in own or () if isinstance(label, str)}))
        if not classes:
            return codes, None
    return tuple(_code_by(classes, matrix, name) for name, matrix in given.items()), _or_none(classes)


def _code_by(classes: tuple[Label, ...], matrix: LabelMatrix, name: str) -> NDArray[np.integer]:
    labels = matrix.occurring if matrix.classes is None else matrix.classes
    known = set(classes)
    strange = [label for label in labels if label not in known]
    if strange:
        raise FederationError(
            f"{name} must be among the classes, {shorten(list(classes))}; one is {shorten(strange[0])}"
        )
    codes = np.searchsorted(np.array(labels), matrix.codes) if matrix.classes is None else matrix.codes
    return _shrink(recode(Coded(labels, codes), classes))


def code_truth(labels: Any, classes: Classes, what: str) -> tuple[NDArray[np.int64], list[Label]]:
    """Labels of points coded as predictions are, -1 for one that is none of their classes; and as they were given.

    Examples
    --------
    >>> code_truth(["ill", "odd"], ("healthy", "ill"), "labels")
    (array([ 1, -1]), ['ill', 'odd'])
    """
    coded = code_labels(labels, what)
    insist_on_one_kind({"labels": coded.values, "predictions": classes or (0,)}, what)
    if classes is not None:
        warn_of_strange(coded.values, classes, what)
    return find_codes(coded, classes), [coded.values[code] for code in coded.codes.tolist()]


def find_codes(coded: Coded, classes: Classes) -> NDArray[np.int64]:
    """Labels of points by other classes, -1 for one that is none of them."""
    place = None if classes is None else {label: code for code, label in enumerate(classes)}
    codes = coded.values if place is None else [place.get(label, -1) for label in coded.values]
    return np.array(codes, dtype=np.int64).take(coded.codes)
