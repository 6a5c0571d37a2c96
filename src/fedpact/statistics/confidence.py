"""Limits of rates that were estimated: exact (Clopper and Pearson), for all pairs of all sites at once.

A site that draws n unlabelled points from its distribution D_i sees two hypotheses differ on X of them, and X is
Binomial(n, p_i(h, g)). Whatever the rate is, each of

    low(X)  = the rate at which X or more are seen with probability r,
    high(X) = the rate at which X or fewer are seen with probability r

is on the wrong side of it with probability r at most. With k sites and P pairs there are 2 k P limits; with
r = (1 - confidence) / 2 k P all of them are right at once with probability ``confidence``, however the pairs
depend on each other (and they do: all are counted on the same points). Whatever is proved from the limits then
holds with that probability over the draw of the unlabelled points.

A count that was suppressed stands for a range of counts, and its limits are those of the range's ends. To a noisy
count half of its risk r goes to the noise, which exceeds its reach with that probability at most.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Floats, Ints
from fedpact.describe.condensed import count_pairs
from fedpact.describe.evidence import Predictions, Reports
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import Number, read_chance
from fedpact.describe.reports import Report
from fedpact.errors import FederationError
from fedpact.statistics.make_report import report

# A rate below this would take some ten million samples to be seen: it counts as none.
NEGLIGIBLE = 1e-7
# More than the special functions are off, relatively.
_SLACK = 1e-9


def clopper_pearson(count: NDArray[Any], n: int, risk: float) -> tuple[Floats, Floats]:
    """Limits of the rate at which ``count`` of n points were seen, each wrong with probability ``risk`` at most.

    Examples
    --------
    >>> low, high = clopper_pearson(np.array([0, 5, 10]), 10, 0.025)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.187, 0.692]), array([0.308, 0.813, 1.   ]))
    """
    seen = np.asarray(count, dtype=np.float64)
    high = 1 - _lower_limit(n - seen, n, risk)
    return _lower_limit(seen, n, risk), np.minimum(np.nextafter(high, 2.0), 1.0)


def _lower_limit(count: Floats, n: int, risk: float) -> Floats:
    inside = np.maximum(count, 1.0)
    return np.where(count > 0, betaincinv(inside, n - inside + 1, risk) * (1 - _SLACK), 0.0)


def limits_of(site: Report, sent: NDArray[np.integer], risk: float | None) -> tuple[Floats, Floats]:
    """Limits of the rates that a site sent some counts for; without a ``risk`` its points are all there is."""
    least, most = site.ranges(sent)
    if risk is None:
        if site.noise is not None:
            raise FederationError(
                f"report {site.name!r} has noise on its counts, so they are known only with some confidence; give "
                "plan, verify or pay one, as in plan(fed, confidence=0.95) or --confidence 0.95"
            )
        return least / site.n, most / site.n
    if site.noise is not None:
        risk /= 2
        reach = site.noise.reach(risk)
        least, most = np.maximum(least - reach, 0), np.minimum(most + reach, site.n)
    low = clopper_pearson(least, site.n, risk)[0]
    return np.where(low < NEGLIGIBLE, 0.0, low), clopper_pearson(most, site.n, risk)[1]


def risk_per_limit(evidence: Reports) -> float | None:
    """With which probability a single limit may be wrong, so that with ``confidence`` none is."""
    if evidence.confidence is None:
        return None
    limits = 2 * len(evidence.reports) * count_pairs(len(evidence.hypotheses))
    return (1 - evidence.confidence) / max(1, limits)


@takes_federation
def at_confidence(fed: Federation, confidence: Number) -> Federation:
    """Return the federation with its rates taken for estimates from each site's points, not for the truth.

    Hypotheses that no site has seen to differ are not merged: they may differ where nobody looked.

    Examples
    --------
    >>> seen = {"alice": [[0] * 90 + [1] * 10, [0] * 100], "bob": [[1] * 40, [0] * 40]}
    >>> fed = Federation.from_predictions(seen, epsilon=0.1, delta=0.05)
    >>> at_confidence(fed, 0.95)
    Federation('federation': 2 agents, 2 hypotheses, reports at confidence 0.95, pac, per-agent)
    """
    level = read_chance(confidence, "confidence")
    match fed.evidence:
        case Predictions(predictions=predictions, hypotheses=hypotheses):
            sites = tuple(report(labels, name=name) for labels, name in zip(predictions, fed.names, strict=True))
            evidence = Reports(reports=sites, hypotheses=hypotheses, confidence=level)
        case Reports():
            evidence = replace(fed.evidence, confidence=level)
        case _:
            raise FederationError(
                f"confidence has no meaning for a {fed.evidence.KIND}, which states the distributions; describe "
                "the federation by predictions or reports, or leave confidence out"
            )
    return replace(fed, evidence=evidence, distinct=np.arange(fed.H_given))


def upper_tail(m: int, count: Ints, rate: Any) -> Floats:
    """Pr[X >= count] for X ~ Binomial(m, rate), elementwise.

    Examples
    --------
    >>> upper_tail(3, np.array([0, 1, 3, 4]), np.array([0.5, 0.5, 0.5, 0.5]))
    array([1.   , 0.875, 0.125, 0.   ])
    """
    inside = np.clip(count, 1, max(m, 1))
    tail = betainc(inside, max(m, 1) - inside + 1, rate)
    return np.where(count <= 0, 1.0, np.where(count > m, 0.0, tail))
