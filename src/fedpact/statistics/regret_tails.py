"""Nothing assumed of labels: how likely a site's own labels speak for a candidate that is too much worse.

Let b be best for a site, and h make an error more than epsilon larger. With q = a + c, a = Pr[b right, h wrong]
and c = Pr[h right, b wrong], a - c > epsilon and q <= p, how often the two differ. ERM on the site's own m labels,
fewest mistakes, ties against us, prefers h only if S = #(b right, h wrong) - #(h right, b wrong) <= 0. That falls
in a and rises in c, so a - c = epsilon and q in [epsilon, p] is the worst, and of every such q

- *Chernoff*: Pr[S <= 0] <= (1 - (sqrt(a) - sqrt(c))^2)^m = (1 - q + sqrt(q^2 - epsilon^2))^m, which rises in q: q
  = p;
- *closer*: S is a walk (:mod:`fedpact.statistics.tails`). Its tail does not rise in q throughout, so [epsilon, p]
  is cut into cells. On one from q1 to q2, a >= (q1 + epsilon) / 2 and c <= (q2 - epsilon) / 2 bound it, and p has
  the largest of the cells up to its own.

The sum of these bounds over the h that differ from b on more than epsilon, for the b where it is largest, bounds
the chance that the site's regret is above epsilon. Hypotheses that never differ at the site are one. Estimated
rates are their upper limits: more differing is never better.

Draws are with repetition. Where the promise is about a site's own points it need not draw as often as it has
points: then each is labelled once, and nothing is left to chance.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

import numpy as np

from fedpact.describe.arrays import Floats, Ints
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.describe.ties import exceeds
from fedpact.statistics.rates import Rates, rates_of
from fedpact.statistics.standalone import MOST
from fedpact.statistics.tails import choose_cosines, weigh

T = TypeVar("T")
_CELLS = 100
"""Cells for every epsilon of rates."""
_MOST_CELLS = 2000
_MOST_SQUARE = 1 - 1e-3
"""Of rho; beyond it the Chernoff bound has to do."""


class RegretTails:
    """What one site's own labels prove, for any number of them.

    Parameters
    ----------
    rates
        How often hypotheses differ; at most, as more differing proves less.
    agent
        The site.
    epsilon
        Its tolerance.
    points
        How many points it has, if the promise is about these.
    """

    def __init__(self, rates: Rates, agent: int, epsilon: float, points: int | None = None) -> None:
        self.epsilon, self.points = epsilon, points

        def read(work: Callable[[Floats], T]) -> list[T]:
            return list(rates.map_blocks(lambda block: work(rates.above.rows(block)[agent]), agents=rates.k))

        first = np.concatenate(read(lambda p: (p == 0).argmax(axis=1)))
        is_counted = first == np.arange(rates.H)
        self.H = int(is_counted.sum())
        """How many hypotheses differ at the site."""
        bad = np.unique(np.concatenate(read(lambda p: np.unique(p[exceeds(p, epsilon)]))))
        self.is_needed = bool(len(bad))
        """Whether any two hypotheses differ by more than epsilon."""
        self.ends = _cut(epsilon, bad) if len(bad) else bad
        """(G,) upper ends of the cells."""

        def count(p: Floats) -> Ints:
            rows, columns = np.nonzero(exceeds(p, epsilon) & is_counted)
            cells = np.searchsorted(self.ends, p[rows, columns])
            places = rows * len(self.ends) + cells
            return np.bincount(places, minlength=len(p) * len(self.ends)).reshape(len(p), -1)

        self.counts = np.concatenate(read(count)) if len(bad) else np.zeros((rates.H, 0))
        """(H, G) by best hypothesis, how many others lie in each cell."""

        def leave(block: slice) -> float:
            surely = exceeds(rates.below.rows(block)[agent], epsilon)
            return float(np.where(surely, 1 - rates.above.rows(block)[agent], 0.0).max())

        self.left = max(rates.map_blocks(leave, agents=rates.k))
        """Chance that one label, all being right, leaves the bad hypothesis that differs least; 0 without any."""
        self._known: dict[int, tuple[float, int]] = {}

    @cached_property
    def _terms(self) -> tuple[Floats, Floats]:
        """(G, N) weights and factors of one label, of the terms that every cell's tail is a sum of."""
        below = np.append(self.epsilon, self.ends[:-1])
        a, c = (below + self.epsilon)[:, None] / 2, (self.ends - self.epsilon)[:, None] / 2
        is_told = c < _MOST_SQUARE * a
        rho = np.sqrt(np.where(is_told, c / np.where(is_told, a, 1.0), 0.0))
        cosines, shares = choose_cosines(float(rho.max()))
        factors = np.abs(1 - a - c + 2 * np.sqrt(a * c) * cosines)
        return shares * weigh(rho, cosines), np.where(is_told, factors, 1.0)

    def bound(self, m: int) -> Floats:
        """(G,) for a hypothesis of every cell the chance that ``m`` labels prefer it, at most."""
        if not self.is_needed or (self.points is not None and m >= self.points):
            return np.zeros(len(self.ends))
        weights, factors = self._terms
        tails = np.maximum.accumulate((weights * factors**m).sum(axis=1))
        chernoff = np.log1p(-(self.epsilon**2) / (self.ends + np.sqrt(self.ends**2 - self.epsilon**2)))
        return np.asarray(np.minimum(tails, np.exp(m * chernoff)))

    def fail(self, m: int) -> tuple[float, int]:
        """Chance, at most, that regret exceeds epsilon after ``m`` labels, and for which best hypothesis."""
        if m not in self._known:
            sums = self.counts @ self.bound(m)
            worst = int(sums.argmax())
            self._known[m] = min(1.0, float(sums[worst])), worst
        return self._known[m]

    def need(self, delta: float, *, per_pair: bool = False) -> int | None:
        """Fewest labels whose bounds sum to delta at most, or are delta / H each; None if 2^40 are too few."""

        def is_enough(m: int) -> bool:
            found = self.bound(m)
            most = self.H * found.max(initial=0.0) if per_pair else (self.counts @ found).max(initial=0.0)
            return not exceeds(float(most), delta)

        low, high = -1, 0
        while not is_enough(high):
            low, high = high, max(1, 2 * high)
            if high > MOST:
                return None
        return bisect_left(range(high), True, lo=low + 1, key=is_enough)


def _cut(epsilon: float, bad: Floats) -> Floats:
    """(G,) upper ends of cells from epsilon on; if the rates are few, each is one."""
    top = float(bad[-1])
    cells = _MOST_CELLS if epsilon == 0 else min(_MOST_CELLS, int(np.ceil(_CELLS * (top - epsilon) / epsilon)))
    grid = np.linspace(epsilon, top, max(1, cells) + 1)[1:]
    return np.union1d(grid, bad) if len(bad) <= _MOST_CELLS else grid


def find_points(fed: Federation, agent: int) -> int | None:
    """Count an agent's points, if rates there are the truth; None for a distribution that they were drawn from."""
    return fed.evidence.sizes[agent] if fed.is_sampled else None


@memoized
def regret_tails(fed: Federation, agent: int) -> RegretTails:
    """Return what an agent's own labels prove; kept with the federation."""
    return RegretTails(rates_of(fed), agent, fed.agents[agent].epsilon, find_points(fed, agent))
