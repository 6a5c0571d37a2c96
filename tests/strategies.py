"""Random tiny federations with everything that is easy to get wrong.

Points nobody or everybody draws, duplicate hypotheses, one hypothesis alone, p = 1, epsilon of 0 and 1, and
thresholds that sit exactly on a value that occurs.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

import fedpact as fp
from oracle import Instance, answer

KINDS = ("table", "predictions", "reports")
EPSILONS = tuple(map(Fraction, ("0", "1/20", "1/8", "1/3", "1")))
DELTAS = tuple(map(Fraction, ("1/20", "1/8", "1/3", "9/10")))
MOST_DRAWS = {1: 6, 2: 4, 3: 2}


@dataclass(frozen=True)
class Case:
    """A federation, the same in fractions, and a contribution vector to ask about."""

    instance: Instance
    m: tuple[int, ...]
    kind: str = "table"
    objective: str = "pac"
    guarantee: str = "per-agent"

    @property
    def k(self):
        return len(self.m)

    @property
    def cost(self):
        return tuple(range(1, self.k + 1))

    def build(self):
        options = {
            "epsilon": list(self.instance.epsilon),
            "delta": self.instance.delta,
            "cost": list(self.cost),
            "objective": self.objective,
            "guarantee": self.guarantee,
        }
        if self.kind == "table":
            return fp.Federation.from_table(self.instance.labels, self.instance.distributions, **options)
        own = {f"agent-{i + 1}": self._own_points(i) for i in range(self.k)}
        if self.kind == "predictions":
            return fp.Federation.from_predictions(own, **options)
        return fp.Federation.from_reports([report_of(name, labels) for name, labels in own.items()], **options)

    def _own_points(self, agent):
        drawn = np.flatnonzero(self.instance.distributions[agent])
        return np.array(self.instance.labels)[:, drawn]


def report_of(name, labels):
    """What a site that sees ``labels`` (H, n) reports: counted pair by pair."""
    counts = [int((labels[h] != labels[g]).sum()) for h, g in combinations(range(len(labels)), 2)]
    n_classes = len(np.unique(labels))
    return fp.Report(name=name, n=labels.shape[1], n_classes=n_classes, counts=np.array(counts, dtype=np.int64))


@st.composite
def label_rows(draw, n, most_classes):
    classes = draw(st.integers(1, most_classes))
    row = st.tuples(*[st.integers(0, classes - 1)] * n)
    rows = draw(st.lists(row, min_size=1, max_size=6))
    if len(rows) > 1 and draw(st.booleans()):
        rows[-1] = rows[0]
    return tuple(rows)


@st.composite
def distribution_rows(draw, n):
    shares = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    return tuple(Fraction(share, sum(shares)) for share in shares)


@st.composite
def tables(draw, k, most_classes):
    n = draw(st.integers(1, 5))
    return draw(label_rows(n, most_classes)), tuple(draw(distribution_rows(n)) for _ in range(k))


@st.composite
def own_points(draw, k, most_classes):
    """Every agent has points of its own and draws them uniformly."""
    sizes = [draw(st.integers(1, 6 - k)) for _ in range(k)]
    n = sum(sizes)
    rows = []
    for agent, size in enumerate(sizes):
        before = sum(sizes[:agent])
        rows.append(tuple(Fraction(before <= x < before + size, size) for x in range(n)))
    return draw(label_rows(n, most_classes)), tuple(rows)


@st.composite
def cases(draw, kind="table", objective="pac", guarantee="per-agent", most_classes=3):
    k = draw(st.integers(1, 3))
    m = tuple(draw(st.integers(0, MOST_DRAWS[k])) for _ in range(k))
    labels, distributions = draw((tables if kind == "table" else own_points)(k, most_classes))
    loose = Instance(labels, distributions, (Fraction(0),) * k, Fraction(1, 2))
    epsilon = draw(st.tuples(*(st.sampled_from(_epsilons(loose, m, agent, objective)) for agent in range(k))))
    asked = Instance(labels, distributions, epsilon, Fraction(1, 2))
    delta = draw(st.sampled_from(_deltas(asked, m)))
    return Case(Instance(labels, distributions, epsilon, delta), m, kind, objective, guarantee)


def _epsilons(instance, m, agent, objective):
    """Fixed ones, and those that tie: rates that occur, or the expected error itself."""
    H = range(len(instance.labels))
    if objective == "expected":
        return [*EPSILONS, *sorted({row[agent] for row in answer(instance, m).error})]
    return [*EPSILONS, *sorted({instance.rate(agent, h, g) for h in H for g in H})]


def _deltas(instance, m):
    seen = answer(instance, m)
    ties = {max(row) for row in seen.failure} | set(seen.joint)
    return [*DELTAS, *sorted(delta for delta in ties if 0 < delta < 1)]


@dataclass(frozen=True)
class Family:
    """Sets whose being missed costs their weight."""

    sets: tuple[tuple[bool, ...], ...]
    weights: tuple[Fraction, ...]
    mass: tuple[tuple[Fraction, ...], ...]
    m: tuple[int, ...]

    @property
    def arrays(self):
        return {
            "sets": np.array(self.sets, dtype=bool),
            "weights": np.array(self.weights, dtype=float),
            "mass": np.array(self.mass, dtype=float),
        }


@st.composite
def families(draw, most_sets=6, equal_weights=False):
    """Non-empty sets over a few points; an agent's mass need not sum to one."""
    k, n = draw(st.integers(1, 2)), draw(st.integers(1, 5))
    sets = draw(st.lists(st.tuples(*[st.booleans()] * n).filter(any), min_size=1, max_size=most_sets))
    weight = st.just(Fraction(1)) if equal_weights else st.sampled_from([Fraction(w, 4) for w in (1, 2, 3, 4)])
    mass = [draw(distribution_rows(n + 1))[:n] for _ in range(k)]
    return Family(
        sets=tuple(sets),
        weights=tuple(draw(weight) for _ in sets),
        mass=tuple(mass),
        m=tuple(draw(st.integers(0, MOST_DRAWS[k])) for _ in range(k)),
    )


def rates_of(labels, masses):
    """(H, H) rates, summed point by point."""

    def rate(h, g):
        return float(sum(mass for a, b, mass in zip(h, g, masses, strict=True) if a != b))

    return [[rate(h, g) for g in labels] for h in labels]
