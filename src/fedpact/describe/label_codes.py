"""Labels as small whole numbers: code c stands for the label ``classes[c]``.

What a model or a file calls a class, a whole number or a string, is read once and kept as a code, piece by
piece, so that a thousand candidates over a million points need one byte each and never a Python object per
point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError

_LAST, _FIRST_HALF, _LAST_HALF = 0x10FFFF, 0xD800, 0xDFFF


def is_text(array: NDArray[Any]) -> bool:
    """Whether an array of kind ``U`` holds whole characters only; Python breaks on others, or UTF-8 does.

    Examples
    --------
    >>> is_text(np.array(["ill", "healthy"]))
    True
    >>> is_text(np.array([0x110000], dtype=np.uint32).view("U1"))
    False
    """
    if not array.dtype.itemsize:
        return True
    points = np.ascontiguousarray(array).view(np.dtype("u4").newbyteorder(array.dtype.byteorder))
    is_half = (points >= _FIRST_HALF) & (points <= _LAST_HALF)
    return not bool(((points > _LAST) | is_half).any())


Label: TypeAlias = str | int
"""What a class is called."""

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Coded:
    """Labels of one candidate at some points: the label at point x is ``values[codes[x]]``."""

    values: tuple[Label, ...]
    codes: NDArray[np.integer]


def read_classes(classes: Iterable[Any]) -> tuple[Label, ...]:
    """Check the declared classes: different strings or different whole numbers.

    Examples
    --------
    >>> read_classes(["healthy", "ill"])
    ('healthy', 'ill')
    """
    given = tuple(classes) if isinstance(classes, Iterable) and not isinstance(classes, str) else ()
    read = tuple(str(label) if isinstance(label, str) else _read_whole(label) for label in given)
    if not read or len(set(read)) < len(read) or len(set(map(type, read))) > 1 or None in read:
        raise FederationError(
            "classes must be different labels, all strings or all whole numbers, at least one; "
            f"they are {shorten(classes)}"
        )
    return tuple(label for label in read if label is not None)


def _read_whole(label: Any) -> int | None:
    return int(label) if isinstance(label, Integral) and not isinstance(label, bool | np.bool_) else None


def smallest_type(classes: int) -> np.dtype[Any]:
    """Find the smallest unsigned integers that can number the classes."""
    return np.min_scalar_type(max(classes - 1, 0))


def code_labels(values: Any, what: str, *, first: int = 1) -> Coded:
    """Code the labels of one candidate at consecutive points, the number of the first being ``first``.

    Examples
    --------
    >>> code_labels(["ill", "healthy", "ill"], "candidate 'tree'")
    Coded(values=('healthy', 'ill'), codes=array([1, 0, 1], dtype=uint8))
    """
    array = _read_column(values, what)
    if array.dtype.kind in "OTU":
        return _code_objects(array.tolist(), what, first)
    seen, codes = np.unique(read_whole(array, what, first), return_inverse=True)
    return Coded(tuple(seen.tolist()), codes.astype(smallest_type(len(seen))))


def read_array(values: Any, what: str) -> NDArray[Any]:
    """Any sequence as an array; rows of different lengths are refused."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise FederationError(f"{what} must give one label per point; it is {shorten(values)}") from None
    # In a list with one string, numpy takes every number for a string too.
    is_list = array.dtype.kind == "U" and not isinstance(values, np.ndarray)
    return np.asarray(values, dtype=object) if is_list else array


def _read_column(values: Any, what: str) -> NDArray[Any]:
    array = read_array(values, what)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise FederationError(
            f"{what} must give one label per point; the shape is {array.shape} "
            "(of one score per class, take the class with the largest: argmax)"
        )
    if array.dtype.kind == "U":
        _insist_on_text(array, what)
    return array


def _insist_on_text(array: NDArray[Any], what: str) -> None:
    if not is_text(array):
        raise FederationError(f"{what}: labels must be texts; one holds what is no character, or half of one")


def read_whole(array: NDArray[Any], what: str, first: int = 1) -> NDArray[np.int64]:
    """Read the whole numbers of one candidate at consecutive points."""
    if array.dtype.kind not in "biuf":
        raise FederationError(f"{what}: labels must be whole numbers or strings; they are {array.dtype}")
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)
    _refuse(whole != array, array, what, first)
    return whole


