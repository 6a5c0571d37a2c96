"""The instances that the paper argues with, corrected where the errata say so, and two where it fails (ERRATA A).

Parameters may be written as fractions in strings (``epsilon="1/1024"``). A cost of 1 makes the cost of a
plan its number of samples; as under the paper's self-sufficiency assumption, meeting a target is then
taken to be worth more than the samples it needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from fedpact.describe.classes import all_labelings
from fedpact.describe.classes import singletons as singletons_class
from fedpact.describe.federation import Federation
from fedpact.describe.hypothesis_class import number_names
from fedpact.describe.numbers import read_in, read_number, read_whole_number, shorten
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError

MAX_POINTS = 5_000
MIN_SUCCESS = 1e-6


def alice_bob(epsilon: float | str = 0.1, delta: float | str = 0.05) -> Federation:
    """Each agent rarely sees what the other sees often, so pooling beats learning alone.

    Alice draws xA with probability 1 - 2 epsilon and xB with 2 epsilon, Bob the other way round, and both
    need both points right. At the defaults five samples are enough, as (2, 3) or (3, 2), while 14 from
    one agent alone are an equilibrium as well.

    Source: Section 3, Alice and Bob, of the paper. The paper leaves the class open; here it is
    all four labelings. Its claim that (1, 1) is optimal needs delta >= 4 epsilon (1 - 2 epsilon) (ERRATA
    B6), which the defaults do not meet.

    Parameters
    ----------
    epsilon
        Tolerated error, above 0 and at most 1/4; it sets the distributions too.
    delta
        Largest probability with which a target may be missed.

    Examples
    --------
    >>> alice_bob(epsilon=0.05).evidence.distributions
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    epsilon = read_in("(]", 0, 1 / 4, epsilon, "epsilon")
    rare = 2 * epsilon
    points = ("xA", "xB")
    return Federation.from_table(
        all_labelings(2, points=points),
        [[1 - rare, rare], [rare, 1 - rare]],
        epsilon=epsilon,
        delta=delta,
        names=["alice", "bob"],
        points=points,
        name="alice-bob",
    )


def no_pure_equilibrium() -> Federation:
    """Three agents in a ring of exact ties: in every pure profile one of them wants to move.

    Each agent cares about one point and its successor sees that point just often enough: whoever
    contributes makes the agent before it stop, whose stopping makes the one before that start. Every
    comparison is an exact tie (1/3 at epsilon, 2/3 at delta), so it also shows what careless rounding
    breaks (ERRATA C1: with >= in place of > it has four equilibria).

    Source: Theorem 6 of the paper (no pure Nash equilibrium), in Appendix C. The paper names no costs; 1/2
    keeps its self-sufficiency assumption (one sample, which is what each agent needs alone, must cost below 1).

    Examples
    --------
    >>> no_pure_equilibrium()
    Federation('no-pure-equilibrium': 3 agents, 8 hypotheses, table, pac, per-agent)
    """
    return Federation.from_table(
        all_labelings(3),
        [["1/3", "2/3", 0], [0, "1/3", "2/3"], ["2/3", 0, "1/3"]],
        cost="1/2",
        epsilon="1/3",
        delta="2/3",
        name="no-pure-equilibrium",
    )


def price_of_stability(epsilon: float | str = 1 / 16, delta: float | str = 0.5) -> Federation:
    """The best equilibrium costs more than the optimum, without bound as epsilon falls.

    Alice's mass lies on n = floor(1 / (2 epsilon)) points, 2 epsilon on each. Hypothesis h0 labels
    everything 0 and h_i labels x_i and z 1, so that one look at z, which only Bob can draw, settles
    whether any x_i is 1. Bob is content with any hypothesis and contributes nothing in every equilibrium;
    Alice then has to collect all n points. The ratio grows like log(1/epsilon): 1.176 at the defaults,
    3.176 at epsilon = 1/1024.

    Source: Theorem 1 of the paper (the price of stability is unbounded). As printed, n > 1 / (2 epsilon)
    makes Alice's masses sum to more than 1 and the stated ratio is about three times too large (ERRATA
    B1); n is rounded down here and the mass that is left, if any, lies on y.

    Parameters
    ----------
    epsilon
        Tolerated error, above 0 and below 1/2; it sets the size of the instance too.
    delta
        Largest probability with which a target may be missed.

    Examples
    --------
    >>> fed = price_of_stability("1/1024")
    >>> fed.H, len(fed.evidence.points)
    (513, 514)
    """  # noqa: D401
    epsilon = read_in("()", 0, 1 / 2, epsilon, "epsilon")
    # The nudge keeps whole what rounding left just below; it moves Alice's total by far less than SUM_TOL.
    n = math.floor(min(1 / (2 * epsilon), 2 * MAX_POINTS) + 1e-10)
    _at_most(n, f"price-of-stability with epsilon = {epsilon:g}")
    labels = np.zeros((n + 1, n + 2), dtype=np.int64)
    labels[1:, :n] = np.eye(n, dtype=np.int64)
    labels[1:, -1] = 1
    left = 1 - 2 * epsilon * n
    alice = [*[2 * epsilon] * n, left if left > 1e-12 else 0, 0]
    bob = [*[0] * n, 1 - epsilon, epsilon]
    return Federation.from_table(
        labels,
        [alice, bob],
        epsilon=epsilon,
        delta=delta,
        names=["alice", "bob"],
        points=(*number_names("x", n), "y", "z"),
        hypotheses=("h0", *number_names("h", n)),
        name="price-of-stability",
    )


