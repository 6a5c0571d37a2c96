"""The page writer: from the JSON of an experiment to its tables and sentences, in Markdown or on a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fedpact as fp
from reproduction.catalogue import find_experiment
from reproduction.experiment import Table
from reproduction.figures import Figure


def tables_of(found: Mapping[str, Any]) -> list[Table]:
    """List the tables of an experiment's results."""
    return find_experiment(found["experiment"]).tabulate(found["results"])


def conclusions_of(found: Mapping[str, Any]) -> list[str]:
    """Say what the results say, a sentence each, and what a quick run leaves out."""
    said = find_experiment(found["experiment"]).conclude(found["results"])
    left_out = found["settings"].get("leaves_out")
    return [*said, f"quick: leaves out {left_out}"] if left_out else said


def plot_of(found: Mapping[str, Any]) -> Figure:
    """Draw the figure of an experiment that has one."""
    draw = find_experiment(found["experiment"]).draw
    assert draw is not None, "is asked for a figure that there is"
    return draw(found["results"])


def _write_table(table: Table) -> list[str]:
    sides = [":--" if place < table.left else "--:" for place in range(len(table.columns))]
    rows = (table.columns, sides, *table.rows)
    return [f"## {table.title}", "", *(f"| {' | '.join(row)} |" for row in rows), ""]


def write_page(found: Mapping[str, Any]) -> str:
    """Write the page of an experiment in Markdown."""
    name = found["experiment"]
    experiment = find_experiment(name)
    lines = [f"# {name.replace('-', ' ').capitalize()}", "", experiment.about, ""]
    if found["command"] is not None:
        lines += ["```", found["command"], "```", ""]
    if experiment.draw is not None:
        lines += [f"![{name}]({name}.svg)", ""]
    for table in tables_of(found):
        lines += _write_table(table)
    lines += [f"- {sentence}" for sentence in conclusions_of(found)]
    versions = ", ".join(f"{package} {version}" for package, version in found["versions"].items())
    spent = f"{found['wall_time']['cells']:,.0f} s of one processor"
    return "\n".join([*lines, "", f"Data: {found['data']}. Computed in {spent}, with {versions}.", ""])


def write_text(found: Mapping[str, Any]) -> str:
    """Write tables and sentences for a terminal."""
    lines: list[str] = []
    for table in tables_of(found):
        rows = [table.columns, *table.rows]
        widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
        lines += [table.title, ""]
        for row in rows:
            cells = [
                cell.ljust(width) if place < table.left else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(cells).rstrip())
        lines.append("")
    lines += [f"- {sentence}" for sentence in conclusions_of(found)]
    return "\n".join(lines if found["data"] == "none" else [*lines, f"Data: {found['data']}"])


def write_results(found: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write ``NAME.json``, ``NAME.md`` and, if there is a figure, ``NAME.svg``; returns what was written."""
    experiment = find_experiment(found["experiment"])
    paths = [folder / f"{experiment.name}{suffix}" for suffix in (".json", ".md")]
    try:
        paths[0].write_text(json.dumps(found, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        paths[1].write_text(write_page(found), encoding="utf-8")
        if experiment.draw is not None:
            paths.append(folder / f"{experiment.name}.svg")
            plot_of(found).savefig(paths[-1], metadata={"Date": None})
    except OSError as error:
        raise fp.FederationError(f"results cannot be written to {str(folder)!r}: {error.strerror}") from None
    return paths