def _code_objects(labels: list[Any], what: str, first: int) -> Coded:
    """Code strings, or whole numbers as pandas may keep them; each different label is looked at once."""
    kinds = set(map(type, labels))
    wanted = str if any(issubclass(kind, str) for kind in kinds) else Integral
    if not all(issubclass(kind, wanted) for kind in kinds):
        _refuse(np.array([not isinstance(label, wanted) for label in labels]), labels, what, first)
    values = sorted({str(label) if wanted is str else int(label) for label in set(labels)})
    wrong = {label for label in values if not _is_kept(label)}
    if wrong:
        _refuse(np.array([label in wrong for label in labels]), labels, what, first)
    if wanted is str:
        _insist_on_text(np.array(values), what)
    place = {label: code for code, label in enumerate(values)}
    kind = smallest_type(len(values))
    return Coded(tuple(values), np.fromiter(map(place.__getitem__, labels), dtype=kind, count=len(labels)))


def _is_kept(label: Any) -> bool:
    """Whether numpy keeps a label as it is."""
    if isinstance(label, str):
        return label != "" and not label.endswith("\0")
    return bool(_SMALLEST <= label <= _LARGEST)


def _refuse(wrong: NDArray[np.bool_], labels: Sequence[Any] | NDArray[Any], what: str, first: int) -> None:
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        label = labels[at].item() if isinstance(labels, np.ndarray) else labels[at]
        raise FederationError(
            f"{what}: labels must be whole numbers or strings that are not empty, all of one kind; "
            f"at point {first + at} it is {shorten(label)}"
        )


def code_places(places: NDArray[Any], count: int, classes: Sequence[Label] | None, what: str) -> Coded:
    """Code places among ``count`` classes, as scores are, by the declared classes if any.

    Examples
    --------
    >>> code_places(np.array([2, 0]), 3, ("red", "green", "blue"), "candidate 'net'")
    Coded(values=('red', 'green', 'blue'), codes=array([2, 0], dtype=uint8))
    """
    if classes is not None and len(classes) != count:
        raise FederationError(
            f"{what} scores {count} classes and {len(classes)} are declared, {shorten(tuple(classes))}; "
            "declare one for each score, in the same order"
        )
    return Coded(tuple(range(count) if classes is None else classes), places.astype(smallest_type(count)))


def join(pieces: Sequence[Coded]) -> Coded:
    """Put the labels of one candidate at consecutive points together."""
    values = tuple(dict.fromkeys(label for piece in pieces for label in piece.values))
    return Coded(values, np.concatenate([recode(piece, values) for piece in pieces]))


def stack(
    rows: Mapping[str, Coded], classes: Iterable[Any] | None, field: str = "predictions"
) -> tuple[NDArray[Any], tuple[Label, ...]]:
    """(H, n) codes of all candidates with one numbering, and what each code stands for.

    Without declared ``classes`` they are the labels that occur, in order.
    """
    if classes is None:
        insist_on_one_kind({f"those of {name}": row.values for name, row in rows.items()}, field)
        classes = sorted({label for row in rows.values() for label in row.values}, key=_order)
    declared = read_classes(classes)
    known = set(declared)
    for name, row in rows.items():
        for label in row.values:
            if label not in known:
                raise FederationError(
                    f"candidate {name!r} predicts {shorten(label)}, which is not among the declared classes "
                    f"{shorten(declared)}"
                )
    sizes = {name: len(row.codes) for name, row in rows.items()}
    if len(set(sizes.values())) > 1:
        raise FederationError(f"all candidates must predict the same points; their numbers are {shorten(sizes)}")
    return np.stack([recode(row, declared) for row in rows.values()]), declared


def insist_on_one_kind(labels: Mapping[str, Iterable[Label]], field: str) -> None:
    """Refuse strings beside whole numbers."""
    owner = {isinstance(label, str): name for name, own in labels.items() for label in own}
    if len(owner) > 1:
        raise FederationError(
            f"{field} must be all strings or all whole numbers; {owner[True]} are strings and {owner[False]} "
            "whole numbers"
        )


def _order(label: Label) -> tuple[int, str]:
    return (label, "") if isinstance(label, int) else (0, label)


def recode(piece: Coded, values: Sequence[Label]) -> NDArray[Any]:
    """Codes of the same labels by another numbering."""
    place = {label: code for code, label in enumerate(values)}
    lookup = np.array([place[label] for label in piece.values], dtype=smallest_type(len(values)))
    return np.asarray(lookup[piece.codes])
