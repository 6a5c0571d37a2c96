"""Who is asked for how many samples, in three ways that cost the same.

- *plan*: quotas of a plan, pooled. A sample costs 1 everywhere, so the plan is the fewest samples that the planner
  can prove to be enough for every site.
- *equal*: as many samples in equal shares, pooled; the first sites give one more where it does not come out even.
- *alone*: the same equal shares, but every site learns from its own share and nothing else.

Beside them stand what every site would need alone, n_ind(i), and how many samples equal shares must be for all
targets to be met. Some number is always enough: what is bad for a site is refuted by its own samples in the end.
More samples never hurt, so the least such number is found by bisection, from the plan's lower bound on.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import fedpact as fp

WAYS = {"plan": "the plan's quotas", "equal": "equal quotas pooled", "alone": "equal quotas alone"}
"""Way -> what a sentence calls it."""


class Way(NamedTuple):
    """Quotas, and which sites learn from each other's."""

    m: NDArray[np.int64]
    """(k,)"""
    groups: tuple[tuple[int, ...], ...]

    def quotas_of(self, group: tuple[int, ...]) -> NDArray[np.int64]:
        """(k,) the quotas of a group, 0 elsewhere."""
        return np.where(np.isin(np.arange(len(self.m)), group), self.m, 0)


class Asked(NamedTuple):
    """Every way of asking, and what they are held against."""

    plan: fp.Plan
    ways: dict[str, Way]
    needs: list[int]
    """(k,) samples that each site needs alone."""
    enough: int
    """The fewest samples that are proved to meet all targets in equal shares."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        lower_bound = math.ceil(self.plan.lower_bound - 1e-9)
        return {
            "cost": int(self.plan.m.sum()),
            "lower_bound": lower_bound,
            "needs": self.needs,
            "enough": self.enough,
        }


def share_equally(total: int, k: int) -> NDArray[np.int64]:
    """(k,) equal shares of a number of samples; the first get what is left over.

    Examples
    --------
    >>> share_equally(11, 4).tolist()
    [3, 3, 3, 2]
    """
    return total // k + (np.arange(k) < total % k).astype(np.int64)


def _find_needs(fed: fp.Federation) -> list[int]:
    needs = [need for need in fp.game.standalone(fed).values() if need is not None]
    if len(needs) < fed.k:
        raise fp.errors.SolverError(
            "what a site needs alone was not found", solver_status="more than 2^40 samples"
        )
    return needs


def _find_enough(fed: fp.Federation, least: int, most: int) -> int:
    """Find the fewest samples, between two numbers, that are proved to meet all targets in equal shares."""

    def is_met(total: int) -> bool:
        return all(fp.verify(fed, share_equally(total, fed.k)).met.values())

    return least + bisect_left(range(least, most), True, key=is_met)


def ask(fed: fp.Federation, method: str) -> Asked:
    """Ask in every way.

    Examples
    --------
    >>>     >>> asked = ask(alice_bob(epsilon=0.1, delta=0.05), "tree")
    >>> {name: way.m.tolist() for name, way in asked.ways.items()}, asked.needs, asked.enough
    ({'plan': [3, 2], 'equal': [3, 2], 'alone': [3, 2]}, [14, 14], 5)
    """
    found = fp.plan(fed, method)
    equal, everybody = share_equally(int(found.m.sum()), fed.k), tuple(range(fed.k))
    needs = _find_needs(fed)
    return Asked(
        plan=found,
        ways={
            "plan": Way(found.m, (everybody,)),
            "equal": Way(equal, (everybody,)),
            "alone": Way(equal, tuple((site,) for site in everybody)),
        },
        needs=needs,
        enough=_find_enough(fed, math.ceil(found.lower_bound - 1e-9), fed.k * max(needs)),
    )
