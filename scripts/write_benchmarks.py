"""Write ``docs/results/benchmarks.md``, its figures and the README's table from the JSON of ``make bench``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks_page import SIZES, say_exponent, say_number
from growth_figure import GrowthLine, GrowthPanel, draw_growth
from results_pages import RESULTS, keep, read

Row = Mapping[str, Any]

README = Path(__file__).parents[1] / "README.md"
TELLING = (
    ("lp, 1000 hypotheses, 20 agents", "linprog on all pairs", "the paper's program, 1,000 hypotheses, 20 sites"),
    (
        "union, 60 hypotheses, 8 agents",
        "CVXPY with Clarabel, as log_sum_exp",
        "the convex program, 60 hypotheses, 8 sites",
    ),
    (
        "disagreements of 3,000 hypotheses on 1,000 points with 10 classes",
        "scipy.spatial.distance.pdist(..., 'hamming')",
        "how often 3,000 models disagree on 1,000 points",
    ),
    (
        "pure equilibria, 3 agents with about 60 strategies",
        "payoff tensor and QuantEcon's pure_nash_brute",
        "all pure equilibria, 3 agents with 60 strategies",
    ),
    (
        "exact failure of 3 agents, 24 hypotheses, 20 points",
        "every set of seen points, with numpy",
        "the exact failure of 3 agents on 20 points",
    ),
)
"""What the README shows: how a row begins, its competitor, and what it is called there."""
README_HEAD = ("| what | instead of | fedpact | instead | times faster |", "|---|---|---|---|---|")


def draw(growth: Row, over: str) -> Any:
    """Draw growth over one size."""
    lines = [line for line in growth["lines"] if line["over"] == over]
    panels = []
    for title in dict.fromkeys(line["panel"] for line in lines):
        own = [line for line in lines if line["panel"] == title]
        shown = [GrowthLine(_name(line), line["sizes"], line["values"], not line["is_ours"]) for line in own]
        panels.append(GrowthPanel(title, own[0]["unit"], shown))
    return draw_growth(panels, x_axis=SIZES[over])


def _name(line: Row) -> str:
    exponent = say_exponent(line)
    return f"{line['label']} ({exponent})" if exponent else line["label"]


def _find(rows: Sequence[Row], what: str, competitor: str) -> Row:
    return next(row for row in rows if row["what"].startswith(what) and row["competitor"] == competitor)


def write_table(rows: Sequence[Row]) -> str:
    """Write the README's table of the most telling ratios."""
    lines = list(README_HEAD)
    for what, competitor, name in TELLING:
        row = _find(rows, what, competitor)
        ours, theirs = (f"{say_number(float(f'{row[key]:.2g}'))} s" for key in ("ours", "theirs"))
        lines.append(f"| {name} | {competitor} | {ours} | {theirs} | {row['ratio']:,.0f} |")
    return "\n".join(lines)


def write_readme(text: str, rows: Sequence[Row]) -> str:
    """Put the table in the place of the one that stands there."""
    head = re.escape("\n".join(README_HEAD))
    return re.sub(rf"{head}(?:\n\|.*)*", lambda _: write_table(rows), text, count=1)


def main() -> None:
    """Write the page, the table and the figures."""
    found, growth = read("benchmarks"), read("growth")
    keep("benchmarks", found)
    README.write_text(write_readme(README.read_text(), found["rows"]))
    for over in SIZES:
        draw(growth, over).savefig(RESULTS / f"growth-{over}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
