"""Halfspaces in any number of features, one point at a time.

Write a point x as the vector v = (x, 1) and a halfspace as the w with w v > 0 inside and w v < 0 outside; on
finitely many points no halfspace needs a point on its border. Let L(V) be the patterns of signs that the w
give the vectors V. Take one more vector v. A pattern of V goes on with either sign at v if and only if some w
of that pattern has w v = 0: such a w lies between one that gives v plus and one that gives it minus, and from
it one gets to both by moving a little along v and against it. To the w with w v = 0 vectors that differ by a
multiple of v are the same; they see the contraction V / v, in one dimension less. So

    L(V + v)  =  every pattern in L(V / v) with both signs at v, and every other pattern in L(V) with the sign
                 that its w gives v.

and each is found once. Of two opposite patterns one is kept; of parallel vectors, whose signs follow from each
other, L(V / v) is given one. L(V / v) is as large as the growth of L(V), so the work follows what is found, and
a class that is too large is noticed as soon as so many patterns are known.

Every pattern comes with its w, in whole numbers, for the decimals that the coordinates print as: nothing is
decided by rounding. A hypothesis is named by its w, rounded to the fewest digits with which the printed
inequality is proved to be right about every point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.hypothesis_class import HypothesisClass, at_most, keep_distinct

Vector: TypeAlias = tuple[int, ...]

_DIGITS = 17
"""So many tell any two doubles apart."""
_TINY = 1e-300
"""Beyond underflow."""


_refuse_above = partial(at_most, what="halfspaces", so_far=True)


def _dot(w: Vector, v: Vector) -> int:
    return sum(map(int.__mul__, w, v))


def _shorten(v: Iterable[int]) -> Vector:
    """Take out common factors."""
    entries = tuple(v)
    factor = math.gcd(*entries) or 1
    return tuple(entry // factor for entry in entries)


def _direct(v: Vector) -> Vector:
    """Make parallel vectors equal."""
    leading = next((entry for entry in v if entry), 1)
    return _shorten(v if leading > 0 else [-entry for entry in v])


def _contract(vectors: Sequence[Vector], v: Vector, pivot: int) -> list[Vector]:
    """Take vectors modulo ``v``, one of those that are parallel, without the coordinate ``pivot``."""
    rest = [place for place in range(len(v)) if place != pivot]
    modulo = (_direct(tuple(v[pivot] * u[place] - u[pivot] * v[place] for place in rest)) for u in vectors)
    return list(dict.fromkeys(modulo))


def _lift(w: Vector, v: Vector, pivot: int) -> Vector:
    """Give back the coordinate ``pivot`` so that w v = 0 and nothing else changes sides."""
    rest = (*v[:pivot], *v[pivot + 1 :])
    lifted = [v[pivot] * entry for entry in w]
    return _shorten([*lifted[:pivot], -_dot(w, rest), *lifted[pivot:]])


def _push(w: Vector, v: Vector, values: Sequence[int], others: Sequence[Vector]) -> tuple[Vector, Vector]:
    """Move ``w`` along ``v`` and against it by a power of 2 that leaves the signs ``values`` of the others."""
    power = min(
        value.bit_length() - (along.bit_length() or value.bit_length()) - 1
        for value, along in zip(values, (_dot(v, other) for other in others), strict=True)
    )
    kept, moved = [entry << max(-power, 0) for entry in w], [entry << max(power, 0) for entry in v]
    return _shorten(map(int.__add__, kept, moved)), _shorten(map(int.__sub__, kept, moved))


def _both_ways(vectors: Sequence[Vector], v: Vector) -> dict[int, tuple[Vector, Vector]]:
    """Patterns of ``vectors`` that leave the sign at ``v`` open, with a w for each of the two signs."""
    pivot = next(place for place, entry in enumerate(v) if entry)
    found = {}
    for contracted in find_patterns(_contract(vectors, v, pivot)).values():
        w = _lift(contracted, v, pivot)
        values = [_dot(w, other) for other in vectors]
        if values[0] < 0:
            w, values = tuple(-entry for entry in w), [-value for value in values]
        pattern = sum(1 << place for place, value in enumerate(values) if value > 0)
        found[pattern] = _push(w, v, values, vectors)
    return found


def find_patterns(vectors: Sequence[Vector]) -> dict[int, Vector]:
    """One of each two opposite patterns of signs, with a w that gives it.

    Parameters
    ----------
    vectors
        Not 0, no two parallel.

    Returns
    -------
    Bit i of a pattern is set where w is positive at vector i; bit 0 always is.
    """
    found = {1: vectors[0]}
    for count, v in enumerate(vectors[1:], 1):
        both, grown = _both_ways(vectors[:count], v), {}
        for pattern, w in found.items():
            if pattern in both:
                grown[pattern | 1 << count], grown[pattern] = both[pattern]
            else:
                grown[pattern | (_dot(w, v) > 0) << count] = w
        found = grown
        _refuse_above(2 * len(found))
    return found


def _to_integers(x: NDArray[np.float64]) -> tuple[list[Vector], Vector]:
    """Whole numbers in the ratio of each feature's decimals, and by what each feature was multiplied."""
    columns, scales = [], []
    for column in x.T.tolist():
        exact = [Fraction(repr(value)) for value in column]
        scales.append(math.lcm(*(value.denominator for value in exact)))
        columns.append([int(value * scales[-1]) for value in exact])
    return list(zip(*columns, strict=True)), tuple(scales)


