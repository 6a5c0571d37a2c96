"""Programs with one row per pair of hypotheses: the paper's, and the one that bounds the optimum from below.

A pair (h, g) that is bad for somebody has to be missed with small probability, which is linear in m:

    sum_j m_j (-log(1 - p_j(h, g))) >= b(h, g).

- *lp*, the paper's program (Equation 7; Theorem 3, finite class): b = log(H / delta). By the union bound over
  at most H - 1 events every solution meets every target, jointly and hence per agent; its fractional value is
  within 1 + log H / log(1/delta) of the optimum (not its rounding, ERRATA A5). At p = 1, where the logarithm is
  infinite, the coefficient is b.
- *lower bound*: b = log(1 / delta), which every plan that meets the targets satisfies (delta being the most that
  counts as met, ties included). A coefficient above b is set to b: that keeps all integer solutions and makes
  the bound tighter.
- With noise (:mod:`fedpact.statistics.label_noise`) *lp* has kappa p for p, and *lower bound* a second
  program, with a larger b for the pairs that are far apart.

For the expected objective the paper (Equation 11, Theorem 7) asks for Pr[miss] p_i <= epsilon_i / 2H of *some*
agent with p_i > epsilon_i / 2; it has to be every such agent (ERRATA A1), so b = log max_i 2 H p_i / epsilon_i.
From below, p_i > epsilon_i needs Pr[miss] <= epsilon_i / p_i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats, Ints, Places
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.describe.ties import exceeds, tolerance
from fedpact.planning.infeasible import never_certain
from fedpact.planning.row_generation import Row, find_largest, order_from_largest, row_of_pair
from fedpact.statistics.label_noise import least_overlap, seen_rates_of
from fedpact.statistics.misses import NEVER, log_miss, replace_never
from fedpact.statistics.rates import Rates, rates_of
from fedpact.statistics.request import teacher_of, truths_of

TOL = 1e-8
FOR_CERTAIN = 1e30
"""Right-hand side of a pair that must never be missed (epsilon = 0, on average)."""
_NEW_ROWS = 40
N = TypeVar("N", bound=np.generic)


class PairProgram:
    """Finds pairs whose row a contribution vector violates.

    Parameters
    ----------
    fed
        The federation.
    is_bound
        Whether to state the program that bounds the optimum from below instead of the paper's.
    by_noise
        Whether to state the second lower bound under noise.
    only_certain
        Whether to keep only the pairs that must never be missed.
    """

    def __init__(
        self, fed: Federation, *, is_bound: bool = False, by_noise: bool = False, only_certain: bool = False
    ) -> None:
        self.fed, self.is_bound, self.only_certain = fed, is_bound, only_certain
        self.epsilon = fed.epsilon
        rates = rates_of(fed)
        self.rates: Rates = rates.above if is_bound else seen_rates_of(fed)
        """How likely a pair is missed: at most, or for the bound at least."""
        self._hurt: Rates = rates.below if is_bound else rates.harm
        """Whom a pair matters to: whom it may, or for the bound surely does."""
        self._margin = 1.0 if is_bound or fed.objective == "pac" else 2.0
        self._scale = 1.0 if is_bound else self._margin * fed.H
        self._delta = fed.delta + float(tolerance(fed.delta)) if is_bound else fed.delta
        self._overlap = math.log(self._scale / self._delta)
        if by_noise and fed.noise is not None:
            self._overlap = least_overlap(fed.noise, self._delta)
        surely = is_bound and not rates.is_certain
        self.excess: Bools | Floats
        """(H, H) by truth, which pairs matter to anybody, or for the expected objective how much."""
        if fed.objective == "pac":
            self.excess = find_bad(fed, surely, are_far=by_noise)[0]
        else:
            self.excess = find_excess(fed, self._margin, surely)
        if teacher_of(fed) is not None:
            self.excess = np.maximum(self.excess, self.excess.T)
        most = self._needed(np.array(float(self.excess.max(initial=0)))).item()
        self.at_one = -most if most > 0 else NEVER
        self._known: dict[tuple[int, int], Row] = {}

    def _needed(self, excess: Bools | Floats) -> Floats:
        """Right-hand side of pairs of some excess, -inf where there is no row."""
        if self.fed.objective == "pac":
            return np.where(excess, self._overlap if self._overlap > 0 else -np.inf, -np.inf)
        with np.errstate(divide="ignore"):  # log 0 = -inf
            needed = np.minimum(np.log(self._scale * excess), FOR_CERTAIN)
        return np.where(needed == FOR_CERTAIN, needed, -np.inf) if self.only_certain else needed

    def __call__(self, m: Floats) -> Sequence[Row]:
        """Most violated pair of every truth, the worst of those first."""
        look = m if m.any() else np.ones(self.fed.k)

        def worst_of(block: slice) -> tuple[Floats, Places]:
            short = self._short(look, block, self.at_one)
            return short.max(axis=1), find_largest(short) + block.start

        found = list(self.rates.map_blocks(worst_of))
        worst, partner = (np.concatenate(part) for part in zip(*found, strict=True))
        truths = order_from_largest(worst)[:_NEW_ROWS]
        truths = truths[worst[truths] > (TOL if m.any() else -np.inf)]
        pairs = [(int(t), int(partner[t])) for t in truths if (int(t), int(partner[t])) not in self._known]
        return self._add(pairs)

    def _short(self, m: Floats, block: slice, at_one: float) -> Floats:
        """(t, H - start) by how much every later pair's row is short at ``m``; -inf where there is no row."""
        short = self._needed(self.excess[block, block.start :])
        if at_one == NEVER or self.fed.objective == "pac":
            short += self.rates.log_miss(m, block, at_one, start=block.start)
        else:  # a sample at p = 1 counts as the row's own right-hand side, which differs from row to row
            rest, less = (self.rates.log_miss(m, block, at, start=block.start) for at in (0.0, -1.0))
            has_row = short > -np.inf
            short[has_row] = short[has_row] * (1 - rest + less)[has_row] + rest[has_row]
        short[:, : len(short)][np.tri(len(short), dtype=bool)] = -np.inf
        return short

    def holds(self, m: Ints) -> bool:
        """Whether every pair's row holds at the integer vector ``m``, ties counting as holding.

        The pairs that were short before are looked at first.
        """
        look, giving = m.astype(np.float64), np.flatnonzero(m)
        if any(self._is_short(row.b - float(row.a[giving] @ look[giving])) for row in self._known.values()):
            return False

        def worst_of(block: slice) -> tuple[float, tuple[int, int]]:
            short = self._short(look, block, NEVER)
            row, column = np.unravel_index(short.argmax(), short.shape)
            return float(short[row, column]), (int(row) + block.start, int(column) + block.start)

        worst, pair = max(self.rates.map_blocks(worst_of))
        if not self._is_short(worst):
            return True
        if pair not in self._known:
            self._add([pair])
        return False

    def _is_short(self, short: float) -> bool:
        """Whether a miss is too likely, ``short`` being the log of how many times."""
        limit = self.fed.delta if self.fed.objective == "pac" else 1.0
        return exceeds(limit * float(np.exp(min(short, 1.0))), limit)

    def _add(self, pairs: list[tuple[int, int]]) -> list[Row]:
        if not pairs:
            return []
        h, g = np.array(pairs).T
        rates, hurt = self.rates.between(h, g), self._hurt.between(h, g)
        rows = [self._row(pair, rates[:, column], hurt[:, column]) for column, pair in enumerate(pairs)]
        self._known.update(zip(pairs, rows, strict=True))
        return rows

    def _row(self, pair: tuple[int, int], p: Floats, hurt: Floats) -> Row:
        b = self._exact_needed(hurt)
        a = -replace_never(log_miss(p), -b)
        if b == FOR_CERTAIN:
            a, b = np.where(a == b, 1.0, 0.0), 1.0
        elif self.is_bound:
            a = np.minimum(a, b)
        if not a.any() and (self.is_bound or rates_of(self.fed).is_certain):
            raise never_certain(self.fed, pair, hurt)
        return row_of_pair(a, b, *pair, requirement=int(np.argmax(hurt - self.epsilon)))

    def _exact_needed(self, p: Floats) -> float:
        if self.fed.objective == "pac":
            return self._overlap
        counts = exceeds(p, self.epsilon / self._margin)
        limit = _limits(self.epsilon, self._margin)[counts]
        with np.errstate(divide="ignore"):
            return min(FOR_CERTAIN, float(np.log(self._scale * p[counts] / limit).max()))


