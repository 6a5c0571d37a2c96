"""Whether a smooth trade-off between accuracy and cost explains a contribution.

The paper (Appendix B, binary payoffs) claims that for every smooth increasing benefit A_i there is a rate at
which an agent that maximises A_i(m) - rate * c_i(m) stops exactly at its threshold contribution m*. Its proof
is stationarity, which is not enough unless A_i is concave, and success curves here are S-shaped (ERRATA B8;
its "A = rate * m" is a misprint of A - rate * m). What is true on whole samples: m* is optimal at a rate if

    (A(m) - A(m*)) / (c(m) - c(m*))  <=  rate  <=  (A(m*) - A(l)) / (c(m*) - c(l))     for all l < m* < m,

so the rates form an interval, which may be empty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

from fedpact.describe.arrays import Floats, Ints
from fedpact.describe.costs import AnyCost, Cost, read_cost
from fedpact.errors import FederationError
from fedpact.result import Result

Benefit = Callable[[Ints], Any]
_MOST = 1 << 22
_FIRST = 64
_TOL = 1e-12


class TradeoffStatus(StrEnum):
    """Whether some rate explains the contribution."""

    EXISTS = "exists"
    """Every rate in the interval makes the contribution optimal."""
    NONE = "none"
    """No rate does: whatever it is, fewer or more samples are better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tradeoff(Result):
    """Rates at which a contribution maximises benefit less rate times cost."""

    DERIVED: ClassVar = ("rate",)

    m: int
    lowest: float
    """Below this rate some larger contribution is better."""
    highest: float
    """Above this rate some smaller contribution is better; infinite at m = 0."""
    larger: int | None
    """The larger contribution that asks for at least ``lowest``."""
    smaller: int | None
    """The smaller contribution that asks for at most ``highest``."""
    status: TradeoffStatus

    @property
    def rate(self) -> float | None:
        """A rate that works, the middle of the interval; None if there is none."""
        if self.status is TradeoffStatus.NONE:
            return None
        return self.lowest if np.isinf(self.highest) else (self.lowest + self.highest) / 2


def tradeoff(benefit: Benefit, m: int, *, cost: AnyCost = 1.0, ceiling: float = 1.0) -> Tradeoff:
    """Find the rates at which ``m`` maximises benefit(m) - rate * cost(m) over whole m.

    Parameters
    ----------
    benefit
        Takes an array of contributions and returns what each is worth; non-decreasing, at most ``ceiling``.
    m
        The contribution to explain, for instance an agent's share of a plan.
    cost
        As for a federation: a number, or a convex cost.
    ceiling
        What no contribution can be worth more than. It tells when larger contributions need not be tried; a curve
        that never comes near it is looked at for four million samples, beyond which ``lowest`` is what the
        ceiling allows.

    Examples
    --------
    Seeing all of four coupons (ERRATA B8): five draws are the fewest that do so with probability 0.2, but at
    no rate are they the best choice; with diminishing returns there is always a rate.

    >>> def all_seen(m):
    ...     return 1 - 4 * 0.75**m + 6 * 0.5**m - 4 * 0.25**m + 0.0**m
    >>> tradeoff(all_seen, 5).status.name
    'NONE'
    >>> round(tradeoff(lambda m: 1 - 0.5**m, 3).rate, 4)
    0.0938
    """
    curve = read_cost(cost)
    if isinstance(m, bool) or int(m) != m or m < 0:
        raise FederationError(f"m must be a whole number of samples, 0 or more; it is {m!r}")
    here = int(m)
    smaller, highest = _tightest_below(benefit, curve, here)
    larger, lowest = _tightest_above(benefit, curve, here, ceiling)
    exists = lowest <= highest * (1 + _TOL)
    return Tradeoff(
        m=here,
        lowest=lowest,
        highest=max(highest, lowest) if exists else highest,
        larger=larger,
        smaller=smaller,
        status=TradeoffStatus.EXISTS if exists else TradeoffStatus.NONE,
    )


def _values(benefit: Benefit, counts: Ints) -> Floats:
    values = np.broadcast_to(np.asarray(benefit(counts), dtype=np.float64), counts.shape)
    if not np.isfinite(values).all():
        raise FederationError("benefit must be a finite number for every contribution")
    return values


def _slopes(benefit: Benefit, cost: Cost, here: int, others: Ints) -> Floats:
    """Benefit per cost between ``here`` and every other contribution."""
    at = float(_values(benefit, np.array([here]))[0])
    return np.asarray((_values(benefit, others) - at) / (cost(others) - cost(here)))


def _tightest_below(benefit: Benefit, cost: Cost, here: int) -> tuple[int | None, float]:
    if here == 0:
        return None, np.inf
    slopes = _slopes(benefit, cost, here, np.arange(here))
    return int(slopes.argmin()), float(slopes.min())


def _tightest_above(benefit: Benefit, cost: Cost, here: int, ceiling: float) -> tuple[int | None, float]:
    """Steepest chord to a larger contribution, looking until the ceiling rules out a steeper one."""
    room = ceiling - float(_values(benefit, np.array([here]))[0])
    if room < -_TOL:
        raise FederationError(f"benefit must not exceed its ceiling {ceiling:g}; at {here} it does")
    best, where, start, width = 0.0, None, here + 1, _FIRST
    while room > _TOL and start <= here + _MOST:
        if room / float(cost(start) - cost(here)) <= best * (1 + _TOL):
            return where, best
        others = np.arange(start, start + width)
        slopes = _slopes(benefit, cost, here, others)
        if slopes.max() > best:
            best, where = float(slopes.max()), int(others[slopes.argmax()])
        start, width = start + width, 2 * width
    if room > _TOL:  # beyond what was looked at only the ceiling is known
        best, where = max(
            (best, where), (room / float(cost(start) - cost(here)), None), key=lambda entry: entry[0]
        )
    return where, best
