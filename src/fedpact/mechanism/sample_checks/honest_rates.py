"""Between which rates the pairs of an honest site may lie, given its report.

The samples of an honest site are independent draws, at which hypotheses h and g differ with probability
q(h, g), and given these rates they are independent of the report. What is tested is that every q lies within
the limits low and high that the report allows:

- The site draws from the n points of its report, and the report is exact: q is the reported count over n.
- Counts were *suppressed*: a count sent as 0 or as n stands for a range (:meth:`fedpact.Report.ranges`), and q
  lies between its ends over n, for certain.
- Counts have *noise*, which exceeds its reach in a given direction with probability r at most. With
  r = (level / 2) / 2P all true counts of P pairs are within the reach, with probability 1 - level / 2 at
  least, however the pairs depend on each other.
- The samples are *fresh*: new draws from where the n points of the report came from. Then the count is itself
  Binomial(n, q), and q lies within the limits of Clopper and Pearson (:mod:`fedpact.statistics.confidence`),
  each wrong with probability (level / 2) / 2P at most, half of which goes to the noise if there is any.
- The samples are *distinct* points of the report: the limits are those of draws from its n points, and what draws
  without replacement change is in :mod:`fedpact.mechanism.sample_checks.critical_counts`.

*The level.* The limits depend on the report alone, and some q is outside them with probability ``risk`` at
most: 0, or half of the level. Otherwise, whatever the report, both tails of every pair are largest at the
limits, so that the test, at level - risk, flags the site with at most that chance
(:mod:`fedpact.mechanism.sample_checks.critical_counts`). Together these are at most the level.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fedpact.describe.reports import Report
from fedpact.errors import FederationError
from fedpact.mechanism.sample_checks.critical_counts import Counts, Floats, TestedRates, gather_rates
from fedpact.statistics.confidence import limits_of


def _widen(report: Report, sent: Counts, risk: float) -> tuple[Floats, Floats]:
    """Limits of the rates on the n points of a report, each wrong with at most the chance ``risk``."""
    least, most = report.ranges(sent)
    reach = 0 if report.noise is None else report.noise.reach(risk)
    return np.maximum(least - reach, 0) / report.n, np.minimum(most + reach, report.n) / report.n


def limit_rates(
    report: Any,
    rates: Floats,
    *,
    false_alarm_rate: float,
    tolerance: float,
    fresh: bool,
    distinct: bool = False,
) -> TestedRates:
    """Gather the rates (P,) that a site reported, with the limits of an honest site's rates.

    Examples
    --------
    >>> site = Report(name="alice", n=50, n_classes=2, counts=np.array([0, 7, 10]), minimum_count=5)
    >>> said = site.counts / 50
    >>> tested = limit_rates(site, said, false_alarm_rate=0.01, tolerance=0.0, fresh=False)
    >>> tested.low, tested.high, tested.risk
    (array([0.  , 0.14, 0.2 ]), array([0.08, 0.14, 0.2 ]), 0.0)
    >>> limit_rates(site, said, false_alarm_rate=0.01, tolerance=0.0, fresh=True).high.round(2)
    array([0.27, 0.35, 0.42])
    """
    tested = replace(gather_rates(rates, tolerance), is_distinct=distinct)
    if fresh and distinct:
        raise FederationError(
            "distinct=True says that the samples are points of the report, fresh=True that they are not; leave "
            "one of them out"
        )
    if fresh and not isinstance(report, Report):
        raise FederationError(
            "fresh=True needs a fedpact Report, which says of how many points the rates are; rates alone do not: "
            "give the Report, or a tolerance instead"
        )
    if not isinstance(report, Report) or not len(rates):
        return tested
    risk = false_alarm_rate / 2 if fresh or report.noise is not None else 0.0
    each = risk / (2 * len(rates))
    sent = np.unique(report.counts).astype(np.int64)
    low, high = limits_of(report, sent, each) if fresh else _widen(report, sent, each)
    return tested.within(low, high, tolerance=tolerance, risk=risk)
