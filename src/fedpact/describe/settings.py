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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, TypeAlias, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.costs import Cost, read_cost
from fedpact.describe.memo import Memory
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


class Stated(TypedDict):
    """What a result says of the federation that it is about."""

    objective: Objective
    guarantee: Guarantee
    assume: Assumption
    noise: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Settings(Memory):
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

    def stated(self) -> Stated:
        """Give what results say of these."""
        return Stated(objective=self.objective, guarantee=self.guarantee, assume=self.assume, noise=self.noise)

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


def _spread(names: Sequence[str], value: Any, field: str) -> list[Any]:
    """Spread a scalar, a sequence or a name -> value mapping over the agents."""
    if isinstance(value, Mapping) and value and (field != "cost" or set(value) & set(names)):
        strangers = [name for name in value if name not in names]
        if strangers:
            known = nearest(str(strangers[0]), names)
            raise FederationError(f"{field} names {strangers[0]!r}, who is not in the federation; {known}")
        missing = [name for name in names if name not in value]
        if missing:
            raise FederationError(f"{field} is given per agent but agent {missing[0]!r} has none")
        return [value[name] for name in names]
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        if len(value) != len(names):
            raise FederationError(
                f"{field} must be one value or one per agent; {len(value)} for {len(names)} agents"
            )
        return list(value)
    return [value] * len(names)


def read_per_agent(names: Sequence[str], value: Any, field: str, read: Callable[[Any], T]) -> list[T]:
    """Read one value for all agents, one for each in their order, or one for each by name."""
    problems = Problems()
    values = zip(names, _spread(names, value, field), strict=True)
    found: list[Any] = [problems.read(f"agent {name!r}: ", read, own) for name, own in values]
    problems.raise_if_any()
    return found


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
    problems, given = Problems(), () if isinstance(names, str) else tuple(names)
    problems.read("", _check_names, given or names)
    values = {"cost": cost, "epsilon": epsilon, "capacity": capacity}
    read = {
        field: problems.read("", read_per_agent, given, value, field, READERS[field])
        for field, value in values.items()
    }
    problems.read("", read_choice, objective, "objective", OBJECTIVES)
    problems.read("", read_choice, guarantee, "guarantee", GUARANTEES)
    chance = problems.read("", read_chance, delta, "delta")
    assumed = problems.read("", read_assumption, assume, noise)
    if objective == "expected" and assumed not in (None, ("realizable", None)):
        problems.add("objective 'expected' needs assume 'realizable'; for other assumptions use 'pac'")
    chance, (assume, noise) = problems.insist(chance), problems.insist(assumed)
    rows = zip(given, *(read[field] or () for field in values), strict=True)
    agents = tuple(Agent(name=name, cost=c, epsilon=e, capacity=most) for name, c, e, most in rows)
    return Settings(
        agents=agents, delta=chance, objective=objective, guarantee=guarantee, assume=assume, noise=noise
    )
