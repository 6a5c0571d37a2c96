"""Who the agents are and what they want, and what is assumed of labels.

============== ==========================================================================================
assumption     says
============== ==========================================================================================
``realizable`` some candidate agrees with every label (the paper)
``noisy``      some candidate does, but for labels wrong with probability ``noise`` at most, whatever came before
``agnostic``   nothing
============== ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.costs import Cost, read_cost
from fedpact.describe.names import nearest, read_choice
from fedpact.describe.numbers import Number, read_chance, read_in, read_whole_number, shorten
from fedpact.errors import FederationError, Problems

OBJECTIVES = ("pac", "expected")
GUARANTEES = ("per-agent", "joint")
ASSUMPTIONS = ("realizable", "noisy", "agnostic")

T = TypeVar("T")
Objective: TypeAlias = Annotated[str, OBJECTIVES]
Guarantee: TypeAlias = Annotated[str, GUARANTEES]
Assumption: TypeAlias = Annotated[str, ASSUMPTIONS]

PerAgent: TypeAlias = T | Sequence[T] | Mapping[str, T] | NDArray[Any]
"""One value for all agents, one for each in their order, or one for each by name."""
Entry: TypeAlias = tuple[str, Any]
"""Where a value stands, as a message about it begins, and the value."""
Contributions: TypeAlias = Sequence[Number] | Mapping[str, Number] | NDArray[Any]
"""Samples of each agent: in their order, or by name, and nothing of those who are not named."""


class HasContributions:
    """Gives a result with ``contributions`` its vector ``m``."""

    __slots__ = ()
    contributions: dict[str, int]

    @property
    def m(self) -> NDArray[np.int64]:
        """(k,) the contribution vector, in the order of ``contributions``."""
        return np.array(list(self.contributions.values()), dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """What is assumed of labels; a result that was stored without it assumed what the paper does."""

    assume: Assumption = field(default="realizable", metadata={"is_optional": True})
    noise: float | None = field(default=None, metadata={"is_optional": True})
    """How often a label is wrong at most; None unless labels are assumed to be noisy."""


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
    delta: float
    objective: Objective
    guarantee: Guarantee
    assume: Assumption = "realizable"
    noise: float | None = None
    """How often a label is wrong at most; None unless labels are assumed to be noisy."""

    @property
    def names(self) -> tuple[str, ...]:
        """Agents' names."""
        return tuple(agent.name for agent in self.agents)

    def to_fields(self) -> dict[str, Any]:
        """Give what a federation has of these."""
        return {own.name: getattr(self, own.name) for own in fields(self)}


def _check_names(names: Sequence[Any]) -> None:
    if isinstance(names, str):
        raise FederationError(f"names must be one string per agent; it is the single string {shorten(names)}")
    problems = Problems()
    if not names:
        problems.add("a federation needs at least one agent")
    for index, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            problems.add(f"agent names must be non-empty strings; agent {index + 1} has {shorten(name)}")
        elif name in names[:index]:
            problems.add(f"agent names must differ; {name!r} is used twice")
    problems.raise_if_any()


def _spread(names: Sequence[str], value: Any, field: str) -> list[Entry]:
    """Spread a scalar, a sequence or a name -> value mapping over the agents."""
    if isinstance(value, Mapping) and value and (field != "cost" or set(value) & set(names)):
        strangers = [name for name in value if name not in names]
        if strangers:
            known = nearest(str(strangers[0]), names)
            raise FederationError(f"{field} names {strangers[0]!r}, who is not in the federation; {known}")
        missing = [name for name in names if name not in value]
        if missing:
            raise FederationError(f"{field} is given per agent but agent {missing[0]!r} has none")
        values = [value[name] for name in names]
    elif isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        values = list(value)
        if len(values) != len(names):
            raise FederationError(
                f"{field} must be one value or one per agent; {len(values)} for {len(names)} agents"
            )
    else:
        values = [value] * len(names)
    return [(f"agent {name!r}: ", entry) for name, entry in zip(names, values, strict=True)]


