"""``contribution_power``: how large a lie a check of m samples catches, exactly.

Let a site's true rate for one pair be off by s: p + s or p - s where it reported p. The pair's own test catches
it with probability Pr[X >= above | p + s] or Pr[X <= below | p - s], with the critical counts of
:mod:`fedpact.mechanism.sample_checks.critical_counts`. Both rise with s. Whatever else the site lies about, it
is flagged at least as often as this pair is suspicious, so the least such chance over all pairs and both
directions, where the rate stays within [0, 1], is a lower bound for every lie that moves some rate by s.
Nothing is simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fedpact.describe.numbers import Number, read_chance, read_number, read_whole_number, shorten
from fedpact.describe.reports import Report
from fedpact.drawing import draw_lines
from fedpact.errors import FederationError
from fedpact.mechanism.sample_checks.critical_counts import (
    CriticalCounts,
    Floats,
    TestedRates,
    find_critical_counts,
    find_detectable,
)
from fedpact.mechanism.sample_checks.honest_rates import limit_rates
from fedpact.mechanism.sample_checks.reported_rates import LEVEL, POWER, read_reported, read_tolerance
from fedpact.result import Result
from fedpact.statistics.confidence import upper_tail

if TYPE_CHECKING:
    from fedpact.drawing import Figure

STEPS = 40
LARGEST_QUOTA = 1_000_000
_TOL = 1e-12


class PowerStatus(StrEnum):
    """How much the quotas can see."""

    SEES = "sees"
    """At every quota a lie that is large enough is caught with the wanted chance, whichever pair it is about."""
    BLIND = "blind"
    """At some quotas no lie is caught with the wanted chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerRow:
    """What a check of m samples catches."""

    m: int
    caught: tuple[float, ...]
    """For every size of a lie, the least chance that it is caught: that of the pair hardest to check."""
    caught_at_best: tuple[float, ...]
    """The same for the pair that is easiest to check."""
    detectable: float | None
    """A rate that is off by more than this is caught with the wanted chance; None if no lie is."""
    detectable_at_best: float | None
    """The same of the pair that is easiest to check."""
    false_alarm: float
    """An honest site is flagged with at most this chance."""
    counted: int
    """Number of pairs that some outcome would make suspicious."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCurve(Result):
    """Chance that a lie is caught, against its size, for every quota."""

    ROWS: ClassVar = "rows"

    site: str | None
    lies: tuple[float, ...]
    """By how much a rate is off."""
    rows: tuple[PowerRow, ...]
    """One per quota."""
    tested: int
    """Number of pairs."""
    status: PowerStatus
    false_alarm_rate: float
    power: float
    """The wanted chance."""
    tolerance: float
    fresh: bool

    def plot(self) -> Figure:
        """Draw the chance that a lie about the pair hardest to check is caught; needs ``fedpact[plot]``."""
        return draw_lines(
            {f"{row.m} sample{'s' if row.m != 1 else ''}": row.caught for row in self.rows},
            x=self.lies,
            title=f"lies caught; an honest site is flagged with chance {self.false_alarm_rate:g} at most",
            x_axis="size of the lie: by how much the rate of a pair is off",
            y_axis="chance of being caught, at least",
        )


def read_quotas(quota: Any) -> list[int]:
    """Read one number of samples, or several."""
    given = list(quota) if isinstance(quota, Sequence | np.ndarray) and not isinstance(quota, str) else [quota]
    quotas = [read_whole_number(value, "quota") for value in given]
    if not quotas:
        raise FederationError("quota must be at least one number of samples; none is given")
    if max(quotas) > LARGEST_QUOTA:
        raise FederationError(f"quota must be at most {LARGEST_QUOTA:,}; it is {max(quotas):,}")
    return quotas


def _read_lies(lies: Any, largest: float) -> list[float]:
    if lies is None:
        return [float(size) for size in np.linspace(0.0, largest, STEPS + 1)]
    if isinstance(lies, str) or not isinstance(lies, Sequence | np.ndarray) or not len(lies):
        raise FederationError(f"lies must be a list of at least one size; it is {shorten(lies)}")
    sizes = [read_number(size, "a size in lies") for size in lies]
    for size in sizes:
        if not 0 <= size <= largest + _TOL:
            raise FederationError(
                f"lies must lie between 0 and {largest:g}, as no rate can be off by more; one is {size:g}"
            )
    return sizes


def _chances(found: CriticalCounts, lie: float) -> Floats:
    """Chance that each pair's own test catches a lie of this size, up or down, where there is room for it."""
    up, down = (room >= lie - _TOL for room in found.claim.room)
    rates = found.claim.rates
    above = upper_tail(found.m, found.above, np.minimum(rates + lie, 1.0))[up]
    below = upper_tail(found.m, found.m - found.below, 1 - np.maximum(rates - lie, 0.0))[down]
    return np.concatenate([above, below])


