"""A digest of what a fitted estimator has learned.

The walk visits parameters and fitted attributes in the order of their names and reads arrays field by field, so
that the same content gives the same digest in any process; nothing is pickled. How an estimator is run
(``n_jobs``, ``verbose``) is no part of it, nor is the search tree over the points of nearest neighbours, which
counts its own use. Of what cannot be read, the name of the type is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np

from fedpact.describe.candidate_list import digest_of

_NOT_THE_MODEL = ("n_jobs", "verbose", "_tree")


def _walk_array(array: Any, seen: frozenset[int]) -> Iterator[str | bytes]:
    yield f"array {array.dtype} {array.shape}"
    if array.dtype.names:  # fields one by one: the bytes between them mean nothing
        for field in array.dtype.names:
            yield from _walk_array(array[field], seen)
    elif array.dtype == object:
        for item in array.ravel().tolist():
            yield from _walk(item, seen)
    else:
        yield np.ascontiguousarray(array).tobytes()


def _walk_named(items: Mapping[Any, Any], seen: frozenset[int]) -> Iterator[str | bytes]:
    for key in sorted(items, key=repr):
        if key not in _NOT_THE_MODEL:
            yield repr(key)
            yield from _walk(items[key], seen)
    yield "end"


def _find_state(value: Any) -> Any:
    """Find what an object holds: its attributes, or what it says of itself where those are not all."""
    own: Any = type(value).__getstate__
    states_itself = own is not object.__getstate__ and not hasattr(value, "get_params")
    if states_itself or not hasattr(value, "__dict__"):
        try:
            return value.__getstate__()
        except TypeError:
            return None
    return vars(value)


def _walk(value: Any, seen: frozenset[int]) -> Iterator[str | bytes]:
    if isinstance(value, np.ndarray | np.generic):
        yield from _walk_array(np.asarray(value), seen)
        return
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        yield f"{type(value).__name__} {value!r}"
        return
    yield f"{type(value).__module__}.{type(value).__qualname__}"
    if id(value) in seen:
        return
    seen = seen | {id(value)}
    if hasattr(value, "__name__"):  # a function or a class is known by what it is called
        yield f"{getattr(value, '__module__', '')}.{value.__name__}"
    elif isinstance(value, Mapping):
        yield from _walk_named(value, seen)
    elif isinstance(value, Set):
        yield from sorted(map(repr, value))
    elif isinstance(value, bytearray | memoryview):
        yield bytes(value)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _walk(item, seen)
        yield "end"
    else:
        state = _find_state(value)
        if state is not None:
            yield from _walk(state, seen)


def digest_model(name: str, model: Any) -> str:
    """Sixteen digits for the content of a model; for its name if the model holds nothing.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(coef_=np.array([1.0, 2.0]))
    >>> digest_model("a", model) == digest_model("b", SimpleNamespace(coef_=np.array([1.0, 2.0])))
    True
    >>> digest_model("a", model) == digest_model("a", SimpleNamespace(coef_=np.array([1.0, 2.5])))
    False
    """
    if not _find_state(model):
        return digest_of(name)
    return digest_of(*_walk(model, frozenset()))
