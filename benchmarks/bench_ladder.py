"""How far above the proven optimum each planner is, on predictions of real models.

The hypotheses are checkpoints of small networks on the digits of scikit-learn (`digits.py`), two or three sites
see the digits differently, epsilon is 0.1 and a sample costs 1, so that costs are samples. `lp`, `union` and
`tree` stand beside `exact`. At delta = 0.05 and a proven optimum `tree` may be above it by 5% or one sample,
whichever is more, and `union` by 15% or two samples. The latter holds for networks and not for whole runs, whose
late checkpoints are missed together: there the cheapest vector with a sum below delta is itself up to a third
above the optimum, so it is only shown. At delta = 0.4, where the paper's own figures lie, nothing is asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

import fedpact as fp
from digits import checkpoint_federation
from ladder_page import METHODS, say
from results_pages import keep

Row = dict[str, object]

SIZES = (5, 10, 15, 20, 25, 27, 50)
CASES = [
    *(("networks", 2, 0.05, H, 300.0) for H in SIZES),
    *(("networks", 3, 0.05, H, 60.0) for H in SIZES[:-1]),
    *(("runs", 2, 0.05, H, 300.0) for H in SIZES),
    *(("runs", 3, 0.05, H, 60.0) for H in SIZES[:-1]),
    *(("networks", 2, 0.4, H, 60.0) for H in SIZES[:-1]),
]
"""Family, sites, delta, hypotheses, and seconds for the exact search."""
_TREE = {"tree": (0.05, 1)}
_BOTH = {"union": (0.15, 2), **_TREE}
ALLOWED = {("networks", 2): _BOTH, ("networks", 3): _BOTH, ("runs", 2): _TREE, ("runs", 3): _TREE}
"""Share of the optimum and number of samples, of which the larger is allowed."""


def climb(family: str, k: int, delta: float, H: int, time_limit: float) -> Row:
    """Plan by every method."""
    fed = checkpoint_federation(family, H, k, delta)
    row: Row = {"family": family, "sites": k, "delta": delta, "hypotheses": H}
    for method in METHODS:
        start = time.perf_counter()
        found = fp.plan(fed, method, time_limit=time_limit, max_nodes=10**6)
        row[method] = {
            "contributions": found.m.tolist(),
            "cost": found.cost,
            "seconds": round(time.perf_counter() - start, 3),
        }
    return row | {"is_proved": found.status is fp.planning.PlanStatus.OPTIMAL, "lower_bound": found.lower_bound}


@pytest.fixture(scope="module")
def ladder() -> Iterator[list[Row]]:
    """Rows measured so far; kept once all cases were."""
    rows: list[Row] = []
    yield rows
    if len(rows) == len(CASES):
        keep("ladder", {"command": "make bench", "epsilon": 0.1, "rows": rows})


@pytest.mark.parametrize(("family", "k", "delta", "H", "time_limit"), CASES)
def test_ladder(family, k, delta, H, time_limit, ladder):
    row = climb(family, k, delta, H, time_limit)
    ladder.append(row)
    print("\n" + ", ".join(say(row)), end="", flush=True)
    if delta == 0.05:
        assert row["is_proved"] or k > 2
        check(row)


def check(row: Row) -> None:
    """Insist on the limits if the optimum is known."""
    best = row["exact"]["cost"]
    if row["is_proved"]:
        assert best >= 20, "too easy to tell the planners apart"
        allowed = ALLOWED[row["family"], row["sites"]]
        above = {method: row[method]["cost"] - best for method in allowed}
        too_dear = {m: extra for m, extra in above.items() if extra > max(allowed[m][0] * best, allowed[m][1])}
        assert not too_dear, f"samples above the optimum of {best:g}: {too_dear}"