def independent_features(x: NDArray[np.float64]) -> list[int]:
    """Find features, in order, of which all others are affine functions on the different points ``x`` (n, d).

    Halfspaces of these r features cut out all that halfspaces of all features do. They are 2^r (n - r + 1) at
    least: r + 1 points that span the space have all 2^(r + 1) labelings, and every other point v adds as
    many as its contraction has, where r vectors are independent: 2^r.
    """
    rows, _ = _to_integers(x)
    basis: dict[int, Vector] = {}
    for row in rows:
        rest = tuple(map(int.__sub__, row, rows[0]))
        for pivot, known in basis.items():
            rest = tuple(known[pivot] * a - rest[pivot] * b for a, b in zip(rest, known, strict=True))
        if any(rest):
            basis[next(place for place, entry in enumerate(rest) if entry)] = _shorten(rest)
            _refuse_above(2 ** len(basis) * (len(rows) - len(basis) + 1))
    return sorted(basis)


def _solve_for_first(w: Vector, scales: Vector) -> tuple[list[Fraction], bool]:
    """Write w v > 0 as c x > t or c x < t, in the features' own units with 1 as the first c that is not 0.

    Returns
    -------
    The c and t, and whether it is c x > t.
    """
    own = [entry * scale for entry, scale in zip(w, (*scales, -1), strict=True)]
    leading = next(entry for entry in own if entry)
    return [Fraction(entry, leading) for entry in own], leading > 0


def _to_double(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _round(points: NDArray[np.float64], rule: Sequence[Fraction], is_above: NDArray[np.bool_]) -> list[str]:
    """Round c and t of a rule until c x > t at the ``points`` (n, d + 1) that are above and c x < t at the others.

    Returns
    -------
    Decimals, or fractions where doubles cannot prove it with any number of digits.
    """
    doubles = [_to_double(entry) for entry in rule]
    error = 4 * (points.shape[1] + 2) * np.finfo(float).eps
    for digits in range(1, _DIGITS + 1):
        words = [f"{entry:.{digits}g}" for entry in doubles]
        rounded = np.array(words, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            value, size = points @ rounded, np.abs(points) @ np.abs(rounded)
            if (np.where(is_above, value, -value) > error * size + _TINY).all():
                return words
    return [str(entry) for entry in rule]


def _show_sum(words: Sequence[str], names: Sequence[str]) -> str:
    terms = []
    for word, name in zip(words, names, strict=True):
        size = word.removeprefix("-")
        if size != "0":
            terms.append(f"{'-' if word.startswith('-') else '+'} {'' if size == '1' else size + ' '}{name}")
    return " ".join(terms).removeprefix("+ ")


def _name(
    x: NDArray[np.float64],
    rules: Sequence[tuple[list[Fraction], bool]],
    labels: NDArray[np.bool_],
    names: Sequence[str],
) -> list[str]:
    """Name the two hypotheses on either side of each rule, that of its ``labels`` (B, n) first."""
    points, found = np.column_stack([x, np.full(len(x), -1.0)]), []
    for (rule, up), row in zip(rules, labels, strict=True):
        words = _round(points, rule, row == up)
        sides = (">=", "<=") if up else ("<=", ">=")
        found += [f"{_show_sum(words[:-1], names)} {side} {words[-1]}" for side in sides]
    return found


def separate(x: NDArray[np.float64], names: Sequence[str]) -> HypothesisClass:
    """Find every labelling of the points ``x`` (n, d) by a halfspace.

    Examples
    --------
    >>> made = separate(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), ["age", "dose", "weight"])
    >>> len(made.hypotheses), made.hypotheses[:4]
    (16, ('always', 'never', 'age + 0.5 dose + 3 weight <= 2', 'age + 0.5 dose + 3 weight >= 2'))
    """
    different, where = np.unique(x, axis=0, return_inverse=True)
    rows, scales = _to_integers(different)
    found = find_patterns([(*row, 1) for row in rows])
    patterns = sorted(found, reverse=True)
    places = range(len(rows))
    labels = np.array([[pattern >> place & 1 for place in places] for pattern in patterns], dtype=bool)
    rules = [_solve_for_first(found[pattern], scales) for pattern in patterns[1:]]
    words = ["always", "never", *_name(different, rules, labels[1:], names)]
    both = np.stack([labels, ~labels], axis=1).reshape(-1, len(rows))
    return keep_distinct("halfspaces", both[:, where.ravel()], words)
