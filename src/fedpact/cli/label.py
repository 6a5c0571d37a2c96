"""``fedpact label``: export what people have to label, import it, say how far they are."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import ForceOption, JsonOption, answer, console, make_table, print_table

app = typer.Typer(
    no_args_is_help=True,
    help="Labels that people make for a site. Example: [bold]fedpact label export cleveland -o todo.csv[/bold]",
    rich_markup_mode="rich",
)

FolderArgument = Annotated[Path, typer.Argument(metavar="SITE_FOLDER", help="The site's folder, with site.toml.")]
RunOption = Annotated[
    str | None,
    typer.Option(metavar="RUN", help="The run that wants labels; if not given, the last that asked for any."),
]


@app.command()
def export(
    folder: FolderArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The CSV file to write.")],
    run: RunOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the points that a run waits for to a CSV file, for people to fill in the column "label".

    Points are numbered from 1: point 1 is the first line of the site's predictions below the names.

    Example: [bold]fedpact label export cleveland -o todo.csv[/bold]
    """
    found = fp.protocol.export_labels(folder, output, run=run, force=force)
    done = f"fedpact label import {shlex.quote(str(folder))} {shlex.quote(str(output))}"
    lines = [
        f"wrote {output}: {found.missing} points to label; fill in the column label",
        "point 1 is the first line of the site's predictions below the names, point 2 the second",
        f"next: {done}",
    ]
    answer(found, lambda: _print(found, *lines), as_json=as_json)


@app.command("import")
def import_(
    folder: FolderArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of fedpact label export, filled in.")],
    as_json: JsonOption = False,
) -> None:
    """Take labels that people have filled in: all of the file, or nothing if anything in it is wrong.

    Example: [bold]fedpact label import cleveland todo.csv[/bold]
    """
    found = fp.protocol.import_labels(folder, file)
    repeated = "" if not found.repeated else f"; {found.repeated} {_rows(found.repeated)} another"
    line = f"{found.added} new label{'' if found.added == 1 else 's'}{repeated}"
    answer(found, lambda: _print(found, line, found.status.value), as_json=as_json)


@app.command()
def status(folder: FolderArgument, run: RunOption = None, as_json: JsonOption = False) -> None:
    """Say how many labels a run waits for, and how many samples it has been given.

    Example: [bold]fedpact label status cleveland[/bold]
    """
    found = fp.protocol.read_labelling(folder, run=run)
    answer(found, lambda: _print(found, found.status.value), as_json=as_json)


def _rows(count: int) -> str:
    return "row repeats" if count == 1 else "rows repeat"


def _print(found: fp.protocol.Labelling, *lines: str) -> None:
    """Print the counts, then what to do."""
    table = make_table("run", "wanted", "labelled", "missing", "contributed")
    counts = (found.wanted, found.labelled, found.missing, found.contributed)
    table.add_row(escape(found.run or "none"), *map(str, counts))
    print_table(f"site {found.site}", table)
    for line in lines:
        console().print(escape(line), soft_wrap=True)
