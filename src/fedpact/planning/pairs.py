"""Programs with one row per pair of hypotheses: the paper's, and the one that bounds the optimum from below.

A pair (h, g) that is bad for somebody has to be missed with small probability, which is linear in m:

    sum_j m_j (-log(1 - p_j(h, g))) >= b(h, g).

- *lp*, the paper's program: b = log(H / delta). By the union bound over at most H - 1 events every solution
  meets every target, jointly and hence per agent; its fractional value is within 1 + log H / log(1/delta) of
  the optimum (not its rounding, ERRATA A5). At p = 1, where the logarithm is infinite, the coefficient is b.
- *lower bound*: b = log(1 / delta), which every plan that meets the targets satisfies. A coefficient above b
  is set to b: that keeps all integer solutions and makes the bound tighter.

For the expected objective the paper asks for Pr[miss] p_i <= epsilon_i / 2H of *some* agent with p_i >
epsilon_i / 2; it has to be every such agent (ERRATA A1), so b = log max_i 2 H p_i / epsilon_i. From below,
p_i > epsilon_i needs Pr[miss] <= epsilon_i / p_i.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.errors import InfeasibleError
from fedpact.planning.covering import Row
from fedpact.statistics.misses import NEVER, log_miss, replace_never
from fedpact.statistics.rates import Rates, rates_of

TOL = 1e-8
FOR_CERTAIN = 1e30
"""Right-hand side of a pair that must never be missed (epsilon = 0, on average)."""
_NEW_ROWS = 40


class PairProgram:
    """Finds pairs whose row a contribution vector violates.

    Parameters
    ----------
    fed
        The federation.
    is_bound
        Whether to state the program that bounds the optimum from below instead of the paper's.
    only_certain
        Whether to keep only the pairs that must never be missed.
    """

    def __init__(self, fed: Federation, *, is_bound: bool = False, only_certain: bool = False) -> None:
        self.fed, self.is_bound = fed, is_bound
        self.rates: Rates = rates_of(fed)
        self.needed = np.zeros((fed.H, fed.H))
        """(H, H) right-hand side of every pair, zero where there is no row."""
        for block in self.rates.blocks(fed.k):
            self.needed[block] = np.triu(self._needed(block), k=block.start + 1)
        if only_certain:
            self.needed[self.needed < FOR_CERTAIN] = 0.0
        self.at_one = -float(self.needed.max(initial=0.0)) or NEVER
        self._known: set[tuple[int, int]] = set()

    def _needed(self, block: slice) -> NDArray[np.float64]:
        if self.fed.objective == "expected":
            return self._needed_on_average(block)
        scale = 1.0 if self.is_bound else float(self.fed.H)
        bad = np.zeros((block.stop - block.start, self.fed.H), dtype=bool)
        for agent in range(self.fed.k):
            bad |= self.rates.is_bad(agent, float(self.fed.epsilon[agent]), block)
        return np.where(bad, np.log(scale / self.fed.delta), 0.0)

    def _needed_on_average(self, block: slice) -> NDArray[np.float64]:
        factor = 1.0 if self.is_bound else 2.0
        scale = 1.0 if self.is_bound else 2.0 * self.fed.H
        needed = np.zeros((block.stop - block.start, self.fed.H))
        for agent, p in enumerate(self.rates.rows(block)):
            epsilon = float(self.fed.epsilon[agent])
            counts = exceeds(p, epsilon / factor)
            with np.errstate(divide="ignore"):
                needed[counts] = np.maximum(needed[counts], np.log(scale * p[counts] / epsilon))
        return np.minimum(needed, FOR_CERTAIN)

    def __call__(self, m: NDArray[np.float64]) -> Sequence[Row]:
        """Most violated pair of every target, the worst of those first."""
        look = m if m.any() else np.ones(self.fed.k)
        worst = np.full(self.fed.H, -np.inf)
        partner = np.zeros(self.fed.H, dtype=np.intp)
        for block in self.rates.blocks():
            needed = self.needed[block]
            short = np.where(needed > 0, needed + self.rates.log_miss(look, block, self.at_one), -np.inf)
            partner[block] = short.argmax(axis=1)
            worst[block] = short.max(axis=1)
        targets = np.argsort(-worst, kind="stable")[:_NEW_ROWS]
        if m.any():
            targets = targets[worst[targets] > TOL]
        targets = np.array(
            [t for t in targets if worst[t] > -np.inf and (t, partner[t]) not in self._known], dtype=int
        )
        self._known |= {(int(t), int(partner[t])) for t in targets}
        return self._rows(targets, partner[targets]) if len(targets) else []

    def holds(self, m: NDArray[np.float64]) -> bool:
        """Whether every pair's row holds at the integer vector ``m``, ties counting as holding."""
        for block in self.rates.blocks():
            short = self.needed[block] + self.rates.log_miss(m, block)
            excess = float(np.where(self.needed[block] > 0, short, -np.inf).max(initial=-np.inf))
            if exceeds(self.fed.delta * np.exp(min(excess, 1.0)), self.fed.delta):
                return False
        return True

    def _rows(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> list[Row]:
        rates = self.rates.between(h, g)
        rows = []
        for column, (target, other) in enumerate(zip(h, g, strict=True)):
            p, b = rates[:, column], self._exact_needed(rates[:, column])
            a = -replace_never(log_miss(p), -b)
            if b == FOR_CERTAIN:
                a, b = np.where(a == b, 1.0, 0.0), 1.0
            elif self.is_bound:
                a = np.minimum(a, b)
            if not a.any():
                raise _infeasible(self.fed, int(target), int(other), p)
            owner = int(np.argmax(p - self.fed.epsilon))
            rows.append(
                Row(
                    a=a,
                    b=b,
                    target=int(target),
                    hypotheses=np.array([other]),
                    weights=np.ones(1),
                    requirement=owner,
                )
            )
        return rows

    def _exact_needed(self, p: NDArray[np.float64]) -> float:
        scale = 1.0 if self.is_bound else float(self.fed.H)
        if self.fed.objective == "pac":
            return float(np.log(scale / self.fed.delta))
        epsilon = self.fed.epsilon
        factor = 1.0 if self.is_bound else 2.0
        counts = exceeds(p, epsilon / factor)
        with np.errstate(divide="ignore"):
            return min(FOR_CERTAIN, float(np.log(factor * scale * p[counts] / epsilon[counts]).max()))


def _infeasible(fed: Federation, h: int, g: int, p: NDArray[np.float64]) -> InfeasibleError:
    agent = fed.names[int(np.argmax(p - fed.epsilon))]
    pair = (fed.hypotheses[h], fed.hypotheses[g])
    return InfeasibleError(
        f"no plan exists: agent {agent!r} tolerates no error and no number of samples rules out "
        f"{pair[1]!r} for certain when {pair[0]!r} is the truth; raise its epsilon",
        agents=(agent,),
        pair=pair,
    )
