"""Theorem 3, infinite class, corrected: a covering program over pairs of members of a cover.

Let C be a gamma-cover of the class (gamma its radius), b_j = D_j{x : r*(x) != r(x)} for a pair of members, and
d a bound on the VC dimension. A truth h* has a representative r* in C, a consistent hypothesis h another, r.
If h is bad for agent i, p_i(h*, h) > epsilon_i, then

    b_i > epsilon_i - 2 gamma.                                                             (the pair is bad)

Let R be the region where h* and r differ. It has D_j(R) >= b_j - gamma, and where D_j(R) >= 4 gamma, every h
within gamma of r differs from h* on at least 3/4 of R under D_j. Let A be the agents with b_j - gamma >= 4 gamma,
and let gamma <= min_i epsilon_i / 7, so that agent i is one of them.

- *Enough samples in R.* The samples in R are independent, each of the distribution D_j restricted to R of its
  agent j. If there are n of them, all h within gamma of r are contradicted except with probability

      2 Pi_d(2n) 2^-floor(3n/4),    Pi_d(2n) = sum over t <= d of (2n choose t)            (double sample)

  because a second such sample contradicts a given h at least floor(3n/4) times with probability 1/2 or more (the
  median of a sum of independent indicators is at least the floor of its mean), and swapping the two samples'
  t-th points by fair coins, for each of at most Pi_d(2n) patterns (Sauer), puts all contradictions on one side
  with probability 2^-floor(3n/4) at most.
- *Getting them.* The number X of A's samples in R has, for every s > 0,

      Pr[X < n] <= e^{s(n-1)} prod over j in A of (1 - (1 - e^-s)(b_j - gamma))^m_j        (Chernoff)

  so that asking for at most delta / 2|C| is, after a logarithm, a covering row in m.

With delta / 2|C| for either, the sum over r in C is delta: for every truth, with probability 1 - delta, every
consistent hypothesis has error at most epsilon_i for all i at once. If gamma is 0, R is h's own region, one
sample in it is enough and the row is the paper's for a finite class: n = 1, s infinite, delta / |C|.

This takes the place of Lemma 4, and of Lemma 3, which is about ERM over the cover alone. Where it differs:

- ERRATA A4: errors are measured between members, so the program is run at epsilon - 2 gamma.
- ERRATA B5 (a): the paper wants r* consistent with the sample, hence gamma = delta / N for plans of N samples
  (it should be delta / 2N, N after multiplication). We compare h with h* instead of r*. That costs one gamma in
  b_j and takes N, and half of delta, out of the theorem: gamma no longer depends on the plan.
- ERRATA B5 (b), (f): the paper bounds what the agents outside A add, with a condition on k and a bound on m_j
  that it does not have. We do not count them.
- ERRATA B5 (c), (d): the paper's n = d + log(1/delta'') lacks its constant, and its parts sum to more than
  delta. We compute n from the bound.
- ERRATA B5 (e): the samples in R are not identically distributed; the argument above does not need it.
- The paper multiplies a plan for one sample by n. Chernoff's row asks for n at once, which is cheaper.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize_scalar

from fedpact.describe.arrays import Bools, Floats, Ints
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.planning.row_generation import Row, row_of_pair
from fedpact.statistics.misses import log_miss, replace_never
from fedpact.statistics.rates import KEEP, Rates, rates_of

MARGIN = 7
"""gamma may be min_i epsilon_i / MARGIN at most."""
TOL = 1e-8
_NEW_ROWS = 40


def most_members(k: int) -> int:
    """Largest cover whose pairs' rates fit into memory, and exactly, for k agents."""
    return math.isqrt(KEEP // k)


def survival_bound(n: int, d: int) -> float:
    """Logarithm of the double-sample bound on n samples' sparing some hypothesis of the ball."""
    patterns = sum(math.comb(2 * n, t) for t in range(d + 1))
    return math.log(2) + math.log(patterns) - (3 * n // 4) * math.log(2)


def samples_in_region(d: int, delta: float) -> int:
    """Fewest samples in a region that contradict every hypothesis of a ball except with probability ``delta``.

    Examples
    --------
    >>> samples_in_region(1, 0.01), samples_in_region(3, 0.01)
    (18, 31)
    """
    # The bound is not monotone in n below its peak, nor from one n to the next: look at all of them.
    return next(n for n in itertools.count(1) if survival_bound(n, d) <= math.log(delta))


def choose_s(n: int, log_share: float, mass: float) -> float:
    """Return the s for which one agent with ``mass`` in the region needs the fewest samples."""

    def samples(log_s: float) -> float:
        s = math.exp(log_s)
        return (s * (n - 1) + log_share) / -math.log1p(mass * math.expm1(-s))

    return math.exp(float(minimize_scalar(samples, bounds=(-8.0, 4.0), method="bounded").x))


class CoverProgram:
    """Finds pairs of members whose row a contribution vector violates.

    Parameters
    ----------
    fed
        The members of the cover, by any evidence, with the epsilons and the delta that are asked for.
    radius
        How far a hypothesis of the class can be from the nearest member.
    d
        Upper bound on the VC dimension of the class.
    """

    def __init__(self, fed: Federation, *, radius: float, d: int) -> None:
        self.fed, self.radius = fed, radius
        self.rates: Rates = rates_of(fed)
        parts = 2 if radius > 0 else 1
        share = fed.delta / (parts * fed.H)
        self.n = samples_in_region(d, share) if radius > 0 else 1
        least = float(fed.epsilon.min()) - 3 * radius
        s = choose_s(self.n, -math.log(share), least) if radius > 0 else math.inf
        self.thinning = -math.expm1(-s)
        """Share of the samples in a region that count: 1 - e^-s."""
        self.b = -math.log(share) + (s * (self.n - 1) if radius > 0 else 0.0)
        """Right-hand side of every row."""
        self.rows: dict[tuple[int, int], Row] = {}

    def _is_bad(self, p: Floats) -> Bools:
        """(...) pairs that are bad for somebody, from rates (k, ...)."""
        asks = exceeds(1.0, self.fed.epsilon)  # an epsilon of 1 asks for nothing, with or without a margin
        limit = np.where(asks, self.fed.epsilon - 2 * self.radius, 1.0)
        return np.asarray(exceeds(p, limit.reshape(-1, *[1] * (p.ndim - 1))).any(axis=0))

    def _coefficients(self, p: Floats) -> Floats:
        """(k, ...) what a sample of each agent adds to a row; more than the right-hand side is as good as it."""
        counted = np.where(p >= 5 * self.radius, np.maximum(p - self.radius, 0.0), 0.0)
        logs = replace_never(log_miss(self.thinning * counted), -self.b)
        return np.minimum(-logs, self.b)

    def _lacking(self, m: Floats, block: slice) -> Floats:
        """(B, t, H) by how much the rows of a block fall short at each m (B, k), -inf where there is no row."""
        p = self.rates.rows(block)
        is_row = np.triu(self._is_bad(p), k=block.start + 1)
        total = np.tensordot(m, self._coefficients(p), axes=1)
        return np.where(is_row, self.b - total, -np.inf)

    def __call__(self, m: Floats) -> Sequence[Row]:
        """Most violated pair of every truth, the worst of those first."""
        found = []
        for block in self.rates.blocks(self.fed.k):
            lacking = self._lacking(m[None], block)[0]
            partner = lacking.argmax(axis=1)
            worst = lacking.max(axis=1)
            found += [
                (short, block.start + at, int(other))
                for at, (short, other) in enumerate(zip(worst.tolist(), partner, strict=True))
                if short > TOL * self.b and (block.start + at, int(other)) not in self.rows
            ]
        return [self._row(truth, other) for _, truth, other in sorted(found, reverse=True)[:_NEW_ROWS]]

    def _row(self, truth: int, other: int) -> Row:
        p = self.rates.between(np.array([truth]), np.array([other]))[:, 0]
        whose = int(np.argmax(p - self.fed.epsilon))
        row = self.rows[truth, other] = row_of_pair(self._coefficients(p), self.b, truth, other, whose)
        return row

    def proves(self, m: Ints) -> Bools:
        """(B,) whether every row holds at each integer vector of ``m`` (B, k), ties counting as holding."""
        is_met = np.ones(len(m), dtype=bool)
        if self.rows:
            known = np.stack([row.a for row in self.rows.values()])
            is_met = self._is_enough(self.b - (m @ known.T).min(axis=1))
        for block in self.rates.blocks(self.fed.k * max(1, len(m))):
            left = np.flatnonzero(is_met)
            if len(left):
                lacking = self._lacking(m[left].astype(np.float64), block)
                is_met[left] = self._is_enough(lacking.reshape(len(left), -1).max(axis=1))
        return is_met

    def _is_enough(self, lacking: Floats) -> Bools:
        delta = self.fed.delta
        return ~exceeds(delta * np.exp(np.minimum(lacking, 1.0)), np.full(len(lacking), delta))
