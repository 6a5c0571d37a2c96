"""``fedpact label``: export what people have to label, import it, say how far they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import ForceOption, JsonOption, answer, make_group

app = make_group(
    "Labels that people make for a site. Example: [bold]fedpact label export cleveland -o todo.csv[/bold]"
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
    answer(fp.protocol.export_labels(folder, output, run=run, force=force), as_json=as_json)


@app.command("import")
def import_(
    folder: FolderArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of fedpact label export, filled in.")],
    as_json: JsonOption = False,
) -> None:
    """Take labels that people have filled in: all of the file, or nothing if anything in it is wrong.

    Example: [bold]fedpact label import cleveland todo.csv[/bold]
    """
    answer(fp.protocol.import_labels(folder, file), as_json=as_json)


@app.command()
def status(folder: FolderArgument, run: RunOption = None, as_json: JsonOption = False) -> None:
    """Say how many labels a run waits for, and how many samples it has been given.

    Example: [bold]fedpact label status cleveland[/bold]
    """
    answer(fp.protocol.read_labelling(folder, run=run), as_json=as_json)
