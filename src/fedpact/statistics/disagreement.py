"""Pairwise disagreement rates p_i(h, g) = D_i{x : h(x) != g(x)}."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.evidence import Reports, Table
from fedpact.describe.federation import Federation
from fedpact.statistics.domain import find_domain, rates_against
from fedpact.statistics.federation_rates import rates_of


@takes_federation
def disagreement(fed: Federation) -> NDArray[np.float64]:
    """(k, H, H) how often any two of the H different hypotheses disagree on each agent's data.

    Of reports it is what they say: where counts are estimates, hidden or noisy, not the truth.

    Examples
    --------
    >>> from fedpact.describe.federation import Federation
    >>> fed = Federation.from_table([[0, 0], [0, 1]], [[0.75, 0.25]], epsilon=0.1, delta=0.1)
    >>> disagreement(fed).tolist()
    [[[0.0, 0.25], [0.25, 0.0]]]
    """
    if isinstance(fed.evidence, Table):
        return rates_against(find_domain(fed), np.arange(fed.H))
    if isinstance(fed.evidence, Reports):
        some = np.ix_(fed.distinct, fed.distinct)
        return np.stack([report.square()[some] / report.n for report in fed.evidence.reports])
    return rates_of(fed).rows(slice(None))
