"""Instances of any dataclass, made up from its annotations; and every result class there is, by introspection."""

import importlib
import math
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np

import fedpact
from fedpact.describe.costs import Cost, Linear, PiecewiseLinear, Quadratic
from fedpact.plain import hints_of
from fedpact.result import Record, Result

NAMES = ("alice", "bob", "carol")
COSTS = (Linear(0.5), Quadratic(1.0, 0.25), PiecewiseLinear((10.0,), (1.0, 3.0)))


def _subclasses(cls: type) -> set[type]:
    deeper = {one for below in cls.__subclasses__() for one in _subclasses(below)}
    return deeper | ({cls} if is_dataclass(cls) and "__slots__" in vars(cls) else set())


def find_results() -> dict[str, type[Record]]:
    """Import every module of the package and return the result classes, and pacts, by their kinds."""
    others = ("fedpact.__main__", "fedpact.cli", "fedpact.web", "fedpact.protocol.flower")
    for module in pkgutil.walk_packages(fedpact.__path__, "fedpact.", onerror=lambda name: None):
        if not module.name.startswith(others):
            importlib.import_module(module.name)
    return {cls.kind: cls for cls in sorted(_subclasses(Record) - {Result}, key=lambda cls: cls.kind)}


def _make_number(rng: np.random.Generator) -> float:
    return math.inf if rng.random() < 0.1 else round(float(rng.random()), 6)


def make(hint: Any, rng: np.random.Generator) -> Any:
    """Make up a value of an annotation."""
    if get_origin(hint) is Annotated:
        return str(rng.choice(get_args(hint)[1]))
    origin = get_origin(hint) or hint
    if origin in (Union, UnionType):
        choices = get_args(hint)
        made = make(choices[rng.integers(len(choices))], rng)
        return 0.5 if made == math.inf and NoneType in choices else made  # None stands for infinity where it can
    if origin is Literal:
        return get_args(hint)[0]
    if origin is Any:
        return {"any": 1}
    if origin is np.ndarray:
        dtype = get_args(get_args(hint)[1])[0]
        return np.arange(9).reshape(3, 3).astype({np.integer: np.int64, np.floating: np.float64}.get(dtype, dtype))
    if origin is tuple and get_args(hint)[-1] is not Ellipsis:
        return tuple(make(one, rng) for one in get_args(hint))
    if issubclass(origin, tuple | list | Sequence) and not issubclass(origin, str):
        made = [make(get_args(hint)[0], rng) for _ in range(rng.integers(3))]
        return made if origin is list else tuple(made)
    if issubclass(origin, Mapping):
        of_key, of_value = get_args(hint)
        keys = (3, 7, 11) if of_key is int else NAMES
        return {key: make(of_value, rng) for key in keys}
    if issubclass(origin, Enum):
        members = list(origin)
        return members[rng.integers(len(members))]
    if issubclass(origin, Cost):
        kinds = [cost for cost in COSTS if isinstance(cost, origin)]
        return kinds[rng.integers(len(kinds))]
    if is_dataclass(origin):
        return build(origin, rng)
    simple = {int: int(rng.integers(100)), float: _make_number(rng), bool: bool(rng.integers(2)), NoneType: None}
    return simple[origin] if origin in simple else f"text-{rng.integers(10)}"


def build(cls: type, rng: np.random.Generator) -> Any:
    """Make up an instance of a dataclass; intervals have their ends in order."""
    values = {one.name: make(hints_of(cls)[one.name], rng) for one in fields(cls) if one.init}
    if set(values) == {"low", "high"}:
        values = {"low": 0.25, "high": float(rng.choice([0.25, 0.5, math.inf]))}
    if "names" in values:
        values["names"] = NAMES
    if "digests" in values:
        values["digests"] = ("0123456789abcdef",) * len(NAMES)
    return cls(**values)
