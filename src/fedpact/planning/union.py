"""The union program: for every truth and every requirement the miss probabilities may sum to delta at most.

    sum over bad h of prod_j (1 - p_j(h*, h))^m_j <= delta,

which is convex, since every term is the exponential of a linear function of m. A solution of the paper's
program satisfies it (each of at most H - 1 terms is at most delta / H), so its fractional value is never
above; on checkpoints of real networks its plans are 1.0 to 1.3 times the optimum, the paper's 1.4 to 1.9
(docs/results/ladder.md). It is solved by cutting planes. With q_h the terms at the current m and w_h = q_h /
sum q, the tangent of log sum q is the row

    sum_j m_j ( sum_h w_h (-log(1 - p_j(h*, h))) ) >= log(1/delta) + entropy(w),

a mixture of the pairs' own rows; so the covering machinery serves unchanged. With noisy labels every term is a sum
of such terms (:mod:`fedpact.statistics.label_noise`).

Expected objective: for any theta_i < epsilon_i, E[error] <= theta_i + sum over p_i > theta_i of (p_i -
theta_i) q is the same kind of constraint with weights (p_i - theta_i) / (epsilon_i - theta_i). theta =
epsilon / 2 contains the corrected program's region and that of the paper's sum (Appendix F.1, convex bound, which
weighs p_i where p_i - theta_i is enough); then theta moves to the best value at the solution, as
long as that helps.

What all agents together could object to bounds what each of them does, so for most truths one sum is enough.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy.special import xlogy

from fedpact.describe.arrays import Bools, Floats, Ints, Places, slices
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.planning.pair_lp import PairProgram, find_bad
from fedpact.planning.row_generation import Row, find_largest, order_from_largest
from fedpact.statistics.label_noise import chances_of, miss_terms_of
from fedpact.statistics.misses import to_probability
from fedpact.statistics.pairs import best_threshold
from fedpact.statistics.rates import Rates, rates_of
from fedpact.statistics.request import truths_of
from fedpact.statistics.weights import JOINT

TOL = 1e-7
_NEW_ROWS = 40
_HOT = 64
_AT_ONCE = 400_000


class UnionProgram:
    """Finds truths and requirements whose sum of miss probabilities is too large."""

    def __init__(self, fed: Federation) -> None:
        self.fed, self.epsilon = fed, fed.epsilon
        self.terms = miss_terms_of(fed)
        """How likely a hypothesis is missed, at most."""
        self.rates: Rates = self.terms[0][1]
        self._hurt: Rates = rates_of(fed).harm
        """Whom that hurts, and how much, at most."""
        self.is_pac = fed.objective == "pac"
        self._is_truth = np.isin(np.arange(fed.H), truths_of(fed))
        self.is_joint = fed.guarantee == "joint" and self.is_pac
        self.limits = np.full(1 if self.is_joint else fed.k, fed.delta) if self.is_pac else self.epsilon
        """(U,) largest value with which each requirement is met."""
        smallest = fed.delta if self.is_pac else float(self.epsilon[self.epsilon > 0].min(initial=1.0)) / 2
        self.at_one = -float(np.log(fed.H / smallest))
        self.theta = np.repeat(self.epsilon[:, None] / 2, fed.H, axis=1)
        """(k, H) threshold of every agent against every truth; expected objective only."""
        is_strict = not self.is_pac and bool((self.epsilon == 0).any())
        self._never = PairProgram(fed, only_certain=True) if is_strict else None
        self._hot = np.empty(0, dtype=np.intp)
        if self.is_pac:
            self.bad, owner = find_bad(fed, False)
            """(H, H) which hypotheses are bad for somebody, by truth."""
            self.is_clear = np.ones(fed.H, dtype=bool) if self.is_joint else owner >= 0
            """(H,) against which truths one requirement is the hardest whatever m is."""
            self.owner = np.full(fed.H, JOINT) if self.is_joint else owner
            """(H,) whose that is."""

    def __call__(self, m: Floats) -> Sequence[Row]:
        """Tangents at ``m`` of the most violated constraint of the worst truths."""
        sums = self._sums(m)
        order = order_from_largest(sums)
        found: list[tuple[float, Row]] = []
        for some in self._chunks(order[: int((sums > 1).sum())]):
            found += self._tangents(m, some)
            if len(found) >= _NEW_ROWS:
                break
        found.sort(key=lambda entry: (-round(entry[0], 9), entry[1].truth))
        return [*(row for _, row in found[:_NEW_ROWS]), *(self._never(m) if self._never else [])]

    def _chunks(self, truths: Places) -> list[Places]:
        """Few truths at once where there are many agents or hypotheses."""
        step = min(_NEW_ROWS, _AT_ONCE // (self.rates.k * self.rates.H))
        return [truths[block] for block in slices(len(truths), step)]

    def _sums(self, m: Floats) -> Floats:
        """(H,) for every truth at least the largest sum over limit of any requirement."""

        def sums_of(block: slice) -> Floats:
            q = chances_of(self.terms, m, block, self.at_one)
            if not self.is_pac:
                return np.asarray(np.matmul(self._weigh(block), q[:, :, None])[:, :, 0].max(axis=1))
            return np.asarray(np.einsum("th,th->t", self.bad[block], q) / self.fed.delta)

        return np.concatenate(list(self.rates.map_blocks(sums_of, agents=1 if self.is_pac else self.rates.k)))

    def weights(self, truths: slice | Places) -> Floats:
        """(t, U, H) what it costs every requirement if a hypothesis is missed, against what can be the truth."""
        if self.is_joint:
            return self.bad[truths, None].astype(np.float64)
        if self.is_pac:
            weights = self._hurt.is_bad(self.epsilon, truths).swapaxes(0, 1).astype(np.float64)
        else:
            weights = self._hurt.rows(truths).swapaxes(0, 1)
        return weights if self._is_truth.all() else weights * self._is_truth[truths][:, None, None]

    def _weigh(self, truths: slice | Places) -> Floats:
        """(t, U, H) weight over limit, for the expected objective what is above theta over what that leaves."""
        weights = self.weights(truths)
        if self.is_pac:
            return weights / self.fed.delta
        theta = self.theta[:, truths].T[:, :, None]
        room = self.epsilon[:, None] - theta
        over = np.maximum(weights - theta, 0.0)
        return np.divide(over, room, out=np.zeros_like(over), where=room > 0)

    def _tangents(self, m: Floats, truths: Places) -> list[tuple[float, Row]]:
        """Log of sum over limit, and tangent, of the worst requirement of every truth that is over it."""
        each = [weight * np.exp(rates.log_miss(m, truths, self.at_one)) for weight, rates in self.terms]
        q = np.asarray(sum(each))
        weights, worst = self._weigh_worst(truths, q)
        totals = np.einsum("th,th->t", weights, q)
        over = np.flatnonzero(totals > np.exp(TOL))
        a, b, share = np.zeros((len(over), self.rates.k)), np.zeros(len(over)), np.zeros((len(over), self.rates.H))
        for (weight, rates), term in zip(self.terms, each, strict=True):
            own = (weights * term / totals[:, None])[over]
            b += (xlogy(own, weight * weights[over]) - xlogy(own, own)).sum(axis=1)
            logs = rates.logs(truths[over], self.at_one)
            a -= [logs[:, at] @ own[at] for at in range(len(over))] if len(over) else 0.0
            share += own
        found = []
        for at, truth in enumerate(truths[over]):
            hypotheses = np.flatnonzero(share[at])
            row = Row(
                a=a[at],
                b=float(b[at]),
                truth=int(truth),
                hypotheses=hypotheses,
                weights=share[at, hypotheses],
                requirement=int(worst[over][at]),
            )
            found.append((float(np.log(totals[over][at])), row))
        return found

    def _weigh_worst(self, truths: Places, q: Floats) -> tuple[Floats, Places]:
        """(t, H) weights over limit of each truth's worst requirement, and (t,) whose that is."""
        if self.is_pac and self.is_clear[truths].all():
            return self.bad[truths] / self.fed.delta, self.owner[truths]
        weights = self._weigh(truths)
        worst = find_largest(np.matmul(weights, q[:, :, None])[:, :, 0])
        return weights[np.arange(len(truths)), worst], worst

    def improve_theta(self, m: Floats) -> bool:
        """Move every threshold to its best value at ``m``; whether any bound became smaller."""
        moved = False
        for block in self.rates.blocks(self.fed.k):
            q = np.exp(self.rates.log_miss(m, block, self.at_one))
            for p, epsilon, theta in zip(self._hurt.rows(block), self.epsilon, self.theta[:, block], strict=True):
                best, value = best_threshold(p, q)
                now = theta + (np.maximum(p - theta[:, None], 0.0) * q).sum(axis=1)
                better = (value < now - TOL) & (best < epsilon * (1 - 1e-6))
                theta[better] = best[better]
                moved |= bool(better.any())
        return moved

    def holds(self, m: Ints) -> bool:
        """Whether the sums prove that the integer vector ``m`` is enough."""
        return not len(self.find_unproved(m, is_first_enough=True))

    def find_unproved(self, m: Ints, *, is_first_enough: bool = False) -> Places:
        """Truths for which some requirement's sum is too large at the integer vector ``m``.

        Truths that were so before are looked at first; ``is_first_enough`` stops as soon as there are any.
        """
        look = m.astype(np.float64)

        def unproved_in(block: slice) -> Places:
            truths = np.arange(block.start, block.stop)
            return truths[self._is_unproved(look, truths)]

        hot = self._hot[self._is_unproved(look, self._hot)] if is_first_enough and len(self._hot) else self._hot
        if is_first_enough and len(hot):
            return hot
        found = (block for block in self.rates.map_blocks(unproved_in) if len(block))
        some = itertools.islice(found, 1 if is_first_enough else None)
        unproved = np.concatenate([np.empty(0, dtype=np.intp), *some])
        self._hot = np.append(self._hot[~np.isin(self._hot, unproved)], unproved[:_HOT])[-_HOT:]
        return unproved

    def _is_unproved(self, m: Floats, truths: Places) -> Bools:
        """(t,) whether some requirement's bound is above its limit."""
        over = np.ones(len(truths), dtype=bool)
        unclear = np.arange(len(truths))
        if self.is_pac:
            q = chances_of(self.terms, m, truths)
            over = exceeds(np.einsum("th,th->t", self.bad[truths], q), self.fed.delta)
            unclear = np.flatnonzero(over & ~self.is_clear[truths])
        for some in self._chunks(unclear):
            over[some] = exceeds(self.bounds(m, truths[some]), self.limits).any(axis=1)
        return over

    def bounds(self, m: Floats, truths: Places) -> Floats:
        """(t, U) failure probability or expected error of every requirement from above."""
        if self.is_pac:
            q = chances_of(self.terms, m, truths)
            return np.asarray(np.minimum(np.matmul(self.weights(truths), q[:, :, None])[:, :, 0], 1.0))
        q = to_probability(self.rates.log_miss(m, truths), keep_tiny=self._never is not None)
        return np.stack([best_threshold(p, q)[1] for p in self.weights(truths).swapaxes(0, 1)], axis=1)
