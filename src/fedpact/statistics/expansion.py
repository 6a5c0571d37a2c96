"""The exact value of a miss family, as a signed sum that is built once and evaluated for many m.

    value(m) = sum over unions U of coefficient(U) * prod_j (1 - D_j(U))^m_j

Neither the coefficients nor the masses D_j(U) depend on m. Two builders:

- *lattice*, up to 16 points: F(U) = the largest weight of a set inside U, by a max-zeta transform over all
  2^n subsets; its Moebius inverse is the coefficient.
- *states*, beyond: sets are added one at a time to the signed sum "none of the earlier sets is missed". Equal
  states are merged: a state is the union on the shared points and, for private points (they lie in one set
  only) of equal mass, how many of them. Sets that differ in such a private point alone are added all at once,
  with binomial coefficients. The price-of-stability class with n such sets costs n + 1 states, not 2^n.

Alternating sums cancel: with n private points the terms reach C(n, n/2) times the answer, past doubles at n =
50. Every evaluation in doubles carries an error bound; where it is above ``TOL`` of the value the sum is
    taken again in integers whose length is sized from the largest term.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Floats, Ints, slices
from fedpact.statistics.misses import MissFamily, log_miss, reduce_family

TOL = 1e-10
LATTICE_POINTS = 16
MAX_STATES = 1 << 14
# Weights are multiples of 2^-46, so that coefficients are integers; the value moves by at most as much. Weights
# below 2^-20, which only an epsilon as small can ask for, have more bits, so that each is off by 2^-27 of itself.
WEIGHT_BITS = 46
_SMALL_BITS = 20
_MASS_BITS = 160
_LIMB_BITS = 40
_ROUND_OFF = 2.0**-53
# Terms that are summed at once; more do not fit the cache.
_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Expansion:
    """A signed sum of products of powers.

    Examples
    --------
    Two coins of probability 1/2 each: some side is unseen after three draws with probability 2 / 2^3.

    >>> family = MissFamily(sets=np.eye(2, dtype=bool), weights=np.ones(2), mass=np.array([[0.5, 0.5]]))
    >>> expansion = expand(family)
    >>> expansion.evaluate(np.array([[3.0]]))
    array([0.25])
    """

    coefficients: Ints | NDArray[np.object_]
    """(S,) integers, in units of 2^-weight_bits; Python's where they outgrow 64 bits."""
    content: Ints
    """(S, c) how many points of every kind each union holds."""
    mass: Floats
    """(k, c) mass of every agent on one point of every kind."""
    weight_bits: int = WEIGHT_BITS

    def evaluate(self, m: Floats) -> Floats:
        """(B,) values at the contribution vectors ``m`` (B, k)."""
        value, error = np.empty((2, len(m)))
        for rows in slices(len(m), _AT_ONCE // max(1, len(self.coefficients))):
            value[rows], error[rows] = self._evaluate_in_doubles(m[rows])
        for row in np.flatnonzero(~(error <= TOL * np.abs(value))):
            value[row] = self._evaluate_in_integers(m[row])
        return np.clip(value, 0.0, 1.0)

    @cached_property
    def _doubles(self) -> tuple[Floats, Floats, Floats] | None:
        if int(np.abs(self.coefficients).max(initial=0)).bit_length() > 900:
            return None
        mass = self.content.astype(np.float64) @ self.mass.T
        steepness = np.minimum(mass / np.maximum(1 - mass, _ROUND_OFF), 1e15)
        return self.coefficients.astype(np.float64) * 2.0**-self.weight_bits, log_miss(mass), steepness

    def _evaluate_in_doubles(self, m: Floats) -> tuple[Floats, Floats]:
        if self._doubles is None:
            return np.zeros(len(m)), np.full(len(m), np.inf)
        coefficients, logs, steepness = self._doubles
        exponent = m @ logs.T
        terms = coefficients * np.exp(exponent)
        # A mass is off by about one rounding per kind, an exponent by one per agent, the pairwise sum by a few.
        relative = (1 + self.mass.shape[1]) * (m @ steepness.T) - (len(self.mass) + 2) * exponent + 32
        return terms.sum(axis=1), _ROUND_OFF * (np.abs(terms) * relative).sum(axis=1)

    def _integer_masses(self, agent: int) -> NDArray[np.object_]:
        """(S,) one agent's mass of every union in units of 2^-160, with no rounding but of masses below 2^-108."""
        exact = [int(math.ldexp(mass, _MASS_BITS)) for mass in self.mass[agent]]
        total = np.zeros(len(self.content), dtype=object)
        for shift in range(0, _MASS_BITS + 1, _LIMB_BITS):
            limbs = np.array([(mass >> shift) & ((1 << _LIMB_BITS) - 1) for mass in exact], dtype=np.int64)
            total += (self.content @ limbs).astype(object) << shift
        return total

    def _evaluate_in_integers(self, m: Floats) -> float:
        coefficients = self.coefficients.astype(object)
        longest = int(np.abs(coefficients).sum()).bit_length()
        bits = _MASS_BITS + longest + (2 * int(m.sum()) + len(m) + 1).bit_length()
        one = 1 << bits
        product = np.full(len(coefficients), one, dtype=object)
        for agent in np.flatnonzero(m):
            base = np.maximum(one - (self._integer_masses(int(agent)) << (bits - _MASS_BITS)), 0)
            product = (product * _power(base, int(m[agent]), bits)) >> bits
        return int((coefficients * product).sum()) / (one << self.weight_bits)


def expand(family: MissFamily, max_states: int = MAX_STATES) -> Expansion | None:
    """Build the signed sum of a family, or None if it would need more than ``max_states`` states."""
    if family.sets.shape[1] > LATTICE_POINTS or len(family.sets) <= 1024:
        family = reduce_family(family)
    if family.sets.shape[1] <= LATTICE_POINTS:
        return _expand_lattice(family)
    return _expand_states(family, max_states)


def _weight_bits(weights: Floats) -> int:
    """How many bits after the point the weights need."""
    smallest = float(weights.min(initial=1.0))
    return WEIGHT_BITS + max(0, -math.frexp(smallest)[1] - _SMALL_BITS)


def _integer_weights(weights: Floats) -> Ints | NDArray[np.object_]:
    bits = _weight_bits(weights)
    if bits == WEIGHT_BITS:
        return np.rint(np.ldexp(weights, bits)).astype(np.int64)
    return np.array([round(math.ldexp(weight, bits)) for weight in weights.tolist()], dtype=object)


def _expand_lattice(family: MissFamily) -> Expansion:
    n = family.sets.shape[1]
    weights = _integer_weights(family.weights)
    values = np.zeros(1 << n, dtype=weights.dtype)
    np.maximum.at(values, family.sets @ (1 << np.arange(n)), weights)
    for point in range(n):
        without, with_ = _halves(values, point)
        np.maximum(without, with_, out=with_)
    for point in range(n):
        without, with_ = _halves(values, point)
        with_ -= without
    unions = np.flatnonzero(values)
    return Expansion(
        coefficients=values[unions],
        content=(unions[:, None] >> np.arange(n)) & 1,
        mass=family.mass,
        weight_bits=_weight_bits(family.weights),
    )


def _halves(values: NDArray[Any], point: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """View the values of all subsets without and with ``point``."""
    pairs = values.reshape(-1, 2, 1 << point)
    return pairs[:, 0], pairs[:, 1]


def _expand_states(family: MissFamily, max_states: int) -> Expansion | None:
    layout = _Layout(family)
    none_missed: dict[int, int] = {0: 1}
    total: dict[int, int] = defaultdict(int)
    for (weight, marks, unit), copies in layout.groups.items():
        if len(none_missed) * copies > 4 * max_states:
            return None
        signs = [(-1) ** (j + 1) * math.comb(copies, j) for j in range(1, copies + 1)]
        first_missed: dict[int, int] = defaultdict(int)
        for state, coefficient in none_missed.items():
            for j, sign in enumerate(signs, start=1):
                first_missed[(state | marks) + j * unit] += sign * coefficient
        for state, coefficient in first_missed.items():
            total[state] += weight * coefficient
            left = none_missed.get(state, 0) - coefficient
            if left:
                none_missed[state] = left
            else:
                none_missed.pop(state, None)
        if len(none_missed) > max_states:
            return None
    states = [(state, coefficient) for state, coefficient in total.items() if coefficient]
    return Expansion(
        coefficients=np.array([coefficient for _, coefficient in states], dtype=object),
        content=layout.content([state for state, _ in states]),
        mass=layout.mass,
        weight_bits=_weight_bits(family.weights),
    )


class _Layout:
    """A state packed into one integer: a bit per marked point, above them a counter per kind of private point.

    Private points whose mass vector occurs more than once are counted by kind; all other points are marked.
    """

    def __init__(self, family: MissFamily) -> None:
        private = family.sets.sum(axis=0) == 1
        kinds = Counter(column.tobytes() for column in family.mass.T[private])
        points = zip(private, family.mass.T, strict=True)
        counted = np.array([alone and kinds[column.tobytes()] > 1 for alone, column in points])
        marked = np.flatnonzero(~counted)
        self._n_marked = len(marked)
        repeated = [kind for kind, count in kinds.items() if count > 1]
        self._widths = [kinds[kind].bit_length() for kind in repeated]
        offsets = self._n_marked + np.cumsum([0, *self._widths])
        units = {kind: 1 << int(offset) for kind, offset in zip(repeated, offsets, strict=False)}
        example = {column.tobytes(): column for column in family.mass.T[counted]}
        self.mass = np.column_stack([family.mass[:, marked], *(example[kind][:, None] for kind in repeated)])
        self.groups: Counter[tuple[int, int, int]] = Counter()
        for row, weight in zip(family.sets, _integer_weights(family.weights), strict=True):
            marks = int.from_bytes(np.packbits(row[marked], bitorder="little").tobytes(), "little")
            own = np.flatnonzero(row & counted)
            unit = units[family.mass.T[own[0]].tobytes()] if len(own) else 0
            self.groups[int(weight), marks, unit] += 1

    def content(self, states: list[int]) -> Ints:
        """(S, c) how many points of every kind each state holds."""
        size = (self._n_marked + 7) // 8
        low = (1 << self._n_marked) - 1
        raw = b"".join((state & low).to_bytes(size, "little") for state in states)
        packed = np.frombuffer(raw, dtype=np.uint8).reshape(len(states), size)
        bits = np.unpackbits(packed, axis=1, bitorder="little")[:, : self._n_marked]
        counts = np.zeros((len(states), len(self._widths)), dtype=np.int64)
        shift = self._n_marked
        for kind, width in enumerate(self._widths):
            counts[:, kind] = [(state >> shift) & ((1 << width) - 1) for state in states]
            shift += width
        return np.concatenate([bits.astype(np.int64), counts], axis=1)


def _power(base: NDArray[np.object_], exponent: int, bits: int) -> NDArray[np.object_]:
    """base^exponent in fixed point with ``bits`` fractional bits, rounded down at every step."""
    result = np.full(len(base), 1 << bits, dtype=object)
    while exponent:
        if exponent & 1:
            result = (result * base) >> bits
        exponent >>= 1
        if exponent:
            base = (base * base) >> bits
    return result
