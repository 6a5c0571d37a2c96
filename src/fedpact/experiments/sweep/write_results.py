"""A results page: the JSON of an experiment, its figure, and a text with its tables and its command."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from fedpact.errors import FederationError
from fedpact.experiments.catalogue import find_experiment
from fedpact.experiments.sweep.experiment import Table
from fedpact.experiments.sweep.reproduction import Reproduction


def _write_table(table: Table) -> list[str]:
    sides = [":--" if place < table.left else "--:" for place in range(len(table.columns))]
    rows = (table.columns, sides, *table.rows)
    return [f"## {table.title}", "", *(f"| {' | '.join(row)} |" for row in rows), ""]


def write_page(found: Reproduction) -> str:
    """Write the page of an experiment in Markdown."""
    experiment = find_experiment(found.experiment)
    title = found.experiment.replace("-", " ").capitalize()
    lines = [f"# {title}", "", experiment.about, ""]
    if found.command is not None:
        lines += ["```", found.command, "```", ""]
    if experiment.draw is not None:
        lines += [f"![{found.experiment}]({found.experiment}.svg)", ""]
    for table in found.tables:
        lines += _write_table(table)
    lines += [f"- {sentence}" for sentence in found.conclusions]
    versions = ", ".join(f"{package} {version}" for package, version in found.versions.items())
    spent = f"{found.wall_time.cells:,.0f} s of one processor"
    return "\n".join([*lines, "", f"Data: {found.data}. Computed in {spent}, with {versions}.", ""])


def write_results(found: Reproduction, folder: str | PathLike[str], command: str) -> list[Path]:
    """Write ``NAME.json``, ``NAME.md`` and, if there is a figure, ``NAME.svg``; returns what was written.

    The command that gave the results is kept with them and shown on the page.
    """
    found = replace(found, command=command)
    place = Path(folder) / found.experiment
    paths = [place.with_suffix(suffix) for suffix in (".json", ".md")]
    found.save(paths[0])
    try:
        paths[1].write_text(write_page(found), encoding="utf-8")
        if find_experiment(found.experiment).draw is not None:
            paths.append(place.with_suffix(".svg"))
            found.plot().savefig(paths[-1], metadata={"Date": None})
    except OSError as error:
        raise FederationError(f"results cannot be written to {str(folder)!r}: {error.strerror}") from None
    return paths
