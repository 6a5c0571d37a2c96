"""The planners, one line each.

A planner is a function from a :class:`~fedpact.planning.task.Task` to a :class:`~fedpact.planning.task.Draft`. To
add one, write its file and its line here: ``plan``, ``frontier``, ``compare``, ``share``, the mechanisms, the
command line and the page know it then. Functions are named by their homes, so that nothing is imported that is not
used.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fedpact.describe.names import read_choice
from fedpact.describe.settings import ASSUMPTIONS
from fedpact.errors import FederationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fedpact.planning.task import Draft, Task


@dataclass(frozen=True, slots=True)
class Planner:
    """Where a planner is, and what it needs and promises."""

    home: str
    """Its module and function, as in "fedpact.planning.exact:plan_exactly"."""
    promise: str
    """What it gives, in one sentence."""
    needs_joint: bool = False
    """Whether it needs the joint structure, which reports do not hold."""
    holds_for: tuple[str, ...] = ("realizable",)
    """Under which assumptions on labels its plans are enough."""

    def make(self, task: Task) -> Draft:
        """Plan."""
        module, name = self.home.split(":")
        planner: Callable[[Task], Draft] = getattr(import_module(module), name)
        return planner(task)


PLANNERS = {
    "auto": Planner(
        "fedpact.planning.exact:plan_automatically",
        "Searches for the optimum for as long as it may, and shows the best plan it has then.",
        holds_for=ASSUMPTIONS,
    ),
    "exact": Planner(
        "fedpact.planning.exact:plan_exactly",
        "Branch and bound: searches until the optimum is proved, or time is up.",
        needs_joint=True,
    ),
    "tree": Planner(
        "fedpact.planning.draft:plan_by_rates",
        "Quick and close: takes into account which hypotheses are missed together (Hunter-Worsley).",
    ),
    "union": Planner(
        "fedpact.planning.draft:plan_by_rates",
        "Quick: a convex program that needs to know only how often hypotheses disagree.",
        holds_for=ASSUMPTIONS,
    ),
    "lp": Planner(
        "fedpact.planning.draft:plan_by_rates",
        "The linear program of the paper: the simplest, and usually the most expensive.",
        holds_for=ASSUMPTIONS,
    ),
}
"""Name -> planner, the most thorough first."""


def read_planner(method: Any, *, has_joint: bool, assume: str = "realizable") -> Planner:
    """Find a planner by its name, unless it needs a joint structure that is not known, or other labels.

    Examples
    --------
    >>> read_planner("exact", has_joint=False)
    Traceback (most recent call last):
    fedpact.errors.FederationError: method 'exact' needs the joint structure, which reports do not hold; use 'auto'
    """
    planner = PLANNERS[read_choice(method, "method", PLANNERS)]
    if planner.needs_joint and not has_joint:
        why = "needs the joint structure, which reports do not hold; use 'auto'"
        raise FederationError(f"method {method!r} {why}")
    if assume not in planner.holds_for:
        why = f"is proved for assume 'realizable' only, and it is {assume!r}; use 'auto'"
        raise FederationError(f"method {method!r} {why}")
    return planner
