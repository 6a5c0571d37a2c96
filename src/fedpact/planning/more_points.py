"""What more unlabelled points would save: the same rates, seen on more points, have narrower limits.

Every count and every n is multiplied, and the union program solved again; the plan's cost is taken to change as
the program's value does. That is a forecast, not a promise: other points show somewhat other rates. What would
be if nothing were uncertain is not forecast from noisy counts: they are not the rates that more points show.
"""

from __future__ import annotations

from dataclasses import replace

from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation, with_evidence
from fedpact.describe.reports import LARGEST, Report
from fedpact.planning.cost_units import rescale_costs
from fedpact.planning.draft import solve_union
from fedpact.planning.result import MorePoints
from fedpact.planning.row_generation import UnreachableRow
from fedpact.statistics.disagreement import take_for_truth
from fedpact.statistics.request import least_of

FACTORS = (2, 4, 10)


def _with_points(fed: Federation, factor: int | None) -> Federation:
    """Return the federation with every site's points multiplied, or with its counts taken for the truth."""
    assert isinstance(fed.evidence, Reports), "estimates are reports"
    if factor is None:
        return with_evidence(fed, take_for_truth(fed.evidence))
    sites = tuple(_multiply(site, factor) for site in fed.evidence.reports)
    return with_evidence(fed, replace(fed.evidence, reports=sites))


def _multiply(site: Report, factor: int) -> Report:
    times = min(factor, max(1, LARGEST // site.n))
    counts = site.counts.astype("int64") * times
    return replace(site, n=site.n * times, counts=counts)


def _value(fed: Federation) -> float | None:
    """Value of the union program, None if capacities leave it no solution."""
    scaled, unit = rescale_costs(fed)
    found = solve_union(scaled)
    return None if isinstance(found, UnreachableRow) else found.value * unit


def forecast(fed: Federation, cost: float) -> tuple[MorePoints, ...]:
    """Say what a plan of this cost, for a federation at a confidence, would cost with more points.

    Examples
    --------
    >>> from fedpact.statistics.confidence import at_confidence
    >>> seen = {"alice": [[0] * 90 + [1] * 10, [0] * 100], "bob": [[1] * 10 + [0] * 30, [0] * 40]}
    >>> fed = Federation.from_predictions(seen, epsilon=0.1, delta=0.05)
    >>> [(more.factor, round(more.cost)) for more in forecast(at_confidence(fed, 0.95), 30.0)]
    [(2, 22), (4, 19), (10, 16), (None, 13)]
    """
    assert isinstance(fed.evidence, Reports), "estimates are reports"
    is_noisy = any(site.noise is not None for site in fed.evidence.reports)
    sunk, now = fed.cost_of(least_of(fed)), _value(fed)
    has_more = now is not None and now > sunk
    found = []
    for factor in FACTORS if is_noisy else (*FACTORS, None):
        more = _with_points(fed, factor)
        then = _value(more) if has_more else None
        if now is not None and then is not None:
            points = None if factor is None else {site.name: factor * site.n for site in fed.evidence.reports}
            rest = (cost - sunk) * min(1.0, max(0.0, then - sunk) / (now - sunk))
            found.append(MorePoints(factor=factor, points=points, cost=sunk + rest))
    return tuple(found)
