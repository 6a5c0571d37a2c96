"""docs/results/benchmarks.md, written from benchmarks.json and growth.json."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from results_pages import read, table

Row = Mapping[str, Any]

SIZES = {
    "H": "number of hypotheses H",
    "k": "number of agents k",
    "n": "number of points n",
    "strategies": "strategies of each agent, about",
}
"""What growth is measured over: a figure for each."""

TEXT = """\
# Benchmarks

```
make bench
```

measures everything on this page, ours and theirs of a row side by side, and fails if a ratio is below its limit.
The files in `benchmarks/` say what each row does. Ours and theirs start from the same input; most short runs are
repeated, in turns, and medians are shown. A ratio below one says that theirs is faster.

A file or a line can be measured again alone, so rows may be of different runs: the last was on {cores} processors
with {versions}.

## Against what one would pick instead

{ratios}

## Beside the programs of Blum et al. (2021)

Plans for the same federations by the programs of "One for One, or All for All" (ICML 2021), with their cost and
how many of the agents' targets they meet. Their model promises something else: an expected accuracy, without a
class of hypotheses. `benchmarks/bench_blum.py` says how it is restated.

{plans}

## How costs grow

A line ends where one size takes more than {patience:g} seconds, where its way fails, or at the largest size
tried. The exponent is the slope of the logarithms at its last sizes; where work doubles with every point or
agent it is only that. *Program* is the fractional optimum from counted disagreements, which is what the general
solvers do too; *plan* is everything from predictions to whole samples, proof and lower bound.

{growth}
## Measured without a competitor

{measured}
"""


def say_number(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{float(f'{value:.3g}'):,.10g}"


def show_ratios(rows: Iterable[Row]) -> str:
    """Show what was measured against a competitor."""
    cells = [
        (
            row["what"],
            row["competitor"],
            row["unit"],
            *(say_number(row[key]) for key in ("ours", "theirs", "ratio")),
            f"{row['at_least']:g}",
        )
        for row in rows
    ]
    return table(("what", "competitor", "unit", "ours", "theirs", "ratio", "at least"), cells, 3)


def show_plans(rows: Iterable[Row]) -> str:
    """Show plans of different programs."""
    cells = [
        (
            row["federation"],
            row["program"],
            f"{row['cost']:,.2f}",
            f"{row['met']} of {row['targets']}",
            say_number(row["seconds"]),
        )
        for row in rows
    ]
    return table(("federation", "program", "cost", "targets met", "seconds"), cells, 2)


def show_measured(rows: Iterable[Row]) -> str:
    """Show what was measured without a competitor."""
    cells = [
        (row["what"], row["unit"], say_number(row["value"]), f"{row['at_most']:g}" if "at_most" in row else "")
        for row in rows
    ]
    return table(("what", "unit", "value", "at most"), cells, 2)


def say_exponent(line: Row) -> str:
    """Say the exponent, if there is one."""
    return "" if line["exponent"] is None else f"{line['exponent']:.2f}"


def show_growth(lines: Iterable[Row]) -> str:
    """Show how far each line goes, and how it grows."""
    cells = [
        (
            line["panel"],
            line["label"],
            line["unit"],
            *(f"{say_number(line['values'][at])} at {line['sizes'][at]:,}" for at in (0, -1)),
            say_exponent(line),
        )
        for line in lines
    ]
    return table(("what", "by", "unit", "first", "last", "exponent"), cells, 3)


def write_growth(growth: Row, over: str) -> str:
    """Write the part of the page on growth over one size."""
    lines = [line for line in growth["lines"] if line["over"] == over]
    name = SIZES[over]
    return f"### Over the {name}\n\n![Growth over the {name}](growth-{over}.svg)\n\n{show_growth(lines)}\n"


def write_page(found: Row) -> str:
    """Write the page, with what was found of growth."""
    growth = read("growth")
    return TEXT.format(
        cores=found["machine"]["cores"],
        versions=", ".join(f"{name} {number}" for name, number in found["machine"].items() if name != "cores"),
        ratios=show_ratios(found["rows"]),
        plans=show_plans(found["plans"]),
        patience=growth["patience"],
        growth="\n".join(write_growth(growth, over) for over in SIZES),
        measured=show_measured(found["measured"]),
    )