@memoized
def find_excess(fed: Federation, margin: float, surely: bool) -> Floats:
    """(H, H) by truth, the largest p_i / epsilon_i among the agents with p_i > epsilon_i / margin, 0 without any.

    For the expected objective; kept with the federation. Without a margin epsilon_i is the most that still counts
    as met, ties included. Where rates are not known exactly, ``surely`` leaves out what may not be bad.
    """
    rates, epsilon = _side_of(fed, surely), fed.epsilon[:, None, None]
    limit = _limits(epsilon, margin)

    def largest(block: slice) -> Floats:
        p = rates.rows(block)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(exceeds(p, epsilon / margin), p / limit, 0.0).max(axis=0))

    return _of_truths(fed, np.concatenate(list(rates.map_blocks(largest, agents=fed.k))))


def _of_truths(fed: Federation, rows: NDArray[N]) -> NDArray[N]:
    """Return (H, H) rows by truth with those of hypotheses that cannot be the truth set to zero."""
    if teacher_of(fed) is not None:
        rows[np.delete(np.arange(fed.H), truths_of(fed))] = 0
    return rows


def _side_of(fed: Federation, surely: bool) -> Rates:
    """Rates that say what surely, or what possibly, is bad."""
    return rates_of(fed).below if surely else rates_of(fed).harm


def _limits(epsilon: Floats, margin: float) -> Floats:
    return epsilon + tolerance(epsilon) if margin == 1 else epsilon


@memoized
def find_bad(fed: Federation, surely: bool, *, are_far: bool = False) -> tuple[Bools, Places]:
    """Which hypotheses are bad for somebody, (H, H) by truth; and by truth, (H,), for whom all of them are.

    Where no single agent finds all of them bad that is -1. Kept with the federation. Where rates are not known
    exactly, ``surely`` leaves out what may not be bad, as a lower bound must; otherwise it counts, as in a proof.
    ``are_far`` leaves those that nothing is good for together with the truth.
    """
    rates, epsilon = _side_of(fed, surely), fed.epsilon
    if are_far:
        epsilon = 2 * _limits(epsilon, 1.0)

    def bad_in(block: slice) -> tuple[Bools, Places]:
        bad = rates.is_bad(epsilon, block)
        anybody = bad.any(axis=0)
        finds_all = bad.sum(axis=2) == anybody.sum(axis=1)
        return np.asarray(anybody), np.where(finds_all.any(axis=0), finds_all.argmax(axis=0), -1)

    bad, for_whom = zip(*rates.map_blocks(bad_in, agents=fed.k), strict=True)
    return _of_truths(fed, np.concatenate(bad)), np.concatenate(for_whom)
