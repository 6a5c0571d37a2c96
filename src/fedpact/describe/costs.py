"""What a contribution costs: convex, non-decreasing functions c_j(m_j) with c_j(0) = 0.

The paper has linear costs only. Its discussion (Section 6, convex costs) extends the logarithmic factor to
convex costs, which does not carry over unchanged (ERRATA B9). Here a cost is one of three final classes, each
callable on scalars and arrays; ``marginal`` gives the cost of one more sample without the rounding of a
difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.describe.numbers import Number, read_number, shorten
from fedpact.errors import FederationError, FormatError

__all__ = ["Linear", "PiecewiseLinear", "Quadratic"]

_MOST = 1e100
"""Of a cost per sample: sums and squares of counts times this are finite."""


def _read_coefficient(value: Any, field: str) -> float:
    number = read_number(value, field)
    if number > _MOST:
        raise FederationError(f"{field} must be at most {_MOST:g}; it is {number:g}")
    return number


@final
@dataclass(frozen=True, slots=True)
class Linear:
    """c(m) = rate * m.

    Examples
    --------
    >>> Linear(2.0)(3).item()
    6.0
    """

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _read_coefficient(self.rate, "cost"))
        if not self.rate > 0:
            raise FederationError(f"cost must be above 0; it is {self.rate:g}")

    def __call__(self, m: ArrayLike) -> NDArray[np.float64]:
        """Cost of ``m`` samples."""
        return np.asarray(self.rate * np.asarray(m, dtype=np.float64))

    def marginal(self, m: int) -> float:
        """Cost of sample number ``m + 1``."""
        return self.rate

    def to_plain(self) -> float:
        """How the file format writes it."""
        return self.rate

    @classmethod
    def from_plain(cls, entry: Any, where: str) -> Cost:
        """Read what a cost of any kind is written as."""
        return _read_plain(entry, where)

    def __str__(self) -> str:
        return f"{self.rate:g} per sample"


@final
@dataclass(frozen=True, slots=True)
class Quadratic:
    """c(m) = linear * m + quadratic * m^2.

    Examples
    --------
    >>> Quadratic(1.0, 0.5)([0, 2]).tolist()
    [0.0, 4.0]
    """

    linear: float
    quadratic: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "linear", _read_coefficient(self.linear, "cost quadratic"))
        object.__setattr__(self, "quadratic", _read_coefficient(self.quadratic, "cost quadratic"))
        if self.linear < 0 or self.quadratic < 0 or self.linear + self.quadratic <= 0:
            raise FederationError(
                f"cost quadratic = [a, b] needs a >= 0 and b >= 0, not both 0; "
                f"it is [{self.linear:g}, {self.quadratic:g}]"
            )

    def __call__(self, m: ArrayLike) -> NDArray[np.float64]:
        """Cost of ``m`` samples."""
        m = np.asarray(m, dtype=np.float64)
        return np.asarray(self.linear * m + self.quadratic * m * m)

    def marginal(self, m: int) -> float:
        """Cost of sample number ``m + 1``."""
        return self.linear + self.quadratic * (2 * m + 1)

    def to_plain(self) -> dict[str, list[float]]:
        """How the file format writes it."""
        return {"quadratic": [self.linear, self.quadratic]}

    @classmethod
    def from_plain(cls, entry: Any, where: str) -> Cost:
        """Read what a cost of any kind is written as."""
        return _read_plain(entry, where)

    def __str__(self) -> str:
        return f"{self.linear:g} m + {self.quadratic:g} m^2"


@final
@dataclass(frozen=True, slots=True)
class PiecewiseLinear:
    """The first ``breakpoints[0]`` samples cost ``slopes[0]`` each, those up to the next one ``slopes[1]``.

    Examples
    --------
    >>> PiecewiseLinear((10.0,), (1.0, 3.0))([10, 12]).tolist()
    [10.0, 16.0]
    """

    breakpoints: tuple[float, ...]
    slopes: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "breakpoints", _numbers(self.breakpoints, "cost breakpoints"))
        object.__setattr__(self, "slopes", _numbers(self.slopes, "cost slopes"))
        if len(self.slopes) != len(self.breakpoints) + 1:
            raise FederationError(
                f"cost needs one slope more than breakpoints; it has {len(self.slopes)} slopes "
                f"and {len(self.breakpoints)} breakpoints"
            )
        if any(b <= a for a, b in zip((0.0, *self.breakpoints), self.breakpoints, strict=False)):
            raise FederationError(
                f"cost breakpoints must be above 0 and rise; they are {shorten(list(self.breakpoints))}"
            )
        if max(self.slopes) > _MOST:
            raise FederationError(f"cost slopes must be at most {_MOST:g}; one is {max(self.slopes):g}")
        if self.slopes[0] <= 0:
            raise FederationError(f"cost slopes must be above 0; the first is {self.slopes[0]:g}")
        if any(b < a for a, b in zip(self.slopes, self.slopes[1:], strict=False)):
            raise FederationError(
                f"cost slopes must not fall (costs are convex); they are {shorten(list(self.slopes))}"
            )

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

    def to_plain(self) -> dict[str, list[float]]:
        """How the file format writes it."""
        return {"breakpoints": list(self.breakpoints), "slopes": list(self.slopes)}

    @classmethod
    def from_plain(cls, entry: Any, where: str) -> Cost:
        """Read what a cost of any kind is written as."""
        return _read_plain(entry, where)

    def __str__(self) -> str:
        steps = [f"{slope:g} up to {at:g}" for slope, at in zip(self.slopes, self.breakpoints, strict=False)]
        return ", ".join([*steps, f"then {self.slopes[-1]:g}"])


Cost: TypeAlias = Linear | Quadratic | PiecewiseLinear
AnyCost: TypeAlias = Number | Cost | Mapping[str, Any]
"""A cost as a user may write it: a number per sample, a cost, or a table as in a federation file."""


def scale(cost: Cost, factor: float) -> Cost:
    """Return the same cost in another currency.

    Examples
    --------
    >>> scale(Quadratic(1.0, 0.5), 2.0)
    Quadratic(linear=2.0, quadratic=1.0)
    """
    match cost:
        case Linear(rate):
            return Linear(rate * factor)
        case Quadratic(linear, quadratic):
            return Quadratic(linear * factor, quadratic * factor)
        case PiecewiseLinear(breakpoints, slopes):
            return PiecewiseLinear(breakpoints, tuple(slope * factor for slope in slopes))


def read_cost(value: Any) -> Cost:
    """Turn a number, a ``{"quadratic": [a, b]}`` or a ``{"breakpoints", "slopes"}`` table into a cost.

    A piecewise cost may also list 0 as its first breakpoint, with as many slopes as breakpoints.

    Examples
    --------
    >>> read_cost("1/2")
    Linear(rate=0.5)
    >>> read_cost({"breakpoints": [0, 10], "slopes": [1, 3]})
    PiecewiseLinear(breakpoints=(10.0,), slopes=(1.0, 3.0))
    """
    if isinstance(value, Linear | Quadratic | PiecewiseLinear):
        return value
    if not isinstance(value, Mapping):
        return Linear(read_number(value, "cost"))
    if set(value) == {"quadratic"}:
        pair = _numbers(value["quadratic"], "cost quadratic")
        if len(pair) != 2:
            raise FederationError(f"cost quadratic needs two numbers [a, b]; it has {len(pair)}")
        return Quadratic(*pair)
    if set(value) == {"breakpoints", "slopes"}:
        breakpoints = _numbers(value["breakpoints"], "cost breakpoints")
        slopes = _numbers(value["slopes"], "cost slopes")
        if breakpoints[:1] == (0.0,) and len(breakpoints) == len(slopes):
            breakpoints = breakpoints[1:]
        return PiecewiseLinear(breakpoints, slopes)
    raise FederationError(
        f"cost must be a number, {{quadratic = [a, b]}} or {{breakpoints = [...], slopes = [...]}}; "
        f"it is {shorten(dict(value))}"
    )


def _read_plain(entry: Any, where: str) -> Cost:
    try:
        return read_cost(entry)
    except FederationError as error:
        raise FormatError(f"{where}: {error}") from None


def _numbers(value: Any, field: str) -> tuple[float, ...]:
    if not isinstance(value, list | tuple):
        raise FederationError(f"{field} must be a list of numbers; it is {shorten(value)}")
    return tuple(read_number(entry, field) for entry in value)
