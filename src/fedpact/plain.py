"""Frozen dataclasses as plain values and back, by walking their fields: the one codec of results and files.

Plain values are what JSON has: None, bool, int, float, str, lists, and dictionaries with string keys. A number
without a limit (infinity) is None; an array is a list; an enum is its code; an interval is what its own
``to_plain`` says; ``Annotated[str, codes]`` is one of these codes. Properties that a class names in ``DERIVED``
are written too; read, they must fit, and are computed again. Reading follows the annotations and answers what
does not fit with one line that says where.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from fedpact.errors import FormatError

_LISTS = (tuple, list, Sequence, frozenset)


def key_of(entry: Field[Any]) -> str:
    """Return the key under which a field is written: its name, unless its metadata has another ``key``."""
    return str(entry.metadata.get("key", entry.name))


@cache
def hints_of(about: Any) -> Mapping[str, Any]:
    """Return the annotations of a class or function with their names looked up."""
    return get_type_hints(about, include_extras=True)


def hint_of(cls: Any, name: str) -> Any:
    """Return the annotation of a field or property."""
    return hints_of(cls)[name] if name in hints_of(cls) else hints_of(getattr(cls, name).fget)["return"]


def to_plain(value: Any) -> Any:
    """Write a value plainly.

    Examples
    --------
    >>> to_plain({"a": (1, float("inf")), "b": np.arange(2)})
    {'a': [1, None], 'b': [0, 1]}
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if hasattr(value, "to_plain"):
        return value.to_plain()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, np.generic | np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): to_plain(entry) for key, entry in value.items()}
    if isinstance(value, _LISTS):
        return [to_plain(entry) for entry in (sorted(value) if isinstance(value, frozenset) else value)]
    if is_dataclass(value):
        return write_fields(value)
    raise TypeError(f"{type(value).__name__} has no plain form")


def default_of(entry: Field[Any]) -> Any:
    """Return what a field of a dataclass is if it is not given; None if there is no such thing."""
    if entry.default_factory is not MISSING:
        return entry.default_factory()
    return None if entry.default is MISSING else entry.default


def write_fields(value: Any) -> dict[str, Any]:
    """Write the fields of a dataclass, each under its key; optional ones that are None are left out."""
    own = {
        key_of(entry): to_plain(found)
        for entry in fields(value)
        if (found := getattr(value, entry.name)) is not None or not entry.metadata.get("is_optional")
    }
    return own | {key: to_plain(getattr(value, key)) for key in getattr(value, "DERIVED", ())}


def from_plain(hint: Any, value: Any, where: str) -> Any:
    """Read a value as its annotation says.

    Raises
    ------
    FormatError
        If it does not fit; the message begins with ``where``.

    Examples
    --------
    >>> from_plain(dict[str, tuple[int, ...]], {"a": [1, 2]}, "counts")
    {'a': (1, 2)}
    >>> from_plain(float, None, "rate")
    inf
    """
    origin = get_origin(hint) or hint
    if hint is Any or origin is Any:
        return value
    if origin is Annotated:
        codes = get_args(hint)[1]
        return value if value in codes else _refuse(where, f"one of {_list(codes)}", value)
    if origin in (Union, UnionType):
        return _read_union(get_args(hint), value, where)
    if origin is Literal:
        return value if value in get_args(hint) else _refuse(where, f"one of {_list(get_args(hint))}", value)
    if origin is np.ndarray:
        return _read_array(hint, value, where)
    if issubclass(origin, _LISTS) and not issubclass(origin, str):
        return _read_list(origin, get_args(hint), value, where)
    if issubclass(origin, Mapping):
        return _read_mapping(get_args(hint), value, where)
    if hasattr(origin, "from_plain"):
        return origin.from_plain(value, where)
    if is_dataclass(origin):
        return read_fields(origin, value, where)
    if issubclass(origin, Enum):
        codes = [member.value for member in origin]
        return origin(value) if value in codes else _refuse(where, f"one of {_list(codes)}", value)
    return _read_scalar(origin, value, where)


