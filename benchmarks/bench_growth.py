"""How seconds and memory grow with hypotheses (H), agents (k), points (n) and strategies, beside the competitors.

A line is one way to do one thing, measured at rising sizes until one takes more than PATIENCE seconds, or the way
stops with an error of its own: so every line ends where it gets slow, and competitors where they do. Its exponent
is the slope of log seconds over log size at its largest sizes. Input is built before the clock starts; ours and
theirs are medians of three, or fewer where a run is slow. *program* is the fractional optimum from counted
disagreements, which is also what the general solvers do; *plan* is everything from the predictions to whole
samples with proof and lower bound.

Memory is what numpy and Python hold at the most, by `tracemalloc`; what a solver written in C++ holds is not in
it.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import fedpact as fp
from bench_counts import draw
from bench_game import brute, mask, payoff_tensors, search
from bench_mixed import pivot_by_nashpy, pivot_from_everywhere, pivot_once, solve, solve_ours
from bench_plan import (
    Predictions,
    counted,
    pair_rates,
    solve_by_highs,
    solve_by_linprog,
    solve_by_shared_terms,
    solve_convex,
    solve_lp,
)
from brute_force import enumerate_failures
from digits import checkpoint_federation
from fedpact.describe.ties import exceeds
from fedpact.statistics.count_disagreements import count_disagreements
from fedpact.statistics.engine import engine_of
from instances import federation_of, noisy_models, random_table, rare_cases, vote
from machine import say_machine
from results_pages import keep, read
from timing import Work, repeat

PATIENCE = 6.0
"""Seconds at one size after which a line ends."""
FITTED = 4
"""Sizes that an exponent is fitted to."""
SECONDS, MEMORY = "seconds", "MB"


@dataclass(frozen=True)
class Line:
    """One way to do one thing, at rising sizes."""

    over: str
    panel: str
    label: str
    is_ours: bool
    sizes: Sequence[int]
    prepare: Callable[[int], Any]
    call: Callable[[Any], Any]
    unit: str = SECONDS


def trace_memory(call: Callable[[Any], Any], given: Any) -> float:
    """Most memory that a call holds beyond its input, in MB."""
    tracemalloc.start()
    try:
        call(given)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def measure(line: Line) -> list[float]:
    """Seconds or MB at each size, as far as it goes."""
    found: list[float] = []
    line.call(line.prepare(line.sizes[0]))  # compiles
    for size in line.sizes:
        try:
            timed = repeat(Work(line.call, lambda size=size: line.prepare(size)), times=3)
            value = timed.seconds
            if line.unit == MEMORY:
                value = trace_memory(line.call, line.prepare(size))
        except (ValueError, RuntimeWarning):  # nashpy's tableau overflows
            if line.is_ours:
                raise
            break
        found.append(value)
        if timed.seconds > PATIENCE:
            break
    return found


def fit(sizes: Sequence[int], values: Sequence[float]) -> float | None:
    """Slope of the logarithms at the largest sizes; None if there are fewer than three."""
    if len(values) < 3:
        return None
    x, y = np.log(sizes[: len(values)])[-FITTED:], np.log(values)[-FITTED:]
    return float(np.polyfit(x, y, 1)[0])


def asked(fed: fp.Federation) -> tuple[fp.Federation, list[int]]:
    """Ask about a dozen samples of each of the first three agents."""
    return fed, [12] * min(3, fed.k) + [0] * max(0, fed.k - 3)


def verify(given: tuple[fp.Federation, Sequence[int]]) -> fp.Verification:
    return fp.verify(*given)


def enumerate_sets(given: tuple[fp.Federation, Sequence[int]]) -> Any:
    return enumerate_failures(*given)


def try_by_cost(fed: fp.Federation) -> Any:
    """Ask about all vectors of two agents with 0, 1, 2, ... samples until one meets both targets."""
    engine = engine_of(fed)
    for total in count():
        m = np.column_stack([np.arange(total + 1), total - np.arange(total + 1)])
        is_met = ~exceeds(engine.decide(m, [0, 1])[1], fed.delta).any(axis=1)
        if is_met.any():
            return m[is_met.argmax()]


def planned(H: int) -> tuple[fp.Federation, Sequence[int]]:
    """Describe two sites anew, with a plan to verify."""
    predictions = noisy_models(H, 2, 200)
    return federation_of(predictions), fp.plan(federation_of(predictions), "union").m


def opened(H: int) -> tuple[fp.Selector, Any]:
    """Begin to label one site, where a proof is far; labels are what most candidates say."""
    predictions = noisy_models(H, 1, 5000)
    fed = federation_of(predictions).replace(epsilon=0.001)
    return fp.Selector(fed, assume="agnostic", max_labels=100), vote(predictions["site-0"])


def label(given: tuple[fp.Selector, Any]) -> None:
    """Ask and tell a label at a time, until there are 100 or nothing is left to ask."""
    selector, labels = given
    while asked := selector.ask():
        for site, points in asked.items():
            selector.tell(site, points, labels[points])


def plan_by(method: str) -> Callable[[Predictions], fp.Plan]:
    return lambda predictions: fp.plan(federation_of(predictions), method)


def from_rates(call: Callable[..., float]) -> Callable[[Any], float]:
    return lambda given: call(*given)


def rates_and_sizes(predictions: Predictions) -> tuple[Any, int, int]:
    return pair_rates(predictions), len(next(iter(predictions.values()))), len(predictions)


def lines_of_programs(
    over: str, panel: str, sizes: Sequence[int], draw: Callable[[int], Predictions]
) -> list[Line]:
    """Lines of `lp` and `union`, and the general solvers on the same programs."""

    def rates(size: int) -> tuple[Any, int, int]:
        return rates_and_sizes(draw(size))

    def count(size: int) -> fp.Federation:
        return counted(draw(size))

    lp, union = f"lp, {panel}", f"union, {panel}"
    return [
        Line(over, lp, "lp, plan", True, sizes, draw, plan_by("lp")),
        Line(over, lp, "lp, program", True, sizes, count, solve_lp),
        Line(over, lp, "linprog, all pairs", False, sizes, rates, from_rates(solve_by_linprog)),
        Line(over, lp, "CVXPY with HiGHS, all pairs", False, sizes, rates, from_rates(solve_by_highs)),
        Line(over, union, "union, plan", True, sizes, draw, plan_by("union")),
        Line(over, union, "union, program", True, sizes, count, solve_convex),
        Line(over, union, "CVXPY with Clarabel", False, sizes, rates, from_rates(solve_by_shared_terms)),
    ]


def lines_over_H() -> list[Line]:
    def networks(H: int) -> fp.Federation:
        return checkpoint_federation("networks", H, 2, 0.05)

    counting, optimum, enough = "counting, 1,000 points", "optimum, 2 sites of digits", "verify, 2 sites"
    labelling = "100 labels, nothing assumed, 5,000 points"
    sizes, few = (500, 1000, 2000, 4000, 8000), (6, 12, 18, 27, 38, 54)
    return [
        *lines_of_programs(
            "H", "20 sites", (60, 125, 250, 500, 1000, 2000, 4000), lambda H: noisy_models(H, 20, 200)
        ),
        Line("H", optimum, "tree", True, few, networks, lambda fed: fp.plan(fed, "tree")),
        Line("H", optimum, "exact", True, few, networks, lambda fed: fp.plan(fed, "exact", time_limit=60)),
        Line("H", optimum, "every vector by its cost", False, few, networks, try_by_cost),
        Line("H", counting, "fedpact", True, sizes, lambda H: draw(H, 1000), count_disagreements),
        Line("H", counting, "scipy's pdist", False, sizes, lambda H: draw(H, 1000), lambda x: pdist(x, "hamming")),
        Line("H", enough, "verify, at a plan", True, (10, 20, 40, 80, 160, 320), planned, verify),
        Line("H", labelling, "ask and tell", True, (10, 30, 100, 300, 1000), opened, label),
    ]


def lines_over_k() -> list[Line]:
    def few(k: int) -> fp.Federation:
        return rare_cases(10, k, delta=0.3)

    def table(k: int) -> tuple[fp.Federation, list[int]]:
        return asked(random_table(14, 24, k))

    pure, enough = "pure equilibria, about 20 strategies", "verify exactly, 14 points"
    return [
        *lines_of_programs("k", "50 hypotheses", (10, 30, 100, 1000, 10_000), lambda k: noisy_models(50, k, 40)),
        Line("k", pure, "fedpact", True, (2, 3, 4, 5, 6), few, search),
        Line("k", pure, "payoff tensor, numpy", False, (2, 3, 4, 5), few, mask),
        Line("k", enough, "verify", True, (3, 6, 12, 24, 48), table, verify),
        Line("k", enough, "every set of seen points", False, (3, 6, 12, 24, 48), table, enumerate_sets),
    ]


def lines_over_n() -> list[Line]:
    def table(n: int) -> tuple[fp.Federation, list[int]]:
        return asked(random_table(n, 24, 3))

    def labels(n: int) -> np.ndarray:
        return draw(300, n)

    def by_pdist(labels: np.ndarray) -> np.ndarray:
        return pdist(labels, "hamming")

    counting, memory, enough = "counting, 300 hypotheses", "memory of counting", "verify exactly, 24 hypotheses"
    plans, sizes, few = "plans, 50 hypotheses, 10 sites", (1000, 10_000, 100_000, 1_000_000), (8, 12, 16, 20, 24)
    return [
        Line("n", counting, "fedpact", True, sizes, labels, count_disagreements),
        Line("n", counting, "scipy's pdist", False, sizes[:-1], labels, by_pdist),
        Line("n", memory, "fedpact", True, sizes, labels, count_disagreements, MEMORY),
        Line("n", memory, "scipy's pdist", False, sizes[:-1], labels, by_pdist, MEMORY),
        Line("n", enough, "verify", True, few, table, verify),
        Line("n", enough, "every set of seen points", False, few[:-1], table, enumerate_sets),
        *(
            Line(
                "n",
                plans,
                method,
                True,
                (100, 1000, 10_000, 100_000),
                lambda n: noisy_models(50, 10, n),
                plan_by(method),
            )
            for method in ("lp", "union")
        ),
    ]


def lines_over_strategies() -> list[Line]:
    def three(size: int) -> fp.Federation:
        return rare_cases(size, 3)

    def two(size: int) -> fp.Federation:
        return rare_cases(size, 2)

    pure, memory, mixed = (
        "pure equilibria, 3 agents",
        "memory, pure equilibria, 3 agents",
        "mixed equilibria, 2 agents",
    )
    sizes, few = (60, 120, 240, 480, 960), (60, 90, 120)
    return [
        Line("strategies", pure, "fedpact", True, sizes, three, search),
        Line("strategies", pure, "payoff tensor, numpy", False, few, three, mask),
        Line("strategies", pure, "payoff tensor, QuantEcon", False, few, three, brute),
        Line("strategies", memory, "fedpact", True, sizes[:-1], three, search, MEMORY),
        Line("strategies", memory, "payoff tensor", False, few, three, payoff_tensors, MEMORY),
        Line("strategies", mixed, "fedpact", True, sizes, two, solve_ours),
        Line("strategies", mixed, "QuantEcon, one start", False, sizes, two, solve(pivot_once)),
        Line("strategies", mixed, "QuantEcon, all starts", False, sizes, two, solve(pivot_from_everywhere)),
        Line("strategies", mixed, "nashpy, one start", False, sizes, two, solve(pivot_by_nashpy)),
    ]


LINES = [*lines_over_H(), *lines_over_k(), *lines_over_n(), *lines_over_strategies()]


def name_line(line: Line) -> tuple[str, str, str]:
    return line.over, line.panel, line.label


@pytest.fixture(scope="module")
def growth() -> Iterator[dict[tuple[str, str, str], dict[str, Any]]]:
    """Lines measured anew; kept in the place of those measured before, so that some can be run alone."""
    measured: dict[tuple[str, str, str], dict[str, Any]] = {}
    yield measured
    before = read("growth").get("lines", [])
    kept = {(line["over"], line["panel"], line["label"]): line for line in before} | measured
    lines = [kept[name_line(line)] for line in LINES if name_line(line) in kept]
    keep("growth", {"command": "make bench", "machine": say_machine(), "patience": PATIENCE, "lines": lines})


@pytest.mark.parametrize("line", LINES, ids=lambda line: "-".join(name_line(line)).replace(" ", "-"))
def test_growth(line, growth):
    values = measure(line)
    sizes, exponent = list(line.sizes[: len(values)]), fit(line.sizes, values)
    said = {key: getattr(line, key) for key in ("over", "panel", "label", "is_ours", "unit")}
    growth[name_line(line)] = said | {"sizes": sizes, "values": values, "exponent": exponent}
    shown = ", ".join(f"{size:,}: {value:.3g}" for size, value in zip(sizes, values, strict=True))
    slope = "" if exponent is None else f", exponent {exponent:.2f}"
    print(f"\n{line.panel}, {line.label}, {line.unit} over {line.over}: {shown}{slope}", end="", flush=True)
