"""The rows of a result, found by walking its fields: for its DataFrame, and for whoever shows it.

A result whose class names ``ROWS`` has a row for each entry of that field, with a column for each number, code
or text in it, and in what it holds. Any other has a row for each name of its first dictionary, with a column for
each dictionary over the same names; or, without one, a single row. Columns are called as the keys of the JSON;
an interval takes two, its ends. A class may give columns of its own: ``own_columns``.
pandas is imported only when a DataFrame is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union, get_args, get_origin

from fedpact.errors import MissingExtraError
from fedpact.plain import hint_of, hints_of, key_of
from fedpact.result import Shown

if TYPE_CHECKING:
    from pandas import DataFrame


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
    if get_origin(hint) is Annotated:
        return get_args(hint)[0]
    if get_origin(hint) not in (Union, UnionType):
        return hint
    left = [one for one in get_args(hint) if one is not NoneType]
    return _strip(left[0]) if len(left) == 1 else float if set(left) <= {int, float} else hint


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
    if isinstance(hint, type) and hasattr(hint, "is_exact"):  # an interval
        for end in ("low", "high"):
            ends = tuple(None if value is None else getattr(value, end) for value in values)
            yield Column(f"{name}_{end}", float, ends)
    elif (kind := _scalar_kind(hint)) is not None:
        yield Column(name, kind, tuple(None if value is None else kind(value) for value in values))


def _keys_of(cls: Any) -> dict[str, tuple[str, Any]]:
    """Return key -> name and annotation, of the fields of a class and of what is derived from them."""
    own = {key_of(one): (one.name, hints_of(cls)[one.name]) for one in fields(cls)}
    return own | {name: (name, hint_of(cls, name)) for name in getattr(cls, "DERIVED", ())}


def _columns_of(cls: Any, entries: tuple[Any, ...], *, depth: int = 1) -> Iterator[Column]:
    """Give a column for every scalar of a class, of its derived properties, and of dataclasses in it."""
    for key, (name, given) in _keys_of(cls).items():
        hint, values = _strip(given), tuple(None if entry is None else getattr(entry, name) for entry in entries)
        if is_dataclass(hint) and isinstance(hint, type) and not _is_value(hint):
            yield from _columns_of(hint, values, depth=depth - 1) if depth else ()
        else:
            yield from _split(key, hint, values)


def _by_name(result: Shown) -> list[Column]:
    """Give the columns of a result whose dictionaries say something of every name."""
    found: list[Column] = []
    names: tuple[str, ...] = ()
    for key, (name, given) in _keys_of(type(result)).items():
        hint, value = _strip(given), getattr(result, name)
        if get_origin(hint) is None or not issubclass(get_origin(hint), Mapping) or not isinstance(value, Mapping):
            continue
        columns = list(_split(key, get_args(hint)[1], tuple(map(value.get, names or value))))
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
    own = result.own_columns()
    if own is not None:
        return own
    if result.ROWS is None:
        return _by_name(result) or list(_columns_of(type(result), (result,)))
    entries, parts = getattr(result, result.ROWS), get_args(hint_of(type(result), result.ROWS))
    is_named = isinstance(entries, Mapping)
    found = {result.INDEX: Column(result.INDEX, str, tuple(entries))} if is_named else {}
    rows = tuple(entries.values() if is_named else entries)
    for column in _columns_of(parts[1 if is_named else 0], rows):
        found.setdefault(column.name, column)
    return list(found.values())


def scalars_of(result: Shown) -> dict[str, Any]:
    """Return the numbers, codes and texts of a result that hold for all of it, by their keys."""
    return {column.name: column.values[0] for column in _columns_of(type(result), (result,))}


_TYPES: dict[Kind, str] = {int: "Int64", float: "float64", bool: "boolean", str: "string"}
"""The types that can be missing, so that they do not hang on whether a value is."""


def make_frame(result: Shown) -> DataFrame:
    """Make a DataFrame of a result's rows.

    Raises
    ------
    MissingExtraError
        If pandas is not installed.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.planning.plan import plan
    >>> make_frame(plan(alice_bob())).dtypes.astype(str).to_dict()["contributions"]
    'Int64'
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("a DataFrame", extra="notebook") from error
    columns = columns_of(result)
    series = {at: pd.Series(list(one.values), dtype=_TYPES[one.kind]) for at, one in enumerate(columns)}
    frame = pd.DataFrame(series)
    frame.columns = pd.Index([one.name for one in columns])
    return frame