def read_entries(entries: Iterable[Entry], read: Callable[[Any], T]) -> list[T]:
    """Read every entry, or raise what is wrong with all of them."""
    problems = Problems()
    found: list[Any] = [problems.read(where, read, value) for where, value in entries]
    problems.raise_if_any()
    return found


def read_per_agent(names: Sequence[str], value: Any, field: str, read: Callable[[Any], T]) -> list[T]:
    """Read one value for all agents, one for each in their order, or one for each by name."""
    return read_entries(_spread(names, value, field), read)


def read_epsilon(value: Any) -> float:
    """Read a tolerated error."""
    return read_in("[]", 0, 1, value, "epsilon")


def read_capacity(value: Any) -> int | None:
    """Read the most samples an agent can give; None means no limit."""
    return None if value is None else read_whole_number(value, "capacity")


def read_assumption(assume: Any, noise: Any) -> tuple[Assumption, float | None]:
    """Read what is assumed of labels; a noise alone says that they are noisy, and none that they are not.

    Examples
    --------
    >>> read_assumption(None, 0.05), read_assumption(None, 0), read_assumption("agnostic", None)
    (('noisy', 0.05), ('realizable', None), ('agnostic', None))
    """
    if assume is not None:
        read_choice(assume, "assume", ASSUMPTIONS)
    level = 0.0 if noise is None else read_in("[)", 0, 0.5, noise, "noise")
    if assume == "noisy" and noise is None:
        raise FederationError("assume 'noisy' needs noise, how often a label is wrong at most, such as 0.05")
    if level and assume not in (None, "noisy"):
        raise FederationError(f"noise is for assume 'noisy'; with assume {assume!r} leave it out")
    if level:
        return "noisy", level
    return "agnostic" if assume == "agnostic" else "realizable", None


READERS: Mapping[str, Callable[[Any], Any]] = {
    "cost": read_cost,
    "epsilon": read_epsilon,
    "capacity": read_capacity,
}
"""How each setting of an agent is read."""


def read_terms(
    names: Sequence[str],
    entries: Mapping[str, Iterable[Entry] | None],
    delta: Any,
    objective: str,
    guarantee: str,
    assume: Any,
    noise: Any,
    problems: Problems,
) -> Settings:
    """Read the ``entries`` of every setting, one for each agent, and what is for all; raise all ``problems``."""
    problems.read("", _check_names, names)
    read = {
        field: problems.read("", read_entries, own, READERS[field])
        for field, own in entries.items()
        if own is not None
    }
    problems.read("", read_choice, objective, "objective", OBJECTIVES)
    problems.read("", read_choice, guarantee, "guarantee", GUARANTEES)
    chance = problems.read("", read_chance, delta, "delta")
    assumed = problems.read("", read_assumption, assume, noise)
    if objective == "expected" and assumed not in (None, ("realizable", None)):
        problems.add("objective 'expected' needs assume 'realizable'; for other assumptions use 'pac'")
    problems.raise_if_any()
    assert chance is not None, "what is missing was noted"
    assert assumed is not None, "and so was this"
    rows = zip(names, *(read[field] or () for field in ("epsilon", "cost", "capacity")), strict=True)
    agents = tuple(Agent(name=name, epsilon=e, cost=c, capacity=most) for name, e, c, most in rows)
    return Settings(agents, chance, objective, guarantee, *assumed)


def read_settings(
    names: Sequence[str],
    cost: Any,
    epsilon: Any,
    capacity: Any,
    delta: Any,
    objective: str,
    guarantee: str,
    assume: Any = None,
    noise: Any = None,
) -> Settings:
    """Check everything about a federation but its evidence."""
    problems, given = Problems(), names if isinstance(names, str) else tuple(names)
    values = {"cost": cost, "epsilon": epsilon, "capacity": capacity}
    spread = () if isinstance(given, str) else given
    entries = {field: problems.read("", _spread, spread, value, field) for field, value in values.items()}
    return read_terms(given, entries, delta, objective, guarantee, assume, noise, problems)