def coupon_collector(n: int | str = 6, epsilon: float | str | None = None, delta: float | str = 0.1) -> Federation:
    """One agent has to see every one of n equally likely points.

    Shows the cost of learning alone: about n log(n / delta) samples, a number known in closed form and
    hence a check for every engine.

    Source: Section 2, warm-up example, of the paper. The paper takes all 2^n labelings; here the
    class is the n singletons and the all-negative hypothesis, which has the same failure probability. For
    the all-negative truth (for any truth, among all labelings) the smallest sets on which a bad
    hypothesis can differ are the single points, and missing one of those is the whole failure; a
    singleton as truth is safe as soon as its own point is seen. So n may run into the thousands.

    Parameters
    ----------
    n
        Number of points.
    epsilon
        Tolerated error, below 1/n; 1/(2n) if not given.
    delta
        Largest probability with which the target may be missed.

    Examples
    --------
    >>> coupon_collector(1000)
    Federation('coupon-collector': 1 agent, 1001 hypotheses, table, pac, per-agent)
    """
    n = read_whole_number(n, "n", least=1, most=MAX_POINTS)
    epsilon = 1 / (2 * n) if epsilon is None else read_number(epsilon, "epsilon")
    if not exceeds(1 / n, epsilon):
        raise FederationError(f"epsilon must lie below 1/n = {1 / n:g} for coupon-collector; it is {epsilon:g}")
    return Federation.from_table(
        singletons_class(n),
        [np.full(n, 1 / n)],
        epsilon=epsilon,
        delta=delta,
        name="coupon-collector",
    )


def set_cover(
    universe: int | str = 3, sets: Sequence[Iterable[int]] = ((0, 1), (1, 2), (2,)), m: int | str = 2
) -> Federation:
    """m samples are enough exactly if m of the sets cover the universe: planning is NP-hard.

    Point E_j stands for the j-th set and u_i for element i; h_i labels u_i and every set that contains i
    with 1, h* labels nothing 1. The agent draws the points uniformly and tolerates no wrong point. Since
    1 - delta = |X|^-m, m samples are enough exactly if some sequence of m points tells h* from every h_i,
    and such a sequence gives a cover.

    Source: the proof of Theorem 2 of the paper (planning is NP-hard). As printed, 1 - delta >= |X|^-m, the
    forward claim fails; the direction has to be 0 < 1 - delta <= |X|^-m (ERRATA B2). At the defaults two
    samples fail with probability 7/9, within delta = 35/36.

    Parameters
    ----------
    universe
        Number of elements, called 0, 1, ...
    sets
        The family of sets; together they cover the universe.
    m
        Size of the cover that is asked about; |X|^-m must stay above 1e-6, far from where ties are decided.

    Examples
    --------
    >>> fed = set_cover()
    >>> fed.hypotheses, fed.evidence.points
    (('h*', 'h0', 'h1', 'h2'), ('E1', 'E2', 'E3', 'u0', 'u1', 'u2'))
    """  # noqa: D403
    universe = read_whole_number(universe, "universe", least=1, most=MAX_POINTS)
    family = _read_sets(sets, universe)
    m = read_whole_number(m, "m")
    size = len(family) + universe
    _at_most(size, "set-cover")
    success = float(size) ** -min(m, 400)
    if m < 1 or success < MIN_SUCCESS:
        most = math.floor(-math.log(MIN_SUCCESS) / math.log(size) + 1e-9)
        raise FederationError(
            f"m must lie between 1 and {most} for set-cover with {size} points, so that "
            f"1 - delta = {size}^-m stays above {MIN_SUCCESS:g}; it is {m}"
        )
    in_sets = np.array([[element in members for members in family] for element in range(universe)], dtype=np.int64)
    labels = np.hstack([in_sets, np.eye(universe, dtype=np.int64)])
    return Federation.from_table(
        np.vstack([np.zeros((1, size), dtype=np.int64), labels]),
        [np.full(size, 1 / size)],
        epsilon=1 / (2 * size),
        delta=1 - success,
        points=(*number_names("E", len(family)), *(f"u{element}" for element in range(universe))),
        hypotheses=("h*", *(f"h{element}" for element in range(universe))),
        name="set-cover",
    )


