"""``check_contribution``: whether a site's samples, or its mistake counts alone, look like what it reported.

A site reports how often any two hypotheses differ on its data, and all quotas follow from such reports. Once it
has contributed m samples, everybody can see how often the hypotheses differ on those. Every pair is tested,
exactly; :mod:`fedpact.mechanism.sample_checks.critical_counts` has the tests and the proof that an honest site
is flagged with at most the chance ``false_alarm_rate``, however the pairs depend on each other, and
:mod:`fedpact.mechanism.sample_checks.honest_rates` what suppression, noise and fresh samples change about it. In
the protocol only mistake counts are seen; :mod:`fedpact.mechanism.sample_checks.mistake_counts` has what they give
away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.candidates.predicted import Predicted
from fedpact.describe.condensed import height_of, pair_at
from fedpact.describe.numbers import Number, read_chance, read_whole_number
from fedpact.describe.reports import Report
from fedpact.errors import FederationError
from fedpact.mechanism.sample_checks.critical_counts import (
    Counts,
    CriticalCounts,
    adjusted_p_value,
    find_critical_counts,
    find_detectable,
    p_values,
)
from fedpact.mechanism.sample_checks.honest_rates import limit_rates
from fedpact.mechanism.sample_checks.mistake_counts import find_likeliest
from fedpact.mechanism.sample_checks.power import LARGEST_QUOTA
from fedpact.mechanism.sample_checks.reported_rates import (
    LEVEL,
    POWER,
    read_names,
    read_reported,
    read_samples,
    read_tolerance,
)
from fedpact.mechanism.sample_checks.result import CheckedPair, ContributionCheck, ContributionStatus
from fedpact.statistics.count_disagreements import count_disagreements
from fedpact.statistics.mistake_counts import read_mistakes

MOST_PAIRS = 10


def _name_pair(place: int, names: Sequence[str]) -> tuple[str, str]:
    h, g = pair_at(place, len(names))
    return names[h], names[g]


def _find_least_likely(found: CriticalCounts, counts: Counts, names: Sequence[str]) -> tuple[CheckedPair, ...]:
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


def check_contribution(
    report: Report | ArrayLike,
    predictions: Predicted | ArrayLike | None = None,
    *,
    mistakes: ArrayLike | None = None,
    m: int | None = None,
    false_alarm_rate: Number = LEVEL,
    tolerance: Number = 0.0,
    power: Number = POWER,
    fresh: bool = False,
    distinct: bool = False,
    hypotheses: Sequence[str] | None = None,
) -> ContributionCheck:
    """Test whether the samples that a site contributed look like what it reported.

    Give what every hypothesis predicts on the samples, or else how many of them each labels wrongly. Mistakes
    leave open on how many samples two hypotheses differ: ``observed`` is then the count, of all that are possible,
    that is most favourable to the site, with the largest p-value. And ``detectable`` is about the rates between
    the hypothesis that labels the samples and any other, whose counts the mistakes give away; a lie about others
    may go unnoticed.

    Parameters
    ----------
    report
        What the site reported: a :class:`fedpact.Report`, or an (H, H) array of rates such as
        ``fp.planning.disagreement(fed)[i]``. What a report leaves open, by suppressed counts or by noise, is
        allowed to an honest site; half of the level goes to noise.
    predictions
        (H, m) what each hypothesis predicts on the m contributed samples. Their labels are not needed.
    mistakes, m
        (H,) how many of the contributed samples each hypothesis labels wrongly, and how many samples there are.
        With a report of two labels the samples must have no other labels than those two.
    false_alarm_rate
        An honest site may be flagged with at most this chance.
    tolerance
        By how much an honest site's rates may differ from those reported.
    power
        Chance with which a lie of the size ``detectable`` is caught.
    fresh
        Whether the samples are new draws from where the reported points came from, and not draws from these
        points. The reported rates are then estimates; half of the level goes to their confidence limits.
    distinct
        Whether the samples are different points of the report, drawn without replacement.
    hypotheses
        Their names, which must be those of the report if it has any; h1, h2, ... if neither names them.

    Examples
    --------
    A site says that two models differ on one patient in ten. Of its thirty samples they differ on twelve.

    >>> from fedpact.describe.reports import Report
    >>> said = Report(name="alice", n=1000, n_classes=2, counts=np.array([100]))
    >>> seen = check_contribution(said, [[0] * 30, [1] * 12 + [0] * 18])
    >>> seen.is_flagged, seen.pairs[0].observed, round(seen.pairs[0].p_value, 6)
    (True, 12, 3.1e-05)
    >>> round(seen.false_alarm, 4), round(seen.detectable, 3)
    (0.0078, 0.222)
    >>> check_contribution(said, [[0] * 30, [1] * 4 + [0] * 26]).status.name
    'CONSISTENT'

    If the thirty are not from the thousand points of the report, the rate of an honest site may be above 0.1:

    >>> new = check_contribution(said, [[0] * 30, [1] * 12 + [0] * 18], fresh=True)
    >>> new.is_flagged, round(new.pairs[0].high, 3), round(new.false_alarm, 4)
    (True, 0.129, 0.0083)

    Another site says that they differ on half of its patients. Models that never err cannot differ. If one errs on
    13 of 30 and the other on 4, they differ on 9 to 17, and 15 would be likeliest:

    >>> said = Report(name="bob", n=1000, n_classes=2, counts=np.array([500]))
    >>> seen = check_contribution(said, mistakes=[0, 0], m=30)
    >>> seen.is_flagged, seen.pairs[0].observed
    (True, 0)
    >>> seen = check_contribution(said, mistakes=[13, 4], m=30)
    >>> seen.is_flagged, seen.pairs[0].observed
    (False, 15)
    """
    rates = read_reported(report)
    H = height_of(len(rates))
    if (predictions is None) == (mistakes is None) or (mistakes is None) != (m is None):
        raise FederationError("give either predictions, or mistakes together with m, the number of samples")
    if hypotheses is None and isinstance(predictions, Predicted):
        hypotheses = predictions.candidates.names
    if mistakes is None:
        seen: NDArray[Any] = read_samples(predictions, report, H)
        m = seen.shape[1]
    else:
        m = read_whole_number(m, "m")
        if m > LARGEST_QUOTA:
            raise FederationError(f"m must be at most {LARGEST_QUOTA:,}; it is {m:,}")
        seen = read_mistakes(mistakes, m)
        if len(seen) != H:
            raise FederationError(
                f"mistakes must be one number for each of the {H} hypotheses of the report; there are {len(seen)}"
            )
    names = read_names(hypotheses, report, H)
    false_alarm_rate = read_chance(false_alarm_rate, "false_alarm_rate")
    tolerance, power = read_tolerance(tolerance), read_chance(power, "power")
    fresh, distinct = bool(fresh), bool(distinct)
    claim = limit_rates(
        report, rates, false_alarm_rate=false_alarm_rate, tolerance=tolerance, fresh=fresh, distinct=distinct
    )
    if distinct and isinstance(report, Report) and m > report.n:
        raise FederationError(
            f"distinct=True needs no more samples than the n = {report.n} points of report {report.name!r}; there "
            f"are {m}: some were sent twice, or are not from these points"
        )
    found = find_critical_counts(claim, m, false_alarm_rate)
    if mistakes is None:
        counts = count_disagreements(seen).astype(np.int64)
    else:
        is_binary = isinstance(report, Report) and report.n_classes <= 2
        counts = find_likeliest(found, seen, is_binary=is_binary)
    suspicious = int(found.are_suspicious(counts).sum())
    caught = find_detectable(found, power)
    return ContributionCheck(
        site=report.name if isinstance(report, Report) else None,
        m=m,
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
        fresh=fresh,
        distinct=distinct,
    )
