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
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.planning.covering import Row
from fedpact.planning.pairs import PairProgram
from fedpact.statistics.engine import JOINT
from fedpact.statistics.misses import log_miss, replace_never
from fedpact.statistics.pairs import best_threshold
from fedpact.statistics.rates import Rates, rates_of

TOL = 1e-7
_NEW_ROWS = 40


class UnionProgram:
    """Finds truths and requirements whose sum of miss probabilities is too large."""

    def __init__(self, fed: Federation) -> None:
        self.fed = fed
        self.rates: Rates = rates_of(fed)
        self.is_joint = fed.guarantee == "joint" and fed.objective == "pac"
        smallest = (
            fed.delta if fed.objective == "pac" else float(fed.epsilon[fed.epsilon > 0].min(initial=1.0)) / 2
        )
        self.at_one = -float(np.log(fed.H / smallest))
        self.theta = np.repeat(fed.epsilon[:, None] / 2, fed.H, axis=1)
        """(k, H) threshold of every agent against every truth; expected objective only."""
        is_strict = fed.objective == "expected" and bool((fed.epsilon == 0).any())
        self._never = PairProgram(fed, only_certain=True) if is_strict else None

    def __call__(self, m: NDArray[np.float64]) -> Sequence[Row]:
        """Tangents at ``m`` of the most violated constraint of the worst truths."""
        look = m if m.any() else np.full(self.fed.k, 1e-6)
        found: list[tuple[float, Row]] = []
        for block in self.rates.blocks(2):
            logs = self.rates.log_miss(look, block, self.at_one)
            for target in self._in_question(logs, block):
                cut = self._tangent(int(target), logs[target - block.start])
                if cut is not None and cut[0] > TOL:
                    found.append(cut)
        found.sort(key=lambda entry: (-entry[0], entry[1].target))
        return [*(row for _, row in found[:_NEW_ROWS]), *(self._never(m) if self._never else [])]

    @cached_property
    def _is_bad_for_anybody(self) -> NDArray[np.bool_]:
        bad = np.zeros((self.fed.H, self.fed.H), dtype=bool)
        for block in self.rates.blocks():
            for agent in range(self.fed.k):
                bad[block] |= self.rates.is_bad(agent, float(self.fed.epsilon[agent]), block)
        return bad

    def _in_question(self, logs: NDArray[np.float64], block: slice) -> NDArray[np.intp]:
        """Truths of the block for which all hypotheses that are bad for anybody sum to too much."""
        if self.fed.objective == "expected":
            return np.arange(block.start, block.stop)
        total = np.where(self._is_bad_for_anybody[block], np.exp(logs), 0.0).sum(axis=1)
        worst = np.argsort(-total, kind="stable")[:_NEW_ROWS]
        return np.asarray(block.start + worst[total[worst] > self.fed.delta])

    def log_weights(self, p: NDArray[np.float64], target: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """(U, H) log of weight over limit, -inf where a hypothesis is harmless; and whose each row is.

        ``p`` (k, H) are the rates against ``target``.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.fed.objective == "expected":
                theta = self.theta[:, target, None]
                room = self.fed.epsilon[:, None] - theta
                weights = np.where((p > theta) & (room > 0), (p - theta) / room, 0.0)
                return np.log(weights), np.arange(self.fed.k)
            bad = exceeds(p, self.fed.epsilon[:, None])
            if self.is_joint:
                return np.log(np.any(bad, axis=0, keepdims=True) / self.fed.delta), np.array([JOINT])
            masks, first = np.unique(bad, axis=0, return_index=True)
            return np.log(np.atleast_2d(masks) / self.fed.delta), first

    def _tangent(self, target: int, logs: NDArray[np.float64]) -> tuple[float, Row] | None:
        """Log of sum over limit of the worst requirement, and its tangent; None if nothing can go wrong."""
        p = self.rates.rows(slice(target, target + 1))[:, 0]
        offsets, owners = self.log_weights(p, target)
        with np.errstate(divide="ignore"):
            values = np.atleast_1d(logsumexp(offsets + logs, axis=1))
        worst = int(values.argmax())
        if values[worst] == -np.inf:
            return None
        share = np.exp(offsets[worst] + logs - values[worst])
        some = np.flatnonzero(share > 0)
        share = share[some]
        needs = -replace_never(log_miss(p[:, some]), self.at_one)
        row = Row(
            a=needs @ share,
            b=float(share @ offsets[worst, some] - share @ np.log(share)),
            target=target,
            hypotheses=some,
            weights=share,
            requirement=int(owners[worst]),
        )
        return float(values[worst]), row

    def improve_theta(self, m: NDArray[np.float64]) -> bool:
        """Move every threshold to its best value at ``m``; whether any bound became smaller."""
        moved = False
        for block in self.rates.blocks(self.fed.k):
            q = np.exp(self.rates.log_miss(m, block, self.at_one))
            for p, epsilon, theta in zip(
                self.rates.rows(block), self.fed.epsilon, self.theta[:, block], strict=True
            ):
                best, value = best_threshold(p, q)
                now = theta + (np.maximum(p - theta[:, None], 0.0) * q).sum(axis=1)
                better = (value < now - TOL) & (best < epsilon * (1 - 1e-6))
                theta[better] = best[better]
                moved |= bool(better.any())
        return moved
