"""``fedpact examples``: the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    ForceOption,
    JsonOption,
    check_free,
    console,
    explain,
    print_json,
    show,
)
from fedpact.cli.complete import complete_names


def examples(
    name: Annotated[
        str | None,
        typer.Argument(
            help='An example, with arguments if you like: "price-of-stability(1/64)".',
            autocompletion=complete_names,
        ),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the example as a federation file (.toml or .json).")
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """List the examples, or show one.

    Example: [bold]fedpact examples alice-bob --save alice-bob.toml[/bold]
    """
    if name is None:
        if save is not None:
            raise fp.FederationError("save needs the name of an example; fedpact examples lists them")
        _print_catalogue(as_json)
        return
    if save is not None:
        check_free(save, force=force)
    fed = fp.examples.build(name)
    summary = fp.planning.summarise(fed)
    if save is not None:
        fed.save(save)
    if as_json:
        print_json(summary.to_dict())
        return
    entry = fp.examples.find(name)
    console().print(f"{escape(entry.summary)}\nSource: {escape(entry.source)}\n")
    show(explain(summary))


def _print_catalogue(as_json: bool) -> None:
    entries = fp.examples.CATALOGUE.values()
    if as_json:
        print_json([{"name": entry.name, "summary": entry.summary, "source": entry.source} for entry in entries])
        return
    from fedpact.explain import Explanation
    from fedpact.explain.generic import make_table
    from fedpact.explain.words import words_of

    rows = [(entry.name, entry.summary, entry.source) for entry in entries]
    table = make_table(words_of("examples"), "examples", "name, what_it_shows, source", rows)
    show(Explanation(kind="examples", title="Examples", headline="", tables=(table,)))