def read_fields(cls: Any, entry: Any, where: str) -> Any:
    """Read a dataclass from the dictionary of its fields: none unknown, and none missing but optional ones.

    An optional field that is missing is its default: what it was before there was a key for it.
    """
    if not isinstance(entry, Mapping):
        _refuse(where, "a dictionary", entry)
    known = {key_of(one): one for one in fields(cls) if one.init}
    names = {key: one.name for key, one in known.items()} | {key: key for key in getattr(cls, "DERIVED", ())}
    for key in entry:
        if key not in names:
            close = get_close_matches(str(key), known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; the keys are {_list(known)}"
            raise FormatError(f"{where}: {key!r} is not a key{hint}")
    values = {}
    for key, name in names.items():
        if key in entry:
            values[name] = from_plain(hint_of(cls, name), entry[key], f"{where}.{key}")
        elif key not in known or not known[key].metadata.get("is_optional"):
            raise FormatError(f"{where}: {key!r} is missing")
    stand_in = {one.name: default_of(one) for one in known.values()}
    return cls(**{name: values.get(name, default) for name, default in stand_in.items()})


def _list(codes: Any) -> str:
    return ", ".join(map(repr, codes))


def _refuse(where: str, rule: str, value: Any) -> Any:
    shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
    raise FormatError(f"{where} must be {rule}; it is {shown}")


def _read_union(hints: Sequence[Any], value: Any, where: str) -> Any:
    """Read the one of several annotations that fits; the message is that of the last."""
    if value is None and NoneType in hints:
        return None
    *first, last = [hint for hint in hints if hint is not NoneType]
    for hint in first:
        try:
            return from_plain(hint, value, where)
        except FormatError:
            continue
    return from_plain(last, value, where)


def _read_array(hint: Any, value: Any, where: str) -> Any:
    dtype = get_args(get_args(hint)[1])[0]
    is_whole, is_bool = issubclass(dtype, np.integer), issubclass(dtype, np.bool_)
    rule = f"an array of {'truth values' if is_bool else 'whole numbers' if is_whole else 'numbers'}"
    try:
        array = np.array(value)
        if array.dtype.kind == "O" and issubclass(dtype, np.floating):
            array = np.array(value, dtype=np.float64)
            array[np.isnan(array)] = np.inf  # None is written for what has no limit
    except (TypeError, ValueError):
        return _refuse(where, rule, value)
    fits = array.dtype.kind in ("b" if is_bool else "iu" if is_whole else "iuf") or not array.size
    if not isinstance(value, list | tuple) or not fits:
        return _refuse(where, rule, value)
    array = array.astype({np.integer: np.int64, np.floating: np.float64}.get(dtype, dtype))
    array.flags.writeable = False
    return array


def _read_list(origin: Any, hints: Sequence[Any], value: Any, where: str) -> Any:
    if not isinstance(value, list | tuple):
        _refuse(where, "a list", value)
    if origin is tuple and hints[-1:] != (Ellipsis,):
        if len(value) != len(hints):
            _refuse(where, f"a list of {len(hints)}", value)
        each: Sequence[Any] = hints
    else:
        each = [hints[0]] * len(value)
    pairs = enumerate(zip(each, value, strict=True))
    read = [from_plain(hint, one, f"{where}[{at}]") for at, (hint, one) in pairs]
    return read if origin is list else frozenset(read) if origin is frozenset else tuple(read)


def _read_mapping(hints: Sequence[Any], value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        _refuse(where, "a dictionary", value)
    of_key, of_value = hints or (str, Any)
    return {
        _read_key(of_key, key, where): from_plain(of_value, one, f"{where}.{key}") for key, one in value.items()
    }


def _read_key(kind: Any, key: Any, where: str) -> Any:
    if kind is not int:
        return from_plain(kind, key, f"{where}: a key")
    return int(key) if str(key).isdecimal() else _refuse(f"{where}: a key", "a whole number", key)


def _read_scalar(kind: Any, value: Any, where: str) -> Any:
    if kind is float:
        if value is None:
            return math.inf
        fits = isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
        return float(value) if fits else _refuse(where, "a number", value)
    names = {int: "a whole number", bool: "true or false", str: "a text", NoneType: "null"}
    is_of_kind = type(value) is kind
    return value if is_of_kind else _refuse(where, names.get(kind, kind.__name__), value)