def _make_row(
    claim: TestedRates, m: int, lies: Sequence[float], false_alarm_rate: float, power: float
) -> PowerRow:
    found = find_critical_counts(claim, m, false_alarm_rate)
    caught = find_detectable(found, power)
    chances = [_chances(found, lie) for lie in lies]
    return PowerRow(
        m=m,
        caught=tuple(float(chance.min()) for chance in chances),
        caught_at_best=tuple(float(chance.max()) for chance in chances),
        detectable=caught.surely,
        detectable_at_best=caught.at_best,
        false_alarm=found.false_alarm,
        counted=found.counted,
    )


def contribution_power(
    report: Report | ArrayLike,
    quota: int | Sequence[int],
    *,
    false_alarm_rate: Number = LEVEL,
    power: Number = POWER,
    lies: Sequence[Number] | None = None,
    tolerance: Number = 0.0,
    fresh: bool = False,
) -> PowerCurve:
    """Compute how large a lie :func:`fedpact.check_contribution` catches, before anything is contributed.

    Parameters
    ----------
    report
        What the site reported, as for :func:`fedpact.check_contribution`; at least two hypotheses.
    quota
        Number of samples, or a list of such numbers.
    false_alarm_rate, tolerance, fresh
        As for :func:`fedpact.check_contribution`.
    power
        The chance with which a lie of the size ``detectable`` is to be caught.
    lies
        Sizes of lies: by how much the rate of a pair is off. Evenly spaced if not given.

    Examples
    --------
    >>> from fedpact.describe.reports import Report
    >>> said = Report(name="alice", n=1000, n_classes=2, counts=np.array([100]))
    >>> curve = contribution_power(said, [10, 30, 100], lies=[0.2, 0.4])
    >>> [[round(chance, 3) for chance in row.caught] for row in curve.rows]
    [[0.15, 0.623], [0.719, 0.997], [0.995, 1.0]]
    >>> [round(row.detectable, 3) for row in curve.rows]
    [0.481, 0.222, 0.12]
    """
    rates = read_reported(report)
    if not len(rates):
        raise FederationError("report must be about at least two hypotheses; it is about 1")
    quotas = read_quotas(quota)
    false_alarm_rate = read_chance(false_alarm_rate, "false_alarm_rate")
    power, tolerance, fresh = read_chance(power, "power"), read_tolerance(tolerance), bool(fresh)
    claim = limit_rates(report, rates, false_alarm_rate=false_alarm_rate, tolerance=tolerance, fresh=fresh)
    sizes = _read_lies(lies, float(np.max(claim.room)))
    rows = tuple(_make_row(claim, m, sizes, false_alarm_rate, power) for m in quotas)
    is_blind = any(row.detectable is None for row in rows)
    return PowerCurve(
        site=report.name if isinstance(report, Report) else None,
        lies=tuple(sizes),
        rows=rows,
        tested=len(rates),
        status=PowerStatus.BLIND if is_blind else PowerStatus.SEES,
        false_alarm_rate=false_alarm_rate,
        power=power,
        tolerance=tolerance,
        fresh=fresh,
    )
