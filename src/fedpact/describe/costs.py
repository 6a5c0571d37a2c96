"""What a contribution costs: convex, non-decreasing functions c_j(m_j) with c_j(0) = 0.

The paper has linear costs only. Its discussion (Section 6, convex costs) extends the logarithmic factor to
convex costs, which does not carry over unchanged (ERRATA B9). Here a cost function is one final class derived from
:class:`Cost`, callable on scalars and arrays; ``marginal`` gives the cost of one more sample without the rounding
of a difference. To add one, write the class and list it in :data:`KINDS`; files, planners, prices and pages read,
write and evaluate it through these methods alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.describe.names import nearest
from fedpact.describe.numbers import Number, read_in, read_number, shorten
from fedpact.errors import FederationError, FormatError

__all__ = ["Linear", "PiecewiseLinear", "Quadratic"]

_MOST = 1e100
"""Of a cost per sample: sums and squares of counts times this are finite."""


class Cost(ABC):
    """A convex, strictly increasing cost of m samples: 0 for none, and finite for 2^40."""

    __slots__ = ()

    KEYS: ClassVar[tuple[str, ...]]
    """Keys of the table that a federation file writes it as; a number per sample has none."""
    FORM: ClassVar[str]
    """That table, as messages show it."""

    @abstractmethod
    def __call__(self, m: ArrayLike) -> NDArray[np.float64]:
        """Cost of ``m`` samples, which need not be whole."""

    @abstractmethod
    def marginal(self, m: int) -> float:
        """Cost of sample number ``m + 1``."""

    @abstractmethod
    def tangent(self, at: float) -> tuple[float, float]:
        """Slope and intercept of the line that touches the cost curve at ``at``, from the right."""

    @abstractmethod
    def scaled(self, factor: float) -> Self:
        """Return the same cost in another currency."""

    @abstractmethod
    def to_plain(self) -> Any:
        """Write it as the file format does."""

    @classmethod
    def from_values(cls, *values: Any) -> Self:
        """Read the values that a table has under ``KEYS``, in their order."""
        return cls(*values)

    @property
    def kinks(self) -> tuple[float, ...]:
        """Where the slope jumps, 0 first."""
        return (0.0,)

    @staticmethod
    def from_plain(entry: Any, where: str) -> Cost:
        """Read what a cost of any kind is written as."""
        try:
            return read_cost(entry)
        except FederationError as error:
            raise FormatError(f"{where}: {error}") from None


def _read_numbers(value: Any, field: str, *keys: str) -> tuple[float, ...]:
    """Read a list of numbers, one for each of ``keys`` if any are named."""
    if not isinstance(value, list | tuple):
        raise FederationError(f"{field} must be a list of numbers; it is {shorten(value)}")
    if keys and len(value) != len(keys):
        raise FederationError(f"{field} needs {len(keys)} numbers [{', '.join(keys)}]; it has {len(value)}")
    return tuple(read_number(entry, field) for entry in value)


@final
@dataclass(frozen=True, slots=True)
class Linear(Cost):
    """c(m) = rate * m.

    Examples
    --------
    >>> Linear(2.0)(3).item()
    6.0
    """

    KEYS: ClassVar = ()
    FORM: ClassVar = "a number"

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", read_in("(]", 0, _MOST, self.rate, "cost"))

    def __call__(self, m: ArrayLike) -> NDArray[np.float64]:
        """Cost of ``m`` samples."""
        return np.asarray(self.rate * np.asarray(m, dtype=np.float64))

    def marginal(self, m: int) -> float:
        """Cost of sample number ``m + 1``."""
        return self.rate

    def tangent(self, at: float) -> tuple[float, float]:
        """Slope and intercept of the line that touches the curve at ``at``, from the right."""
        return self.rate, 0.0

    def scaled(self, factor: float) -> Linear:
        """Return the same cost in another currency."""
        return Linear(self.rate * factor)

    def to_plain(self) -> float:
        """Write it as the file format does."""
        return self.rate

    def __str__(self) -> str:
        return f"{self.rate:g} per sample"


@final
@dataclass(frozen=True, slots=True)
class Quadratic(Cost):
    """c(m) = linear * m + quadratic * m^2.

    Examples
    --------
    >>> Quadratic(1.0, 0.5)([0, 2]).tolist()
    [0.0, 4.0]
    >>> Quadratic(1.0, 0.5).scaled(2.0)
    Quadratic(linear=2.0, quadratic=1.0)
    """

    KEYS: ClassVar = ("quadratic",)
    FORM: ClassVar = "{quadratic = [a, b]}"

    linear: float
    quadratic: float

    def __post_init__(self) -> None:
        for field in ("linear", "quadratic"):
            coefficient = read_in("[]", 0, _MOST, getattr(self, field), "cost quadratic")
            object.__setattr__(self, field, coefficient)
        if self.linear + self.quadratic <= 0:
            raise FederationError("cost quadratic = [a, b] needs a >= 0 and b >= 0, not both 0; it is [0, 0]")

    def __call__(self, m: ArrayLike) -> NDArray[np.float64]:
        """Cost of ``m`` samples."""
        m = np.asarray(m, dtype=np.float64)
        return np.asarray(self.linear * m + self.quadratic * m * m)

    def marginal(self, m: int) -> float:
        """Cost of sample number ``m + 1``."""
        return self.linear + self.quadratic * (2 * m + 1)

    def tangent(self, at: float) -> tuple[float, float]:
        """Slope and intercept of the line that touches the curve at ``at``, from the right."""
        return self.linear + 2 * self.quadratic * at, -self.quadratic * at * at

    def scaled(self, factor: float) -> Quadratic:
        """Return the same cost in another currency."""
        return Quadratic(self.linear * factor, self.quadratic * factor)

    def to_plain(self) -> dict[str, list[float]]:
        """Write it as the file format does."""
        return {"quadratic": [self.linear, self.quadratic]}

    @classmethod
    def from_values(cls, *values: Any) -> Quadratic:
        """Read the values of a table."""
        return cls(*_read_numbers(values[0], "cost quadratic", "a", "b"))

    def __str__(self) -> str:
        return f"{self.linear:g} m + {self.quadratic:g} m^2"


@final
@dataclass(frozen=True, slots=True)
class PiecewiseLinear(Cost):
    """The first ``breakpoints[0]`` samples cost ``slopes[0]`` each, those up to the next one ``slopes[1]``.

    0 may be given as the first breakpoint, with as many slopes as breakpoints.

    Examples
    --------
    >>> PiecewiseLinear((10.0,), (1.0, 3.0))([10, 12]).tolist()
    [10.0, 16.0]
    """

    KEYS: ClassVar = ("breakpoints", "slopes")
    FORM: ClassVar = "{breakpoints = [...], slopes = [...]}"

    breakpoints: tuple[float, ...]
    slopes: tuple[float, ...]

    def __post_init__(self) -> None:
        breakpoints = _read_numbers(self.breakpoints, "cost breakpoints")
        object.__setattr__(self, "slopes", _read_numbers(self.slopes, "cost slopes"))
        is_from_zero = breakpoints[:1] == (0.0,) and len(breakpoints) == len(self.slopes)
        object.__setattr__(self, "breakpoints", breakpoints[1:] if is_from_zero else breakpoints)
        if len(self.slopes) != len(self.breakpoints) + 1:
            raise FederationError(
                f"cost needs one slope more than breakpoints; it has {len(self.slopes)} slopes "
                f"and {len(self.breakpoints)} breakpoints"
            )
        if any(b <= a for a, b in pairwise(self.kinks)):
            raise FederationError(
                f"cost breakpoints must be above 0 and rise; they are {shorten(list(self.breakpoints))}"
            )
        for slope in self.slopes:
            read_in("(]", 0, _MOST, slope, "cost slopes")
        if any(b < a for a, b in pairwise(self.slopes)):
            raise FederationError(
                f"cost slopes must not fall (costs are convex); they are {shorten(list(self.slopes))}"
            )

    @property
    def kinks(self) -> tuple[float, ...]:
        """Where the slope jumps, 0 first."""
        return 0.0, *self.breakpoints

    def __call__(self, m: ArrayLike) -> NDArray[np.float64]:
        """Cost of ``m`` samples."""
        m = np.asarray(m, dtype=np.float64)
        total = self.slopes[0] * m
        for at, rise in zip(self.breakpoints, np.diff(self.slopes), strict=True):
            total = total + rise * np.maximum(m - at, 0.0)
        return np.asarray(total)

    def marginal(self, m: int) -> float:
        """Cost of sample number ``m + 1``."""
        rises = zip(self.breakpoints, np.diff(self.slopes).tolist(), strict=True)
        return self.slopes[0] + float(sum(rise * min(max(m + 1 - at, 0.0), 1.0) for at, rise in rises))

    def tangent(self, at: float) -> tuple[float, float]:
        """Slope and intercept of the line that touches the curve at ``at``, from the right."""
        slope = self.slopes[int(np.searchsorted(self.breakpoints, at, side="right"))]
        return slope, float(self(at)) - slope * at

    def scaled(self, factor: float) -> PiecewiseLinear:
        """Return the same cost in another currency."""
        return PiecewiseLinear(self.breakpoints, tuple(slope * factor for slope in self.slopes))

    def to_plain(self) -> dict[str, list[float]]:
        """Write it as the file format does."""
        return {"breakpoints": list(self.breakpoints), "slopes": list(self.slopes)}

    def __str__(self) -> str:
        steps = [f"{slope:g} up to {at:g}" for slope, at in zip(self.slopes, self.breakpoints, strict=False)]
        return ", ".join([*steps, f"then {self.slopes[-1]:g}"])


KINDS: tuple[type[Cost], ...] = (Linear, Quadratic, PiecewiseLinear)
"""Every cost function; the first is what a number stands for."""

AnyCost: TypeAlias = Number | Cost | Mapping[str, Any]
"""A cost as a user may write it: a number per sample, a cost, or a table as in a federation file."""


def read_cost(value: Any) -> Cost:
    """Turn a number, or a table with the keys of one of :data:`KINDS`, into a cost.

    Examples
    --------
    >>> read_cost("1/2")
    Linear(rate=0.5)
    >>> read_cost({"breakpoints": [0, 10], "slopes": [1, 3]})
    PiecewiseLinear(breakpoints=(10.0,), slopes=(1.0, 3.0))
    """
    if isinstance(value, Cost):
        return value
    if not isinstance(value, Mapping):
        return KINDS[0].from_values(value)
    for kind in KINDS:
        if kind.KEYS and set(kind.KEYS) == set(value):
            return kind.from_values(*(value[key] for key in kind.KEYS))
    *first, last = (kind.FORM for kind in KINDS)
    keys = [key for kind in KINDS for key in kind.KEYS]
    strange = [f": unknown key {shorten(key)} ({nearest(str(key), keys)})" for key in value if key not in keys]
    raise FederationError(
        f"cost must be {', '.join(first)} or {last}; it is {shorten(dict(value))}{''.join(strange[:1])}"
    )
