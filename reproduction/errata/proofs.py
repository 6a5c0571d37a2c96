"""Errata B: proofs and formulas that are wrong, and how far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import count, product

import numpy as np

import fedpact as fp
from reproduction.errata.finding import Finding, as_exact, is_near, one_agent
from reproduction.experiment import NO_END
from reproduction.hardness import draw_members, find_smallest_cover
from reproduction.planner_table.table import PAPER


def check_b1() -> Finding:
    """Compute the price of stability where it begins to exceed 1, beside what the paper prints."""
    prices, printed = {}, {}
    for delta, denominator in ((Fraction(1, 2), 16), (Fraction(1, 2), 32), (Fraction(1, 10), 16)):
        found = fp.equilibria(fp.examples.price_of_stability(f"1/{denominator}", float(delta)), time_limit=NO_END)
        key = f"1/{denominator} at {delta}"
        prices[key] = found.price_of_stability or math.nan
        printed[key] = math.log(denominator / delta) / math.log(1 / delta)
    points = 9  # more than 1/(2 epsilon) = 8 of mass 2 epsilon each
    return Finding(
        printed=", ".join(f"{value:.3g} at epsilon = {key}" for key, value in printed.items()),
        found=", ".join(f"{value:.4g} at {key}" for key, value in prices.items())
        + f"; {points} points of mass 2 epsilon at epsilon = 1/16 sum to {points * Fraction(1, 8)}",
        is_confirmed=1.1 < prices["1/16 at 1/2"] < 1.2 and prices["1/16 at 1/10"] == 1,
        values={"price": prices, "printed": printed},
    )


def check_b2() -> Finding:
    """Compare covers of m sets with vectors of m samples, on the example and on drawn families."""
    fed = fp.examples.set_cover()
    seen, exact = fp.verify(fed, [2]), Fraction(7, 9)
    asked = right = 0
    for seed in range(12):
        members = draw_members(seed, [3, 4], 0.5)
        family, cover = [np.flatnonzero(row).tolist() for row in members], find_smallest_cover(members)
        for m in (1, 2, 3, 4):
            asked, right = (
                asked + 1,
                right + (fp.verify(fp.examples.set_cover(3, family, m), [m]).is_feasible == (cover <= m)),
            )
    printed = fp.verify(fed.replace(delta=0.1), [2]).is_feasible
    return Finding(
        printed="if 1 - delta >= n^-m for n points, m samples are enough just if m sets cover all elements",
        found=f"for 1 - delta <= n^-m it is so in {right} of {asked} cases, the example fails with probability "
        f"{exact}; at delta = 1/10 a cover of two sets does not make two samples enough",
        is_confirmed=is_near(seen.failure["agent-1"].high, exact) and right == asked and not printed,
        values={"asked": asked, "right": right, "failure": str(exact)},
    )


def check_b3() -> Finding:
    """Find where the natural logarithm stops being enough as the factor for expected error, and an example."""
    fails_from = next(H for H in count(2) if math.log2(H) > math.log(2 * H))
    H, p, epsilon = 16, Fraction(1001, 10_000), Fraction(1, 5)
    labels = [[0] * H, *([1, *row] for row in np.eye(H - 1, dtype=np.int64).tolist())]
    masses = [p, *[0] * (H - 2), 1 - p]
    quarter = one_agent(labels, masses, epsilon=epsilon / 4, delta=0.5, objective="expected")
    need = fp.game.standalone(quarter)["agent-1"] or 0
    program = math.log(2 * H * p / epsilon) / -math.log(1 - p)
    return Finding(
        printed="the program costs at most ln(2H) times the optimum at epsilon/4",
        found=f"at most log2(2H) times; ln(2H) is too little from H = {fails_from} on: for H = {H} the program "
        f"says {program:.1f}, ln(2H) times the optimum {need} is {math.log(2 * H) * need:.1f}, log2(2H) times is "
        f"{math.log2(2 * H) * need:.0f}",
        is_confirmed=math.log(2 * H) * need < program <= math.log2(2 * H) * need,
        values={"fails_from": fails_from, "optimum": need, "program": program},
    )


def check_b4() -> Finding:
    """Look at (30, 30) for local obliviousness under costs inside and outside the cone of the two binding rows."""
    fed = fp.examples.singletons(epsilon=0.01)
    holds = {
        f"{first}:{second}": fp.mechanism.obliviousness(fed.replace(cost=[first, second]), m=[30, 30]).is_oblivious
        for first, second in ((1, 13), (13, 1), (1, 40))
    }
    return Finding(
        printed="the region is the same for all costs",
        found="at (30, 30) it "
        + ", ".join(f"{'holds' if is_so else 'fails'} at costs {at}" for at, is_so in holds.items()),
        is_confirmed=list(holds.values()) == [True, True, False],
        values={"holds": holds},
    )


def samples_in_region(d: int, risk: float) -> int:
    """Fewest samples for which the double-sample bound of a class of dimension d is at most ``risk``."""

    def bound(n: int) -> float:
        patterns = sum(math.comb(2 * n, t) for t in range(d + 1))
        return math.log(2 * patterns) - (3 * n // 4) * math.log(2)

    return next(n for n in count(1) if bound(n) <= math.log(risk))


def check_b5() -> Finding:
    """Add up the failures in the theorem on infinite classes, and compute its multiplier."""
    delta, N, members, d = 0.1, 10_000, 100, 1
    consistent = delta / 2 + 1 - (1 - delta / N) ** N
    share = (d + math.log(4 * members / delta)) / (d + math.log(2 * members / delta))
    spent = delta / 2 + delta / 4 * (1 + share)
    cases = list(product((1, 2, 5, 10, 20), (1e-2, 1e-3, 1e-4)))
    multiples = [samples_in_region(d, risk) / (d + math.log(1 / risk)) for d, risk in cases]
    return Finding(
        printed=f"failures add up to delta = {delta:g}, and d + log(1/delta'') samples in a region are enough",
        found=f"with gamma = delta/N they add up to {consistent:.3f}, with the printed shares to {spent:.4f} "
        f"(d = {d}, {members} members); the double-sample bound needs {min(multiples):.1f} to "
        f"{max(multiples):.1f} times d + log(1/delta'')",
        is_confirmed=min(consistent, spent) > delta and min(multiples) > 1,
        values={
            "delta": delta,
            "consistent": consistent,
            "spent": spent,
            "members": members,
            "multiples": [min(multiples), max(multiples)],
            "d": [min(d for d, _ in cases), max(d for d, _ in cases)],
            "risk": [min(risk for _, risk in cases), max(risk for _, risk in cases)],
        },
    )


def _find_optima(fed: fp.Federation) -> list[list[int]]:
    """All cheapest vectors of two agents whose samples cost 1."""
    total = round(fp.plan(fed, "exact", time_limit=NO_END).cost)
    splits = [[first, total - first] for first in range(total + 1)]
    return [m for m in splits if fp.verify(fed, m).is_feasible]


def check_b6() -> Finding:
    """Find from which delta on one sample each of Alice and Bob is enough, and what is at a usual one."""
    epsilon = Fraction(1, 10)
    threshold = 4 * epsilon * (1 - 2 * epsilon)
    failure = fp.verify(fp.examples.alice_bob(float(epsilon)), [1, 1]).failure["alice"].high
    optima = {
        str(delta): _find_optima(fp.examples.alice_bob(float(epsilon), float(delta)))
        for delta in (Fraction(1, 20), threshold)
    }
    usual = optima["1/20"]
    return Finding(
        printed="one sample each is the optimum",
        found=f"at epsilon = {epsilon} it is from delta = {threshold} on; at delta = 1/20 the optimum is "
        f"{sum(usual[0])}, as " + " or ".join(str(tuple(m)) for m in usual),
        is_confirmed=is_near(failure, threshold) and optima[str(threshold)] == [[1, 1]] and sum(usual[0]) > 2,
        values={"threshold": str(threshold), "optimum": sum(usual[0]), "optima": usual},
    )


def check_b7() -> Finding:
    """Find the least delta at which the theorem allows every ratio of the paper's table."""
    least = {H: math.exp(-math.log(H) / (ratio - 1)) for H, ratio in PAPER.items()}
    tightest = max(least, key=lambda H: least[H])
    usual = 1 + math.log(tightest) / math.log(10)
    return Finding(
        printed="the ratios of the table are consistent with the theorem; delta is not stated",
        found=f"they are only for delta of {least[tightest]:.3f} or more; at delta = 0.1 the theorem allows "
        f"{usual:.2f} for H = {tightest}, and the table has {PAPER[tightest]:.2f}",
        is_confirmed=PAPER[tightest] > usual,
        values={"least_delta": least[tightest], "H": tightest, "ratio": PAPER[tightest], "allowed": usual},
    )


