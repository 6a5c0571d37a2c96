"""The price of stability of the paper's family, computed, beside the formula that the paper prints.

Theorem 1 of the paper builds, for every epsilon, two agents whose best equilibrium is
dear: Bob contributes nothing in any equilibrium, so Alice has to collect all her points, while one look at
Bob's data would settle most. It prints

    price of stability = (log(1/epsilon) + log(1/delta)) / log(1/delta).

Here both sides of the ratio are computed on the instance itself: all pure equilibria by search and the optimum
by branch and bound, each with the exact failure probability. The printed formula is about three times too
large (ERRATA B1): in the optimum Bob's look costs log(1/delta)/epsilon and Alice's share half as much, three
halves in all, while Alice alone needs (log(1/(2 epsilon)) + log(1/delta))/(2 epsilon). So the ratio tends to

    (ln(1/(2 epsilon)) + ln(1/delta)) / (3 ln(1/delta)),

and it exceeds 1 only for epsilon below about delta^2 / 2. That it grows without bound for fixed delta stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import fedpact as fp
from reproduction.experiment import NO_END, Answer, Arrays, Experiment, Settings, Stage, Table, Task
from reproduction.figures import Figure, draw_lines
from reproduction.values import read_chance, read_number

WRONG = (
    "the printed formula counts Alice's coupons in full but not that the optimum pays Bob and her three halves of "
    "log(1/delta)/epsilon: it is about three times too large",
    "with n > 1/(2 epsilon) points, as printed, Alice's masses sum to more than 1; here n = floor(1/(2 epsilon))",
    "the price exceeds 1 only for epsilon below about delta^2/2; for larger epsilon the equilibrium is optimal",
)


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    if not settings["epsilon"]:
        raise fp.FederationError("epsilon must hold at least one value; it is empty")
    delta = read_chance(settings["delta"], "delta")
    for epsilon in settings["epsilon"]:
        fp.examples.price_of_stability(epsilon, delta)
    return [Task({"epsilon": epsilon, "delta": delta}) for epsilon in settings["epsilon"]]


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    delta, epsilon = cell["delta"], read_number(cell["epsilon"], "epsilon")
    found = fp.equilibria(fp.examples.price_of_stability(cell["epsilon"], delta), time_limit=NO_END)
    if found.price_of_stability is None or found.best is None or found.optimum is None:
        raise fp.errors.SolverError(
            f"the price at epsilon = {cell['epsilon']} is not known exactly", solver_status=found.status.value
        )
    certainty = math.log(1 / delta)
    return {
        "epsilon": epsilon,
        "price": found.price_of_stability,
        "equilibrium": dict(found.best.contributions),
        "equilibrium_cost": found.best.cost,
        "optimum": found.optimum.high,
        "printed": (math.log(1 / epsilon) + certainty) / certainty,
        "asymptote": (math.log(1 / (2 * epsilon)) + certainty) / (3 * certainty),
    }


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    return {"delta": read_chance(settings["delta"], "delta"), "rows": answers[0], "errata": list(WRONG)}


def _as_fraction(value: float) -> str:
    """Write 1/n where it is that.

    Examples
    --------
    >>> _as_fraction(0.0625), _as_fraction(0.3)
    ('1/16', '0.3')
    """
    inverse = round(1 / value)
    return f"1/{inverse}" if abs(value * inverse - 1) < 1e-12 else f"{value:.6g}"


def _tabulate(results: Mapping[str, Any]) -> list[Table]:
    columns = ("epsilon", "best equilibrium", "optimum", "price of stability", "as printed", "asymptote")
    rows = [
        (
            _as_fraction(row["epsilon"]),
            f"{row['equilibrium_cost']:.6g}",
            f"{row['optimum']:.6g}",
            f"{row['price']:.3f}",
            f"{row['printed']:.3f}",
            f"{row['asymptote']:.3f}" if row["asymptote"] >= 1 else "-",
        )
        for row in results["rows"]
    ]
    return [Table(f"The price of stability of the paper's family, delta = {results['delta']:g}", columns, rows)]


def _conclude(results: Mapping[str, Any]) -> list[str]:
    return [f"as printed (ERRATA B1): {sentence}" for sentence in results["errata"]]


def _draw(results: Mapping[str, Any]) -> Figure:
    rows = results["rows"]
    return draw_lines(
        {
            "computed": [row["price"] for row in rows],
            "as the paper prints it": [row["printed"] for row in rows],
            "corrected asymptote": [row["asymptote"] for row in rows],
        },
        x=[1 / row["epsilon"] for row in rows],
        title=f"price of stability, delta = {results['delta']:g}",
        x_axis="1 / epsilon",
        y_axis="best equilibrium / optimum",
    )


PRICE_OF_STABILITY = Experiment(
    name="price-of-stability",
    about="What the best equilibrium costs beside the optimum, on the paper's family, and what the paper prints.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=_tabulate,
    conclude=_conclude,
    draw=_draw,
)
