"""Who the agents are and what they want: names, costs, targets, capacities, objective and guarantee."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.costs import Cost, read_cost
from fedpact.describe.names import nearest
from fedpact.describe.numbers import Number, read_chance, read_number, read_whole_number, shorten
from fedpact.errors import FederationError, Problems

OBJECTIVES = ("pac", "expected")
GUARANTEES = ("per-agent", "joint")

T = TypeVar("T")
Objective: TypeAlias = Annotated[str, OBJECTIVES]
Guarantee: TypeAlias = Annotated[str, GUARANTEES]

PerAgent: TypeAlias = T | Sequence[T] | Mapping[str, T] | NDArray[Any]
"""One value for all agents, one for each in their order, or one for each by name."""
Contributions: TypeAlias = Sequence[Number] | Mapping[str, Number] | NDArray[Any]
"""Samples of each agent: in their order, or by name, and nothing of those who are not named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One data owner: its name, the error it tolerates, what a contribution costs it, how much it has."""

    name: str
    epsilon: float
    cost: Cost
    capacity: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything about a federation but its evidence."""

    agents: tuple[Agent, ...]
    names: tuple[str, ...]
    delta: float
    objective: Objective
    guarantee: Guarantee


def _read_names(names: Iterable[Any], problems: Problems) -> tuple[str, ...]:
    if isinstance(names, str):
        problems.add(f"names must be one string per agent; it is the single string {shorten(names)}")
        return ()
    names = tuple(names)
    if not names:
        problems.add("a federation needs at least one agent")
    seen: set[str] = set()
    for index, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            problems.add(f"agent names must be non-empty strings; agent {index + 1} has {shorten(name)}")
        elif name in seen:
            problems.add(f"agent names must differ; {name!r} is used twice")
        else:
            seen.add(name)
    return names


def read_per_agent(
    names: Sequence[str], value: Any, field: str, read: Callable[[Any], T], problems: Problems
) -> list[T] | None:
    """Spread a scalar, a sequence or a name -> value mapping over the agents and read each entry."""
    if isinstance(value, Mapping) and value and (field != "cost" or set(value) & set(names)):
        strangers = [name for name in value if name not in names]
        if strangers:
            known = nearest(str(strangers[0]), names)
            problems.add(f"{field} names {strangers[0]!r}, who is not in the federation; {known}")
            return None
        missing = [name for name in names if name not in value]
        if missing:
            problems.add(f"{field} is given per agent but agent {missing[0]!r} has none")
            return None
        entries = [value[name] for name in names]
    elif isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        entries = list(value)
        if len(entries) != len(names):
            problems.add(f"{field} must be one value or one per agent; {len(entries)} for {len(names)} agents")
            return None
    else:
        entries = [value] * len(names)
    out: list[T] = []
    for name, entry in zip(names, entries, strict=True):
        try:
            out.append(read(entry))
        except FederationError as error:
            problems.add(f"agent {name!r}: {error}")
    return out if len(out) == len(names) else None


def read_epsilon(value: Any) -> float:
    """Read a tolerated error."""
    number = read_number(value, "epsilon")
    if not 0 <= number <= 1:
        raise FederationError(f"epsilon must lie between 0 and 1; it is {number:g}")
    return number


def read_capacity(value: Any) -> int | None:
    """Read the most samples an agent can give; None means no limit."""
    return None if value is None else read_whole_number(value, "capacity")


def _read_delta(value: Any, problems: Problems) -> float:
    try:
        return read_chance(value, "delta")
    except FederationError as error:
        problems.extend(error)
        return 0.5


def read_settings(
    names: Sequence[str],
    cost: Any,
    epsilon: Any,
    capacity: Any,
    delta: Any,
    objective: str,
    guarantee: str,
    problems: Problems,
) -> Settings:
    """Check everything about a federation but its evidence; what is wrong goes to ``problems``."""
    names = _read_names(names, problems)
    costs = read_per_agent(names, cost, "cost", read_cost, problems)
    epsilons = read_per_agent(names, epsilon, "epsilon", read_epsilon, problems)
    capacities = read_per_agent(names, capacity, "capacity", read_capacity, problems)
    for field, value, known in (("objective", objective, OBJECTIVES), ("guarantee", guarantee, GUARANTEES)):
        if value not in known:
            problems.add(f"{field} must be {' or '.join(map(repr, known))}; it is {shorten(value)}")
    agents: tuple[Agent, ...] = ()
    if costs is not None and epsilons is not None and capacities is not None:
        agents = tuple(
            Agent(name=name, epsilon=e, cost=c, capacity=cap)
            for name, e, c, cap in zip(names, epsilons, costs, capacities, strict=True)
        )
    return Settings(agents, names, _read_delta(delta, problems), objective, guarantee)
