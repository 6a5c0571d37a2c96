"""The page of the ladder, written from its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from results_pages import table

METHODS = ("lp", "union", "tree", "exact")
HEAD = ("hypotheses", "sites", "delta", "H", "`lp`", "`union`", "`tree`", "`exact`")
PAGE = """\
# The planners on predictions of real models

Made by `make bench` (`benchmarks/bench_ladder.py`). Samples each planner asks for, and in brackets how
far that is above `exact`, proved optimal unless a lower bound stands beside it. Epsilon is {epsilon}. The
hypotheses are checkpoints of 18 networks early in their training, or of 6 whole training runs. The
late ones of a run are missed together: a sum of their probabilities counts that many times.

{costs}
"""


def say(row: Mapping[str, Any]) -> list[str]:
    """One line of the table: every cost, and how far it is above the best that was found."""
    best = row["exact"]["cost"]
    costs = [f"{row[method]['cost']:g} (+{row[method]['cost'] / best - 1:.0%})" for method in METHODS[:-1]]
    proved = "" if row["is_proved"] else f", at least {row['lower_bound']:g}"
    return [*(str(row[key]) for key in ("family", "sites", "delta", "hypotheses")), *costs, f"{best:g}{proved}"]


def write_page(found: Mapping[str, Any]) -> str:
    """Write the rows as a page."""
    return PAGE.format(epsilon=found["epsilon"], costs=table(HEAD, map(say, found["rows"]), 1))