def find_rates(benefit: Sequence[float], m: int) -> tuple[float, float]:
    """Least and greatest rate at which ``m`` maximises benefit(m) - rate * m; none is if the least is greater.

    The proof of Appendix B, binary payoffs, is stationarity, which is not enough unless the benefit A is concave
    (its "A = rate * m" is a misprint of A - rate * m). On whole samples m is optimal at a rate if

        (A(m') - A(m)) / (m' - m)  <=  rate  <=  (A(m) - A(l)) / (m - l)     for all l < m < m'.

    Examples
    --------
    >>> find_rates([1 - 0.5**m for m in range(40)], 3)
    (0.0625, 0.125)
    """
    slopes = {other: (benefit[m] - benefit[other]) / (m - other) for other in range(len(benefit)) if other != m}
    larger = (slope for other, slope in slopes.items() if other > m)
    smaller = (slope for other, slope in slopes.items() if other < m)
    return max(larger, default=0.0), min(smaller, default=math.inf)


def check_b8() -> Finding:
    """Draw four coupons: success is convex where it reaches the target, and no rate makes that the best choice."""
    fed = fp.examples.coupon_collector(4, delta=0.8)
    success = [1 - fp.verify(fed, [m]).failure["agent-1"].high for m in range(40)]
    need = fp.game.standalone(fed)["agent-1"] or 0
    lowest, highest = find_rates(success, need)
    steps = [as_exact(success[m]) for m in (4, 5, 6)]
    return Finding(
        printed="every threshold optimum maximises some quasi-linear utility",
        found=f"{need} draws are the fewest with which all of four coupons are seen with probability 1/5, and the "
        f"best at no rate: 4, 5 and 6 succeed with probability {', '.join(str(float(step)) for step in steps)}",
        is_confirmed=lowest > highest and steps[1] - steps[0] < steps[2] - steps[1],
        values={"need": need, "success": [float(step) for step in steps]},
    )


def check_b9() -> Finding:
    """Compare the program under a quadratic cost with the bound that the proof scales."""
    fed = fp.Federation.from_table(
        [[0, 0], [0, 1], [1, 0], [1, 1]], [["1/2", "1/2"]], epsilon=0.1, delta=0.1, cost={"quadratic": [0, 1]}
    )
    program = fp.plan(fed, "lp").fractional_cost or math.nan
    single = fed.cost_of([math.log(fed.delta) / math.log(1 / 2)])
    factor = 1 + math.log(fed.H) / math.log(1 / fed.delta)
    return Finding(
        printed=f"the program costs at most {factor:.2f} times the bound from single pairs, for convex costs too",
        found=f"for quadratic costs the bound is {single:.2f} and the program {program:.2f}, "
        f"{program / single:.2f} times it: the factor squared",
        is_confirmed=factor * single < program and is_near(program / single, factor**2),
        values={"factor": factor, "program": program, "bound": single},
    )
