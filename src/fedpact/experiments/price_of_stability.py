"""The price of stability of the paper's family, computed, beside the formula that the paper prints.

The paper's theorem on the price of stability builds, for every epsilon, two agents whose best equilibrium is
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from fedpact.comparison.equilibria import equilibria
from fedpact.describe.constructions import price_of_stability
from fedpact.describe.numbers import read_chance, read_number
from fedpact.drawing.figures import draw_lines
from fedpact.errors import FederationError, SolverError

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

NAME = "price-of-stability"
_SECONDS = 600.0
EPSILONS = tuple(f"1/{2**power}" for power in range(3, 11))
DELTA = 0.5
WRONG = (
    "the printed formula counts Alice's coupons in full but not that the optimum pays Bob and her three halves of "
    "log(1/delta)/epsilon: it is about three times too large",
    "with n > 1/(2 epsilon) points, as printed, Alice's masses sum to more than 1; here n = floor(1/(2 epsilon))",
    "the price exceeds 1 only for epsilon below about delta^2/2; for larger epsilon the equilibrium is optimal",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityRow:
    """One instance of the family."""

    epsilon: float
    price: float
    """Cost of the best equilibrium over the optimum, both exact."""
    equilibrium: dict[str, int]
    """The best equilibrium."""
    equilibrium_cost: float
    optimum: float
    printed: float
    """What the paper's formula says."""
    asymptote: float
    """What the price tends to for small epsilon."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> StabilityRow:
        """Read what :meth:`to_dict` wrote."""
        return cls(**entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityCurve:
    """The price of stability against epsilon, beside the paper's formula."""

    rows: tuple[StabilityRow, ...]
    delta: float
    version: str
    """Of fedpact."""

    @property
    def errata(self) -> tuple[str, ...]:
        """What is wrong with the formula as printed."""
        return WRONG

    def plot(self) -> Figure:
        """Draw the computed price beside the printed formula; needs ``fedpact[plot]``."""
        return draw_lines(
            {
                "computed": [row.price for row in self.rows],
                "as the paper prints it": [row.printed for row in self.rows],
                "corrected asymptote": [row.asymptote for row in self.rows],
            },
            x=[1 / row.epsilon for row in self.rows],
            title=f"price of stability, delta = {self.delta:g}",
            x_axis="1 / epsilon",
            y_axis="best equilibrium / optimum",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "experiment": NAME,
            "delta": self.delta,
            "rows": [row.to_dict() for row in self.rows],
            "errata": list(self.errata),
            "version": self.version,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> StabilityCurve:
        """Read what :meth:`to_dict` wrote."""
        rows = tuple(StabilityRow.from_dict(row) for row in entry["rows"])
        return cls(rows=rows, delta=entry["delta"], version=entry["version"])


def _compute(epsilon: float | str, delta: float) -> StabilityRow:
    found = equilibria(price_of_stability(epsilon, delta), time_limit=_SECONDS)
    price = found.price_of_stability
    if price is None or found.best is None or found.optimum is None:
        raise SolverError(
            f"the price at epsilon = {epsilon} is not known exactly", solver_status=found.status.value
        )
    value = read_number(epsilon, "epsilon")
    certainty = math.log(1 / delta)
    return StabilityRow(
        epsilon=value,
        price=price,
        equilibrium=found.best.contributions,
        equilibrium_cost=found.best.cost,
        optimum=found.optimum.high,
        printed=(math.log(1 / value) + certainty) / certainty,
        asymptote=(math.log(1 / (2 * value)) + certainty) / (3 * certainty),
    )


def reproduce_price_of_stability(
    epsilon: Sequence[float | str] = EPSILONS,
    delta: float | str = DELTA,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> StabilityCurve:
    """Compute the price of stability of the paper's family for every epsilon.

    Examples
    --------
    >>> curve = reproduce_price_of_stability(["1/8", "1/16", "1/32"])
    >>> [round(row.price, 3) for row in curve.rows], [row.printed for row in curve.rows]
    ([1.0, 1.176, 1.545], [4.0, 5.0, 6.0])
    """
    if not len(epsilon):
        raise FederationError("epsilon must hold at least one value")
    chance = read_chance(delta, "delta")
    rows = []
    for value in epsilon:
        rows.append(_compute(value, chance))
        if progress is not None:
            progress(len(rows), len(epsilon))
    return StabilityCurve(rows=tuple(rows), delta=chance, version=version("fedpact"))
