"""The tests of single pairs in fractions, counted out: slow, and independent of the fast engine."""

from fractions import Fraction
from itertools import product
from math import comb, prod


def mass(m, x, p):
    p = Fraction(p)
    return comb(m, x) * p**x * (1 - p) ** (m - x)


def upper(m, x, p):
    return sum((mass(m, c, p) for c in range(max(x, 0), m + 1)), Fraction(0))


def lower(m, x, p):
    return sum((mass(m, c, p) for c in range(min(x, m) + 1)), Fraction(0))


def p_value(m, x, p, tolerance=0):
    high, low = min(Fraction(1), p + tolerance), max(Fraction(0), p - tolerance)
    return min(Fraction(1), 2 * min(upper(m, x, high), lower(m, x, low)))


def region(m, p, cutoff, tolerance=0):
    """Counts whose p-value is at most the cutoff."""
    return {x for x in range(m + 1) if p_value(m, x, p, tolerance) <= cutoff}


def size(m, p, cutoff, tolerance=0):
    """Chance, at most, of a p-value of at most the cutoff: each tail at the rate that makes it likeliest."""
    high, low = min(Fraction(1), p + tolerance), max(Fraction(0), p - tolerance)
    large = [mass(m, x, high) for x in range(m + 1) if 2 * upper(m, x, high) <= cutoff]
    small = [mass(m, x, low) for x in range(m + 1) if 2 * lower(m, x, low) <= cutoff]
    return sum(large + small, Fraction(0))


def largest_cutoff(m, rates, level, tolerance=0):
    """The largest p-value that occurs and at which all sizes sum to at most the level; -1 if none does."""
    values = sorted({p_value(m, x, p, tolerance) for p in rates for x in range(m + 1)})
    allowed = [v for v in values if v < 1 and sum(size(m, p, v, tolerance) for p in rates) <= Fraction(level)]
    return allowed[-1] if allowed else Fraction(-1)


def chance_of_samples(masses, m, is_flagged):
    """Chance that m samples drawn from the masses are flagged: every sample, one by one."""
    total = Fraction(0)
    for drawn in map(list, product(range(len(masses)), repeat=m)):
        chance = prod((masses[x] for x in drawn), start=Fraction(1))
        if chance and is_flagged(drawn):
            total += chance
    return total
