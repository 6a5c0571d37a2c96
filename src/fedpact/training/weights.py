"""What a model has learned, as named arrays that travel as plain values.

On the wire an array is its shape, its kind of float and the base64 of its little-endian bytes, so that every bit
arrives as it was sent and nothing is ever executed, as a pickle would be. Whoever reads weights reads a stranger's
bytes: names, shapes and sizes are bounded before anything is decoded, and only finite numbers are let in.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.candidate_list import digest_of
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError

MOST_BYTES = 2**26
MOST_ARRAYS = 10_000
_LONGEST_NAME = 200
_MOST_AXES = 8
_KINDS: dict[str, np.dtype[Any]] = {"float32": np.dtype("<f4"), "float64": np.dtype("<f8")}
_KEYS = {"name", "kind", "shape", "data"}


def _read_name(name: Any) -> str:
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
        raise FederationError(
            f"weights: the name of an array must be a string of 1 to {_LONGEST_NAME} characters; "
            f"one is {shorten(name)}"
        )
    return name


def _freeze(name: str, values: Any) -> NDArray[np.floating]:
    array = np.asarray(values)
    if array.dtype.name not in _KINDS or array.ndim > _MOST_AXES:
        raise FederationError(
            f"weights {name!r} must be float32 or float64 with at most {_MOST_AXES} axes; they are "
            f"{array.dtype} of shape {array.shape}"
        )
    array = array.astype(_KINDS[array.dtype.name], order="C", copy=True)
    if not np.isfinite(array).all():
        raise FederationError(f"weights {name!r} must be finite numbers; one is not")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Named arrays of finite float32 or float64 numbers, in order; two are equal if every bit is.

    Examples
    --------
    >>> weights = Weights({"slope": np.array([1.5, -2.0]), "offset": np.array(0.25)})
    >>> weights.names, weights["slope"].tolist()
    (('slope', 'offset'), [1.5, -2.0])
    >>> Weights.from_dict(weights.to_dict()) == weights
    True
    """

    arrays: Mapping[str, NDArray[np.floating]]
    fixed: tuple[str, ...] = ()
    """Names of public constants, such as the scale of the features: no training changes them."""

    def __post_init__(self) -> None:
        if not isinstance(self.arrays, Mapping) or not 0 < len(self.arrays) <= MOST_ARRAYS:
            raise FederationError(
                f"weights must be 1 to {MOST_ARRAYS:,} arrays by name; they are {shorten(self.arrays)}"
            )
        frozen = {_read_name(name): _freeze(name, values) for name, values in self.arrays.items()}
        unknown = [name for name in self.fixed if name not in frozen]
        if unknown or len(set(self.fixed)) < len(self.fixed):
            raise FederationError(f"weights: fixed must be different names of arrays; it is {shorten(self.fixed)}")
        object.__setattr__(self, "arrays", MappingProxyType(frozen))
        object.__setattr__(self, "fixed", tuple(self.fixed))

    def __getitem__(self, name: str) -> NDArray[np.floating]:
        return self.arrays[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weights):
            return NotImplemented
        return self.difference(other) is None and self.fixed == other.fixed and self.digest == other.digest

    __hash__ = None  # type: ignore[assignment]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the arrays, in order."""
        return tuple(self.arrays)

    @property
    def digest(self) -> str:
        """Sixteen digits that stand for names, shapes, kinds and every bit."""
        parts: list[str | bytes] = []
        for name, array in self.arrays.items():
            parts += [name, f"{array.dtype.name} {array.shape}", array.tobytes()]
        return digest_of(*parts)

    def difference(self, other: Weights) -> str | None:
        """Say how names, kinds or shapes differ from another's, if they do; the values may be any."""
        for mine, theirs in zip(self.names, other.names, strict=False):
            if mine != theirs:
                return f"{mine!r} stands where {theirs!r} should"
        if len(self.names) != len(other.names):
            return f"there are {len(self.names)} arrays where {len(other.names)} should be"
        for name, array in self.arrays.items():
            here, there = (f"{one.dtype.name} {one.shape}" for one in (array, other[name]))
            if here != there:
                return f"{name!r} is {here} and should be {there}"
        return None

    def replace(self, arrays: Mapping[str, Any]) -> Weights:
        """Put other values in the place of some arrays."""
        return Weights({**self.arrays, **arrays}, self.fixed)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, bit for bit."""
        return {
            "arrays": [
                {
                    "name": name,
                    "kind": array.dtype.name,
                    "shape": list(array.shape),
                    "data": base64.b64encode(array.tobytes()).decode("ascii"),
                }
                for name, array in self.arrays.items()
            ],
            "fixed": list(self.fixed),
        }

    to_plain = to_dict

    @classmethod
    def from_plain(cls, entry: Any, where: str) -> Weights:
        """Read them where they stand in a dictionary."""
        return cls.from_dict(entry)

    @classmethod
    def from_dict(cls, entry: Any, *, most_bytes: int = MOST_BYTES) -> Weights:
        """Read what :meth:`to_dict` wrote, by whomever; at most ``most_bytes`` of numbers."""
        if not isinstance(entry, Mapping) or set(entry) != {"arrays", "fixed"}:
            raise FederationError(f"weights must have the keys 'arrays' and 'fixed'; they are {shorten(entry)}")
        listed, fixed = (_read_list(entry[key], key) for key in ("arrays", "fixed"))
        _check_size(listed, most_bytes)
        decoded = [(_read_name(one["name"]), _decode(one)) for one in listed]
        arrays = dict(decoded)
        if len(arrays) < len(decoded):
            raise FederationError("weights: every array must have a name of its own; one is given twice")
        return cls(arrays, tuple(_read_name(name) for name in fixed))


def _read_list(values: Any, key: str) -> Sequence[Any]:
    if not isinstance(values, Sequence) or isinstance(values, str | bytes) or len(values) > MOST_ARRAYS:
        raise FederationError(f"weights: {key} must be a list of at most {MOST_ARRAYS:,}; it is {shorten(values)}")
    return values


def _count_bytes(entry: Any) -> int:
    """Bytes of one array by its shape, which are those of its data or else it is refused."""
    if not isinstance(entry, Mapping) or set(entry) != _KEYS or not isinstance(entry["data"], str):
        raise FederationError(f"weights: an array must have {', '.join(sorted(_KEYS))}; one is {shorten(entry)}")
    shape, kind = entry["shape"], entry["kind"]
    is_shape = isinstance(shape, Sequence) and len(shape) <= _MOST_AXES
    if not is_shape or not all(type(side) is int and 0 <= side <= MOST_BYTES for side in shape):
        raise FederationError(
            f"weights {shorten(entry['name'])}: shape must be whole numbers; it is {shorten(shape)}"
        )
    if not isinstance(kind, str) or kind not in _KINDS:
        raise FederationError(
            f"weights {shorten(entry['name'])}: kind must be one of {', '.join(_KINDS)}; it is {shorten(kind)}"
        )
    return math.prod(shape) * _KINDS[kind].itemsize


def _check_size(listed: Sequence[Any], most_bytes: int) -> None:
    total = sum(map(_count_bytes, listed))
    if total > most_bytes:
        raise FederationError(f"weights must have at most {most_bytes:,} bytes of numbers; they have {total:,}")


def _decode(entry: Mapping[str, Any]) -> NDArray[np.floating]:
    """One array; the length of its text is compared before the text is decoded."""
    size, text = _count_bytes(entry), entry["data"]
    problem = f"weights {shorten(entry['name'])}: data must be the base64 of {size:,} bytes; it is {shorten(text)}"
    if len(text) != 4 * -(-size // 3):
        raise FederationError(problem)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise FederationError(problem) from None
    if len(data) != size:
        raise FederationError(problem)
    return np.frombuffer(data, dtype=_KINDS[entry["kind"]]).reshape(tuple(entry["shape"]))