def singletons(n: int | str = 17, epsilon: float | str | None = None, delta: float | str = 0.5) -> Federation:
    """Either agent's report can move the paper's plan by one sample; all targets stay met.

    Each agent is short of its own one of the first two points: with H = n + 1, agent 1 puts mass 1/(2H)^2
    on x1 and 1/(2H) on x2, agent 2 the other way round, and both share the rest equally among the other
    points. Only the pairs (nowhere, x1) and (nowhere, x2) then bind in the paper's program, and the plan
    has room to move one sample either way while every target stays met.

    Source: the construction in the proof of Lemma 1 of the paper (its program is locally oblivious). The
    lemma claims this for all large plans, which cannot be for epsilon > 0; it holds on a bounded region
    and for epsilon below 1/(2H) (ERRATA A6, B4).

    Parameters
    ----------
    n
        Number of points, at least 3; the class has n + 1 hypotheses.
    epsilon
        Tolerated error; 1/(4H) if not given. From 1/(2H) on, the two pairs no longer bind.
    delta
        Largest probability with which a target may be missed.

    Examples
    --------
    >>> singletons()
    Federation('singletons': 2 agents, 18 hypotheses, table, pac, per-agent)
    """
    n = read_whole_number(n, "n", least=3, most=MAX_POINTS)
    rare, less_rare = 1 / (2 * (n + 1)) ** 2, 1 / (2 * (n + 1))
    rest = [(1 - rare - less_rare) / (n - 2)] * (n - 2)
    return Federation.from_table(
        singletons_class(n),
        [[rare, less_rare, *rest], [less_rare, rare, *rest]],
        epsilon=less_rare / 2 if epsilon is None else epsilon,
        delta=delta,
        name="singletons",
    )


def _at_most(points: int, what: str) -> None:
    if points > MAX_POINTS:
        raise FederationError(
            f"{what} would have more than {MAX_POINTS:,} points, the most that examples are built with"
        )


def _read_sets(sets: Sequence[Iterable[int]], universe: int) -> list[frozenset[int]]:
    known = frozenset(range(universe))
    try:
        family = [frozenset(members) for members in sets]
    except TypeError:
        family = []
    if not family or not all(members and members <= known for members in family):
        raise FederationError(
            f"sets must be a sequence of non-empty sets of the elements 0 to {universe - 1}, which can only be "
            f"given in Python; it is {shorten(sets)}"
        )
    uncovered = known.difference(*family)
    if uncovered:
        raise FederationError(f"sets must cover the universe together; element {min(uncovered)} is in none")
    return family


def expected_min_counterexample() -> Federation:
    """The paper's program for expected error, as printed, gives a plan that misses a target.

    The two hypotheses differ at x1, on which agent 1 has mass 6/10 and agent 2 6/100. With the printed
    minimum over the agents the program answers (1, 0), which leaves agent 1 an expected error of 6/25,
    above its 1/10; with the maximum it answers (4, 0) and 48/3125.

    Source: ERRATA A1, on Equation 11, the linear program of the paper's Appendix F. The expected
    objective does not use delta.

    Examples
    --------
    >>> expected_min_counterexample()
    Federation('expected-min-counterexample': 2 agents, 2 hypotheses, table, expected, per-agent)
    """  # noqa: D401
    return Federation.from_table(
        [[0, 0], [1, 0]],
        [["6/10", "4/10"], ["6/100", "94/100"]],
        epsilon="1/10",
        delta="1/20",
        objective="expected",
        hypotheses=("h0", "h1"),
        name="expected-min-counterexample",
    )


def pwyc_not_dominant(cost: float | str = "1/5") -> Federation:
    """Under pay-what-you-contribute truth is not the best answer to another agent's lie.

    Agent 1 never sees x2, the one point where the hypotheses differ, and so does not care. If it
    nevertheless reports 9/10 there, the plan leans on it and truthful agent 2 fails; agent 2 does better
    by reporting 3/4. If a sample of agent 1 costs 1/20 instead of 1/5, its lie also raises what VCG as
    printed leaves it with, from 9/5 to 39/20.

    Source: ERRATA A2 and A3, on the claims of the paper's Section 5 that Equation 5 is strategyproof and
    Equation 6 (VCG) truthful.

    Parameters
    ----------
    cost
        What a sample of agent 1 costs.

    Examples
    --------
    >>> pwyc_not_dominant().cost_of([0, 2])
    0.2
    """
    return Federation.from_table(
        [[0, 0], [0, 1]],
        [[1, 0], ["1/2", "1/2"]],
        cost=[cost, "1/10"],
        epsilon="1/10",
        delta="1/4",
        hypotheses=("h0", "h1"),
        name="pwyc-not-dominant",
    )
