"""The rows of a result, found by walking its fields: for its DataFrame, and for whoever shows it.

A result whose class names ``ROWS`` has a row for each entry of that field, with a column for each number, code
or text in it, and in what it holds. Any other has a row for each name of its first dictionary, with a column for
each dictionary over the same names; or, without one, a single row. Columns are called as the keys of the JSON;
an interval takes two, its ends. A class whose rows are none of these lists its columns itself (``list_columns``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin

from fedpact.plain import hints_of, key_of
from fedpact.result import Shown

Kind: TypeAlias = type[int] | type[float] | type[bool] | type[str]
_SCALARS: tuple[Kind, ...] = (bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the key, what its values are, and a value for every row."""

    name: str
    kind: Kind
    values: tuple[Any, ...]


def _strip(hint: Any) -> Any:
    """Return an annotation without its None; several kinds of number are the widest."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    left = [one for one in get_args(hint) if one is not NoneType]
    return left[0] if len(left) == 1 else float if set(left) <= {int, float} else hint


def _is_interval(hint: Any) -> bool:
    return isinstance(hint, type) and hasattr(hint, "is_exact")


def _is_value(hint: Any) -> bool:
    """Whether what it stands for is one value, which says itself how it is written: a cost."""
    return all(
        isinstance(one, type) and hasattr(one, "to_plain") and not issubclass(one, Shown)
        for one in (get_args(hint) if get_origin(hint) in (Union, UnionType) else [hint])
    )


def _scalar_kind(hint: Any) -> Kind | None:
    """Return what a column of this annotation holds; None where it is no column."""
    if _is_value(hint) or (isinstance(hint, type) and issubclass(hint, Enum)):
        return str
    return hint if hint in _SCALARS else None


def _split(name: str, hint: Any, values: tuple[Any, ...]) -> Iterator[Column]:
    """Give the column of scalar values, or the two of intervals; nothing for anything else."""
    hint = _strip(hint)
    if _is_interval(hint):
        for end in ("low", "high"):
            ends = tuple(None if value is None else getattr(value, end) for value in values)
            yield Column(f"{name}_{end}", float, ends)
    elif (kind := _scalar_kind(hint)) is not None:
        yield Column(name, kind, tuple(None if value is None else kind(value) for value in values))


def _columns_of(cls: type, entries: tuple[Any, ...]) -> Iterator[Column]:
    """Give a column for every scalar of a class, of its derived properties, and of dataclasses in it."""
    for one in fields(cls):
        hint = _strip(hints_of(cls)[one.name])
        values = tuple(None if entry is None else getattr(entry, one.name) for entry in entries)
        if is_dataclass(hint) and isinstance(hint, type) and not _is_value(hint):
            yield from _columns_of(hint, values)
        else:
            yield from _split(key_of(one), hint, values)
    for name in getattr(cls, "DERIVED", ()):
        hint = hints_of(getattr(cls, name).fget).get("return")
        yield from _split(name, hint, tuple(None if entry is None else getattr(entry, name) for entry in entries))


def _by_name(result: Shown) -> list[Column]:
    """Give the columns of a result whose dictionaries say something of every name."""
    found: list[Column] = []
    names: tuple[str, ...] = ()
    for one in fields(result):  # type: ignore[arg-type]
        hint, value = _strip(hints_of(type(result))[one.name]), getattr(result, one.name)
        if get_origin(hint) is None or not issubclass(get_origin(hint), Mapping) or not isinstance(value, Mapping):
            continue
        columns = list(_split(key_of(one), get_args(hint)[1], tuple(map(value.get, names or value))))
        if columns and not names:
            names = tuple(value)
        if columns and set(value) <= set(names):
            found += columns
    return [Column(result.INDEX, str, names), *found] if found else []


def columns_of(result: Shown) -> list[Column]:
    """Return the columns of a result.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.planning.plan import plan
    >>> for column in columns_of(plan(alice_bob()))[:2]:
    ...     print(column.name, column.values)
    agent ('alice', 'bob')
    contributions (3, 2)
    """
    if hasattr(result, "list_columns"):
        return list(result.list_columns())
    if result.ROWS is not None:
        entries, hint = getattr(result, result.ROWS), hints_of(type(result))[result.ROWS]
        names = [Column(result.INDEX, str, tuple(entries))] if isinstance(entries, Mapping) else []
        values = tuple(entries.values() if isinstance(entries, Mapping) else entries)
        found = [*names, *_columns_of(get_args(hint)[1 if names else 0], values)]
        return list({column.name: column for column in reversed(found)}.values())[::-1]
    return _by_name(result) or list(_columns_of(type(result), (result,)))


def scalars_of(result: Shown) -> dict[str, Any]:
    """Return the numbers, codes and texts of a result that hold for all of it, by their keys."""
    return {column.name: column.values[0] for column in _columns_of(type(result), (result,))}
