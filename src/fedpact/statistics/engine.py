"""The guarantee engine: the value of every requirement of a federation at many contribution vectors.

The value of a requirement (:mod:`fedpact.statistics.weights`) is the worst over truths h* of a miss family's
value (:mod:`fedpact.statistics.misses`). For every truth two cheap bounds are at hand, the likeliest single miss
below and the sum of all above, so only truths that can be the worst are looked at closer:

1. *exact*: the signed sum of :mod:`fedpact.statistics.expansion`, built once per family and evaluated for all
   m at once;
2. *bounds*: where that sum would be too long, a certified interval (:mod:`fedpact.statistics.bounds`; for
   reports :mod:`fedpact.statistics.pairs`);
3. *estimate*: where the interval does not settle the question either, Karp-Luby
   (:mod:`fedpact.statistics.karp_luby`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fedpact.describe.arrays import Bools, Floats, Ints, Places, slices
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.describe.names import read_choice
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError
from fedpact.statistics.bounds import MAX_WORK, WIDTH, Bound, bound, lower_bound_from_subset
from fedpact.statistics.domain import find_domain
from fedpact.statistics.expansion import Expansion, expand
from fedpact.statistics.interval_query import Effort, IntervalQuery, Values
from fedpact.statistics.misses import MissFamily, fingerprint, log_miss, reduce_family, to_probability
from fedpact.statistics.pairs import best_threshold, bound_above, bound_below
from fedpact.statistics.per_agent_split import is_split, part_of, set_aside
from fedpact.statistics.rates import rates_of
from fedpact.statistics.weights import JOINT, Weights

if TYPE_CHECKING:
    from fedpact.statistics.bounding_engine import BoundingEngine

METHODS = ("auto", "exact", "bounds", "estimate")
CONFIDENCE = 0.999
DRAWS = 20_000
# Numbers that are worked on at once, 16 MB.
_AT_ONCE = 2_000_000
_WIDTHS = (1e-1, 1e-2, 1e-3, WIDTH, WIDTH / 100)
# Of how many truths a few sets are tried.
_FEW_TRUTHS = 6
_Known: TypeAlias = dict[tuple[int, bytes], Floats]


class Engine:
    """Everything about one federation that does not depend on m, built when first needed and kept."""

    def __init__(self, fed: Federation) -> None:
        self.fed, self.has_joint_structure = fed, not isinstance(fed.evidence, Reports)
        self._weights = Weights(fed)
        self.truths = self._weights.truths
        self._is_certain = not fed.evidence.IS_COUNTED or rates_of(fed).is_certain
        self._least = self._weights if self._is_certain else Weights(fed, is_least=True)
        self._families: dict[tuple[int, int], MissFamily] = {}
        self._prints: dict[tuple[int, int], bytes] = {}
        self._expansions: dict[bytes, Expansion | None] = {}

    def find_likeliest_miss(self, requirement: int, truth: int, m: Ints) -> int:
        """Hypothesis whose survival most likely hurts when hypothesis ``truth`` is the true one."""
        only = np.array([truth])
        weights = self._weights.weigh(self._weights.rates(only), requirement)[0]
        seen = self._weights.rates(only, as_miss=True)
        logs = np.tensordot(m.astype(np.float64), log_miss(seen), axes=1)[0]
        some = np.flatnonzero(weights)
        return int(some[(np.log(weights[some]) + logs[some]).argmax()])

    def threshold(self, requirement: int) -> float:
        """Largest value with which the requirement is met."""
        return float(self.fed.epsilon[requirement]) if self.fed.objective == "expected" else self.fed.delta

    def evaluate(
        self,
        m: Ints,
        requirements: Sequence[int],
        *,
        method: str = "auto",
        rng: np.random.Generator | None = None,
        draws: int = DRAWS,
    ) -> Values:
        """Values of ``requirements`` at the contribution vectors ``m`` (B, k)."""
        read_choice(method, "method", METHODS)
        if method in ("exact", "estimate"):
            find_domain(self.fed)  # raises for reports, which have no joint structure
        work = m.astype(np.float64)
        queries = len(m) * len(requirements)
        effort = Effort(
            work=max(MAX_WORK / 2, 4 * MAX_WORK / queries),
            rng=np.random.default_rng(0) if rng is None else rng,
            draws=draws,
            risk=(1 - CONFIDENCE) / queries,
        )
        parts = [self._evaluate(work, requirement, method, effort) for requirement in requirements]
        for part, requirement in zip(parts, requirements, strict=True):
            self._lower(m, requirement, part.high)
        return Values(*(np.stack(columns, axis=1) for columns in zip(*parts, strict=True)))

    def is_met(self, m: Ints, requirements: Sequence[int]) -> Bools:
        """(B, R) whether each requirement is provably met; never estimates."""
        limits = [self.threshold(requirement) for requirement in requirements]
        return ~exceeds(self.decide(m, requirements, is_proof=True)[1], limits)

    def decide(
        self, m: Ints, requirements: Sequence[int], *, max_work: float = 2 * MAX_WORK, is_proof: bool = False
    ) -> tuple[Floats, Floats]:
        """(B, R) certified interval of each value, narrowed until it is known to be met or missed.

        Beyond ``max_work`` per value (see :mod:`fedpact.statistics.bounds`) the question may stay open. If
        ``is_proof`` only "met" matters: where pairs are all that is known, a value is left as it is as soon as
        one truth is in the way.
        """
        lows, highs = np.empty((2, len(m), len(requirements)))
        for rows in slices(len(m), _AT_ONCE // max(1, len(self.truths))):
            for column, requirement in enumerate(requirements):
                ends = self._decide(m[rows].astype(np.float64), requirement, max_work, is_proof=is_proof)
                lows[rows, column], highs[rows, column] = ends
                self._lower(m[rows], requirement, highs[rows, column], is_proof=is_proof)
        return lows, highs

    def _lower(self, m: Ints, requirement: int, high: Floats, *, is_proof: bool = False) -> None:
        """Lower the upper ends (B,), where rates are estimated, to what the parts of the federation say."""
        if not is_split(self.fed):
            return
        agents = range(self.fed.k) if requirement == JOINT else [requirement]
        total = np.zeros(len(m))
        for agent in agents:
            part = engine_of(part_of(self.fed, agent)).decide(m, [agent], is_proof=is_proof)[1][:, 0]
            total += part + set_aside(self.fed, agent)
        np.minimum(high, total, out=high)

    def _decide(self, m: Floats, requirement: int, max_work: float, *, is_proof: bool) -> tuple[Floats, Floats]:
        """(B,) certified interval of one requirement's value."""
        limit = self.threshold(requirement)
        low, high = self._union_bounds(m, requirement)
        if self.has_joint_structure:
            self._sharpen_until_decided(m, requirement, low, high)
        is_open = exceeds(high.max(axis=1), limit) & ~exceeds(low.max(axis=1), limit)
        if is_proof and requirement != JOINT and self.fed.objective == "pac" and is_split(self.fed):
            return low.max(axis=1), high.max(axis=1)  # the agent's part proves all that can be proved
        for row in np.flatnonzero(is_open):
            query = IntervalQuery(m[row], requirement, limit, low[row], high[row], max_work)
            if is_proof and not self.has_joint_structure:
                self._prove_by_pairs(query)
            else:
                self._refute_by_few(query)
                self._narrow(query, until_decided=True)
        return low.max(axis=1), high.max(axis=1)

    def _evaluate(self, m: Floats, requirement: int, method: str, effort: Effort) -> Values:
        low, high = self._union_bounds(m, requirement)
        if method in ("auto", "exact") and self.has_joint_structure:
            self._sharpen_exactly(m, requirement, low, high)
        how = np.where(high.max(axis=1) <= low.max(axis=1), "exact", "bounds").astype("<U8")
        for row in np.flatnonzero(how != "exact"):
            limit = self.threshold(requirement)
            query = IntervalQuery(m[row], requirement, limit, low[row], high[row], effort.work)
            how[row] = self._settle(query, method, effort)
        worst = np.where(high >= high.max(axis=1, keepdims=True), low, -1.0).argmax(axis=1)
        top = high.max(axis=1)
        return Values(low=np.minimum(low.max(axis=1), top), high=top, truth=self.truths[worst], how=how)

    def _union_bounds(self, m: Floats, requirement: int) -> tuple[Floats, Floats]:
        """(B, T) largest single term and smallest sum of terms that bounds the value, for every truth."""
        low, high = np.empty((2, len(m), len(self.truths)))
        for some in slices(len(self.truths), _AT_ONCE // (self.fed.k * self.fed.H)):
            weights = self._weights.against(some, requirement)
            least = weights if self._is_certain else self._least.against(some, requirement)
            for rows in slices(len(m), _AT_ONCE // weights.size):
                miss = self._miss(self._weights, m[rows], some, requirement)
                high[rows, some] = self._sum(weights, miss)
                if not self._is_certain:
                    miss = self._miss(self._least, m[rows], some, requirement)
                low[rows, some] = (least * miss).max(axis=2)
            np.minimum(high[:, some], weights.max(axis=1), out=high[:, some])
        return low, np.maximum(low, high)

    def _miss(self, weights: Weights, m: Floats, some: slice, requirement: int) -> Floats:
        """(b, t, H) probability that each hypothesis is missed."""
        logs = np.tensordot(m, weights.logs(some), axes=1)
        return to_probability(np.asarray(logs), keep_tiny=self.threshold(requirement) == 0)

    def _sum(self, weights: Floats, miss: Floats) -> Floats:
        """(b, t) union bound; for the expected objective with the best threshold."""
        if self.fed.objective == "expected":
            flat = np.broadcast_to(weights, miss.shape).reshape(-1, self.fed.H)
            return best_threshold(flat, miss.reshape(flat.shape))[1].reshape(miss.shape[:2])
        return np.asarray((weights * miss).sum(axis=2))

    def _sharpen_exactly(self, m: Floats, requirement: int, low: Floats, high: Floats) -> None:
        """Replace the bounds by the exact value for every truth that could be the worst, highest bound first."""
        known: _Known = {}
        for truth in np.argsort(-high.sum(axis=0), kind="stable"):
            rows = np.flatnonzero(high[:, truth] > low.max(axis=1))
            self._set_exactly(m, requirement, int(truth), rows, low, high, known)

    def _sharpen_until_decided(self, m: Floats, requirement: int, low: Floats, high: Floats) -> None:
        """Replace bounds by exact values until it is known on which side of the threshold each row lies."""
        known: _Known = {}
        limit = self.threshold(requirement)
        may_miss, is_missed = np.atleast_2d(exceeds(high, limit)), exceeds(low.max(axis=1), limit)
        truths = np.flatnonzero(may_miss.any(axis=0))
        for truth in truths[np.argsort(-high[:, truths].sum(axis=0), kind="stable")]:
            rows = np.flatnonzero(may_miss[:, truth] & ~is_missed)
            self._set_exactly(m, requirement, int(truth), rows, low, high, known)
            is_missed[rows] = exceeds(low[rows, truth], limit)

    def _set_exactly(
        self, m: Floats, requirement: int, truth: int, rows: Places, low: Floats, high: Floats, known: _Known
    ) -> None:
        """Make both bounds of some rows the exact value against one truth, if its sum is not too long."""
        expansion = self._expansion(requirement, truth) if len(rows) else None
        if expansion is None:
            return
        key = (id(expansion), rows.tobytes())
        if key not in known:
            known[key] = expansion.evaluate(m[rows])
        low[rows, truth] = high[rows, truth] = np.clip(known[key], low[rows, truth], high[rows, truth])

    def _settle(self, query: IntervalQuery, method: str, effort: Effort) -> str:
        """Narrow the interval of a query and say how: certified bounds first, then an estimate."""
        if method == "exact":
            worst = self.fed.hypotheses[int(self.truths[query.high.argmax()])]
            raise FederationError(
                f"method 'exact' needs too many terms if {worst!r} is the truth; use method 'auto' or 'bounds'"
            )
        if method != "estimate":
            self._narrow(query)
            if method == "bounds" or query.is_decided or not self.has_joint_structure:
                return "bounds"
        self._estimate(query, effort)
        return "estimate"

    def _narrow(self, query: IntervalQuery, *, until_decided: bool = False) -> None:
        """Narrow the truth with the highest upper end, over and over; all truths a little before one much.

        The last width is for what the threshold asks for.
        """
        low, high, work = query.low, query.high, query.work
        for width in _WIDTHS if self.has_joint_structure else (WIDTH,):
            fresh = np.ones(len(low), dtype=bool)
            worst = int(high.argmax())
            while high[worst] - low.max() > width and fresh[worst] and work > 0:
                if until_decided and query.is_decided:
                    return
                fresh[worst] = False
                found = self._bound(query, worst, width, min(MAX_WORK, work), until_decided=until_decided)
                low[worst], high[worst] = max(low[worst], found.low), min(high[worst], found.high)
                work -= found.work
                worst = int(high.argmax())
            if width <= WIDTH and query.is_decided:
                return

    def _refute_by_few(self, query: IntervalQuery) -> None:
        """Raise the lower ends of the likeliest truths by a few of their sets, until one is above the limit."""
        if not (self.has_joint_structure and self._is_certain):
            return
        for truth in np.argsort(-query.high, kind="stable")[:_FEW_TRUTHS]:
            family = self.reduced_family(query.requirement, int(truth))
            found = lower_bound_from_subset(family, query.m)
            query.low[truth] = max(query.low[truth], min(found, query.high[truth]))
            if query.is_decided:
                return

    def _prove_by_pairs(self, query: IntervalQuery) -> None:
        """Lower every truth's upper end to the threshold, worst first, up to one that stays above it."""
        high, drawing = query.high, np.flatnonzero(query.m)
        m = query.m[drawing]
        for truth in np.argsort(-high, kind="stable"):
            if not exceeds(float(high[truth]), query.limit):
                return
            seen, p, p_pairs, weights = self._pairs(self._weights, query.requirement, int(truth))
            raised = self._are_raised(query.requirement, int(truth))
            above = bound_above(seen[drawing], p[drawing], p_pairs[drawing], weights, m, raised)
            high[truth] = min(high[truth], above)
            if exceeds(float(high[truth]), query.limit):
                return

    def _bound(
        self, query: IntervalQuery, truth: int, width: float, max_work: float, *, until_decided: bool
    ) -> Bound:
        if self.has_joint_structure:
            family = self.reduced_family(query.requirement, truth)
            limit = query.limit if until_decided else None
            return bound(family, query.m, width=width, max_work=max_work, limit=limit)
        above = self._pairs(self._weights, query.requirement, truth)
        below = above if self._is_certain else self._pairs(self._least, query.requirement, truth)
        sites = self.fed.evidence.reports if isinstance(self.fed.evidence, Reports) else ()
        # Unless all is certain, other labels may occur where nobody looked; of two, pairs determine the unions.
        is_binary = self._is_certain and all(site.n_classes <= 2 for site in sites)
        high = bound_above(*above, query.m, self._are_raised(query.requirement, truth))
        low = bound_below(*below, query.m, is_binary=is_binary)
        return Bound(low=min(low, high), high=high, work=float(len(below[-1]) ** 2))

    def _estimate(self, query: IntervalQuery, effort: Effort) -> None:
        """Estimate all truths that could still be the worst; their intervals share the risk of being wrong.

        A tenth of the draws for all of them first, then all draws for those that this leaves open.
        """
        from fedpact.statistics.karp_luby import estimate

        low, high = query.low, query.high
        still_open = np.flatnonzero((high > low.max()) & (high > low))
        confidence = 1 - effort.risk / (2 * max(1, len(still_open)))
        for share in (max(2, effort.draws // 10), effort.draws):
            for truth in still_open[np.argsort(-high[still_open], kind="stable")]:
                if high[truth] <= low.max():
                    continue
                family = self.reduced_family(query.requirement, int(truth))
                found = estimate(family, query.m, draws=share, rng=effort.rng, confidence=confidence)
                low[truth], high[truth] = max(low[truth], found.low), min(high[truth], found.high)
                low[truth] = min(low[truth], high[truth])

    def _pairs(self, side: Weights, requirement: int, truth: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Return a truth's rates as one side knows them: of seeing, of errors, of pairs; and the weights."""
        weights = side.against_one(truth, requirement)
        some, only = np.flatnonzero(weights), self.truths[truth : truth + 1]
        rates = side.unions(np.append(some, only))[:, :, some]
        seen = rates[:, -1] if self._is_certain else side.rates(only, as_miss=True)[:, 0, some]
        return seen, rates[:, -1], rates[:, :-1], weights[some]

    def _are_raised(self, requirement: int, truth: int) -> Bools | None:
        """(s,) which of a truth's hypotheses have rates that hold only if they are bad; None if no rates are."""
        if self._is_certain:
            return None
        some = np.flatnonzero(self._weights.against_one(truth, requirement))
        return rates_of(self.fed).is_raised(int(self.truths[truth]), some)

    def _family(self, requirement: int, truth: int) -> MissFamily:
        weights = self._weights.against_one(truth, requirement)
        some = np.flatnonzero(weights)
        domain = find_domain(self.fed)
        sets = domain.differ(int(self.truths[truth]))[some]
        return MissFamily(sets=sets, weights=weights[some], mass=domain.mass)

    def reduced_family(self, requirement: int, truth: int) -> MissFamily:
        """Miss family of a requirement against the truth of that number, as small as it gets."""
        key = (requirement, truth)
        if key not in self._families:
            self._families[key] = reduce_family(self._family(requirement, truth))
        return self._families[key]

    def _expansion(self, requirement: int, truth: int) -> Expansion | None:
        """Exact sum of a requirement against the truth of that number, shared by families that are alike."""
        if (requirement, truth) not in self._prints:
            family = self._family(requirement, truth)
            key = self._prints[requirement, truth] = fingerprint(family)
            if key not in self._expansions:
                self._expansions[key] = expand(family)
        return self._expansions[self._prints[requirement, truth]]


AnyEngine: TypeAlias = "Engine | BoundingEngine"


@memoized
def engine_of(fed: Federation) -> AnyEngine:
    """Return the engine of a federation, made once and kept with it; bounds alone if labels may be wrong."""
    if fed.assume == "realizable":
        return Engine(fed)
    from fedpact.statistics.bounding_engine import AgnosticEngine, NoisyEngine

    return AgnosticEngine(fed) if fed.assume == "agnostic" else NoisyEngine(fed)
