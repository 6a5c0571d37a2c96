"""The union program: for every truth and every requirement the miss probabilities may sum to delta at most.

    sum over bad h of prod_j (1 - p_j(h*, h))^m_j <= delta,

which is convex, since every term is the exponential of a linear function of m. A solution of the paper's
program satisfies it (each of at most H - 1 terms is at most delta / H), so its fractional value is never
above; in our trials it is 1.0 to 1.15 times the optimum where the paper's is 1.2 to 2.6. It is solved by
cutting planes. With q_h the terms at the current m and w_h = q_h / sum q, the tangent of log sum q is the row

    sum_j m_j ( sum_h w_h (-log(1 - p_j(h*, h))) ) >= log(1/delta) + entropy(w),

a mixture of the pairs' own rows; so the covering machinery serves unchanged.

Expected objective: for any theta_i < epsilon_i, E[error] <= theta_i + sum over p_i > theta_i of (p_i -
theta_i) q is the same kind of constraint with weights (p_i - theta_i) / (epsilon_i - theta_i). theta =
epsilon / 2 contains the corrected program's region; then theta moves to the best value at the solution, as
long as that helps.

What all agents together could object to bounds what each of them does, so for most truths one sum is enough.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.planning.covering import Row
from fedpact.planning.pairs import PairProgram, find_excess
from fedpact.statistics.engine import JOINT
from fedpact.statistics.misses import log_miss, replace_never, to_probability
from fedpact.statistics.pairs import best_threshold
from fedpact.statistics.rates import Rates, on_all_cores, rates_of

TOL = 1e-7
_NEW_ROWS = 40
_HOT = 64


class UnionProgram:
    """Finds truths and requirements whose sum of miss probabilities is too large."""

    def __init__(self, fed: Federation) -> None:
        self.fed, self.epsilon = fed, fed.epsilon
        self.rates: Rates = rates_of(fed)
        self.is_pac = fed.objective == "pac"
        self.is_joint = fed.guarantee == "joint" and self.is_pac
        smallest = fed.delta if self.is_pac else float(self.epsilon[self.epsilon > 0].min(initial=1.0)) / 2
        self.at_one = -float(np.log(fed.H / smallest))
        self.theta = np.repeat(self.epsilon[:, None] / 2, fed.H, axis=1)
        """(k, H) threshold of every agent against every truth; expected objective only."""
        is_strict = not self.is_pac and bool((self.epsilon == 0).any())
        self._never = PairProgram(fed, only_certain=True) if is_strict else None
        self._hot = np.empty(0, dtype=np.intp)

    @property
    def limits(self) -> NDArray[np.float64]:
        """(U,) largest value with which each requirement is met."""
        return np.full(1 if self.is_joint else self.fed.k, self.fed.delta) if self.is_pac else self.epsilon

    def __call__(self, m: NDArray[np.float64]) -> Sequence[Row]:
        """Tangents at ``m`` of the most violated constraint of the worst truths."""
        look = m if m.any() else np.full(self.fed.k, 1e-6)
        sums = self._sums(look)
        order = np.argsort(-sums, kind="stable")
        found: list[tuple[float, Row]] = []
        for some in _chunks(order[: int((sums > 1).sum())], self.fed.k):
            is_over = self._values(look, some).max(axis=1) > np.exp(TOL)
            found += [self._tangent(int(target), look) for target in some[is_over]]
            if len(found) >= _NEW_ROWS:
                break
        found.sort(key=lambda entry: (-entry[0], entry[1].target))
        return [*(row for _, row in found[:_NEW_ROWS]), *(self._never(m) if self._never else [])]

    def _values(self, m: NDArray[np.float64], targets: slice | NDArray[np.intp]) -> NDArray[np.float64]:
        """(t, U) sum over limit of every requirement."""
        q = np.exp(self.rates.log_miss(m, targets, self.at_one))
        return np.asarray(np.matmul(self._weigh(targets), q[:, :, None])[:, :, 0])

    def _sums(self, m: NDArray[np.float64]) -> NDArray[np.float64]:
        """(H,) for every truth at least the largest sum over limit of any requirement."""

        def sums_of(block: slice) -> NDArray[np.float64]:
            if not self.is_pac:
                return np.asarray(self._values(m, block).max(axis=1))
            q = np.exp(self.rates.log_miss(m, block, self.at_one))
            return np.asarray(np.einsum("th,th->t", find_excess(self.fed)[block], q) / self.fed.delta)

        agents = 1 if self.is_pac else self.fed.k
        return np.concatenate(list(on_all_cores(sums_of, self.rates.blocks(agents))))

    def _weigh(self, targets: slice | NDArray[np.intp]) -> NDArray[np.float64]:
        """(t, U, H) weight over limit of every hypothesis for every requirement."""
        if self.is_joint:
            return find_excess(self.fed)[targets, None] / self.fed.delta
        if self.is_pac:
            return self.rates.is_bad(self.epsilon, targets).swapaxes(0, 1) / self.fed.delta
        theta = self.theta[:, targets, None]
        room = self.epsilon[:, None, None] - theta
        over = np.maximum(self.rates.rows(targets) - theta, 0.0)
        return np.divide(over, room, out=np.zeros_like(over), where=room > 0).swapaxes(0, 1)

    def _tangent(self, target: int, m: NDArray[np.float64]) -> tuple[float, Row]:
        """Log of sum over limit of the worst requirement against a truth, and its tangent."""
        some = np.array([target])
        q = np.exp(self.rates.log_miss(m, some, self.at_one)[0])
        weights = self._weigh(some)[0]
        worst = int((weights @ q).argmax())
        terms = weights[worst] * q
        hypotheses = np.flatnonzero(terms)
        value = terms.sum()
        share = terms[hypotheses] / value
        logs = replace_never(log_miss(self.rates.rows(some)[:, 0, hypotheses]), self.at_one)
        row = Row(
            a=-logs @ share,
            b=float(share @ (np.log(weights[worst, hypotheses]) - np.log(share))),
            target=target,
            hypotheses=hypotheses,
            weights=share,
            requirement=JOINT if self.is_joint else worst,
        )
        return float(np.log(value)), row

    def improve_theta(self, m: NDArray[np.float64]) -> bool:
        """Move every threshold to its best value at ``m``; whether any bound became smaller."""
        moved = False
        for block in self.rates.blocks(self.fed.k):
            q = np.exp(self.rates.log_miss(m, block, self.at_one))
            for p, epsilon, theta in zip(self.rates.rows(block), self.epsilon, self.theta[:, block], strict=True):
                best, value = best_threshold(p, q)
                now = theta + (np.maximum(p - theta[:, None], 0.0) * q).sum(axis=1)
                better = (value < now - TOL) & (best < epsilon * (1 - 1e-6))
                theta[better] = best[better]
                moved |= bool(better.any())
        return moved

    def holds(self, m: NDArray[np.int64]) -> bool:
        """Whether the sums prove that the integer vector ``m`` is enough."""
        return not len(self.find_unproved(m, is_first_enough=True))

    def find_unproved(self, m: NDArray[np.int64], *, is_first_enough: bool = False) -> NDArray[np.intp]:
        """Truths for which some requirement's sum is too large at the integer vector ``m``.

        Truths that were so before are looked at first; ``is_first_enough`` stops as soon as there are any.
        """
        look = m.astype(np.float64)
        hot = self._hot[self._is_unproved(look, self._hot)] if is_first_enough and len(self._hot) else self._hot
        if is_first_enough and len(hot):
            return hot
        found: list[NDArray[np.intp]] = []
        for block in on_all_cores(lambda some: self._unproved_in(look, some), self.rates.blocks()):
            if len(block):
                found.append(block)
                if is_first_enough:
                    break
        unproved = np.concatenate(found) if found else np.empty(0, dtype=np.intp)
        self._hot = np.append(self._hot[~np.isin(self._hot, unproved)], unproved[:_HOT])[-_HOT:]
        return unproved

    def _unproved_in(self, m: NDArray[np.float64], block: slice) -> NDArray[np.intp]:
        targets = np.arange(block.start, block.stop)
        if self.is_pac:
            q = np.exp(self.rates.log_miss(m, block))
            targets = targets[exceeds(np.einsum("th,th->t", find_excess(self.fed)[block], q), self.fed.delta)]
        keep = [part[self._is_unproved(m, part)] for part in _chunks(targets, self.fed.k)]
        return np.concatenate(keep) if keep else targets

    def _is_unproved(self, m: NDArray[np.float64], targets: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(t,) whether some requirement's bound is above its limit."""
        return np.asarray(exceeds(self.bounds(m, targets), self.limits).any(axis=1))

    def bounds(self, m: NDArray[np.float64], targets: NDArray[np.intp]) -> NDArray[np.float64]:
        """(t, U) failure probability or expected error of every requirement from above."""
        is_strict = self._never is not None
        q = to_probability(self.rates.log_miss(m, targets), keep_tiny=is_strict)
        if self.is_pac:
            sums = np.matmul(self._weigh(targets), q[:, :, None])[:, :, 0] * self.fed.delta
            return np.asarray(np.minimum(sums, 1.0))
        return np.stack([best_threshold(p, q)[1] for p in self.rates.rows(targets)], axis=1)


def _chunks(targets: NDArray[np.intp], k: int) -> list[NDArray[np.intp]]:
    """Few targets at once where there are many agents."""
    step = max(1, 2 * _NEW_ROWS // k)
    return [targets[start : start + step] for start in range(0, len(targets), step)]
