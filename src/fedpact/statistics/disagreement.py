"""Pairwise disagreement rates p_i(h, g) = D_i{x : h(x) != g(x)}.

They are summed directly over the points where the two differ, never as one minus an agreement, so that a rate
of zero is zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.statistics.domain import Domain, find_domain

_BLOCK = 4_000_000


def rates_against(domain: Domain, targets: NDArray[np.intp]) -> NDArray[np.float64]:
    """(k, T, H) rates between ``targets`` and every hypothesis, in blocks of bounded memory."""
    H, n = domain.labels.shape
    out = np.empty((len(domain.mass), len(targets), H))
    step = max(1, _BLOCK // max(1, H * n))
    for start in range(0, len(targets), step):
        some = targets[start : start + step]
        differ = domain.labels[None, :, :] != domain.labels[some][:, None, :]
        out[:, start : start + step] = np.moveaxis(differ @ domain.mass.T, -1, 0)
    return out


def report_rates(fed: Federation, targets: NDArray[np.intp]) -> NDArray[np.float64]:
    """(k, T, H) rates between ``targets`` and every hypothesis, from reports."""
    assert isinstance(fed.evidence, Reports)
    rows = fed.distinct[targets]
    return np.stack([report.square()[np.ix_(rows, fed.distinct)] / report.n for report in fed.evidence.reports])


def disagreement(fed: Federation) -> NDArray[np.float64]:
    """(k, H, H) how often any two of the H different hypotheses disagree on each agent's data.

    Examples
    --------
    >>> from fedpact.describe.federation import Federation
    >>> fed = Federation.from_table([[0, 0], [0, 1]], [[0.75, 0.25]], epsilon=0.1, delta=0.1)
    >>> disagreement(fed).tolist()
    [[[0.0, 0.25], [0.25, 0.0]]]
    """
    everyone = np.arange(fed.H)
    if isinstance(fed.evidence, Reports):
        return report_rates(fed, everyone)
    return rates_against(find_domain(fed), everyone)
