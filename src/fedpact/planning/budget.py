"""How long a search for the optimum may take."""

from __future__ import annotations

from dataclasses import dataclass

from fedpact.describe.numbers import check_at_least
from fedpact.describe.progress import Progress

EXACT_NODES = 20_000
EXACT_SECONDS = 60.0
AUTO_NODES = 300
AUTO_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Boxes and seconds of the exact search, and what it tells of itself."""

    max_nodes: int | None = None
    """None for as many as the method usually looks at."""
    time_limit: float | None = None
    """None for as long as the method usually takes."""
    progress: Progress | None = None
    """Called with the lower bound and the cost of the incumbent."""

    def nodes(self, method: str) -> int:
        """Boxes that ``method`` may look at."""
        usual = EXACT_NODES if method == "exact" else AUTO_NODES
        return usual if self.max_nodes is None else self.max_nodes

    def seconds(self, method: str) -> float:
        """Seconds that ``method`` may take."""
        usual = EXACT_SECONDS if method == "exact" else AUTO_SECONDS
        return usual if self.time_limit is None else self.time_limit


def check_budget(budget: Budget) -> None:
    """Refuse budgets below zero."""
    for field, value in (("max_nodes", budget.max_nodes), ("time_limit", budget.time_limit)):
        if value is not None:
            check_at_least(value, field, 0)
