"""From every pair's count to a verdict: what all checks of contributions share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.condensed import pair_at
from fedpact.describe.numbers import read_chance
from fedpact.describe.reports import Report
from fedpact.errors import FederationError
from fedpact.mechanism.sample_checks.critical_counts import (
    CriticalCounts,
    adjusted_p_value,
    find_critical_counts,
    find_detectable,
    p_values,
)
from fedpact.mechanism.sample_checks.honest_rates import limit_rates
from fedpact.mechanism.sample_checks.reported_rates import ReportedRates, read_tolerance
from fedpact.mechanism.sample_checks.result import CheckedPair, ContributionCheck, ContributionStatus

LEVEL = 0.01
POWER = 0.8
MOST_PAIRS = 10

CountPairs: TypeAlias = Callable[[CriticalCounts], NDArray[np.int64]]


def _name_pair(place: int, names: Sequence[str]) -> tuple[str, str]:
    h, g = pair_at(place, len(names))
    return names[h], names[g]


def _find_least_likely(
    found: CriticalCounts, counts: NDArray[np.int64], names: Sequence[str]
) -> tuple[CheckedPair, ...]:
    claim, chances = found.claim, p_values(found.claim, found.m, counts)
    reported, low, high = (rates[claim.place] for rates in (claim.rates, claim.low, claim.high))
    is_suspicious = found.are_suspicious(counts)
    order = np.lexsort((-np.abs(counts - found.m * reported), chances))[:MOST_PAIRS]
    return tuple(
        CheckedPair(
            pair=_name_pair(int(index), names),
            reported=float(reported[index]),
            low=float(low[index]),
            high=float(high[index]),
            observed=int(counts[index]),
            m=found.m,
            p_value=float(chances[index]),
            adjusted=adjusted_p_value(found, float(chances[index])),
            is_suspicious=bool(is_suspicious[index]),
        )
        for index in order
    )


def _judge(found: CriticalCounts, suspicious: int) -> ContributionStatus:
    if len(found.claim.place) == 0:
        return ContributionStatus.NO_PAIRS
    if found.m == 0:
        return ContributionStatus.NO_SAMPLES
    if suspicious:
        return ContributionStatus.FLAGGED
    return ContributionStatus.CONSISTENT if found.counted else ContributionStatus.TOO_FEW


def _check_distinct(report: Any, m: int) -> None:
    if isinstance(report, Report) and m > report.n:
        raise FederationError(
            f"distinct=True needs no more samples than the n = {report.n} points of report {report.name!r}; there "
            f"are {m}: some were sent twice, or are not from these points"
        )


def judge_counts(
    report: Any,
    said: ReportedRates,
    names: Sequence[str],
    m: int,
    count: CountPairs,
    *,
    false_alarm_rate: Any,
    tolerance: Any,
    power: Any,
    fresh: bool,
    distinct: bool,
) -> ContributionCheck:
    """Test whether the counts of all pairs go with what a site reported.

    Parameters
    ----------
    count
        Gives every pair's count, (P,), once the critical counts are known.
    """
    false_alarm_rate, tolerance, power = (
        read_chance(false_alarm_rate, "false_alarm_rate"),
        read_tolerance(tolerance),
        read_chance(power, "power"),
    )
    claim = limit_rates(
        report,
        said,
        false_alarm_rate=false_alarm_rate,
        tolerance=tolerance,
        fresh=bool(fresh),
        distinct=bool(distinct),
    )
    if distinct:
        _check_distinct(report, m)
    found = find_critical_counts(claim, m, false_alarm_rate)
    counts = count(found)
    suspicious = int(found.are_suspicious(counts).sum())
    caught = find_detectable(found, power)
    return ContributionCheck(
        site=said.site,
        m=found.m,
        suspicious=suspicious,
        pairs=_find_least_likely(found, counts, names),
        false_alarm=found.false_alarm,
        detectable=caught.surely,
        detectable_at_best=caught.at_best,
        easiest=None if caught.pair is None else _name_pair(caught.pair, names),
        cutoff=found.cutoff,
        tested=len(counts),
        counted=found.counted,
        status=_judge(found, suspicious),
        false_alarm_rate=false_alarm_rate,
        tolerance=tolerance,
        power=power,
        fresh=bool(fresh),
        distinct=bool(distinct),
    )
