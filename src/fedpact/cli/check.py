"""``fedpact check``: what a file describes, and what is wrong with it."""

from __future__ import annotations

import sys

import typer

import fedpact as fp
from fedpact.cli.common import (
    FileArgument,
    JsonOption,
    explain,
    is_file,
    print_json,
    read_federation,
    refuse_report,
    show,
)


def check(file: FileArgument, as_json: JsonOption = False) -> None:
    """Say what a federation file describes, or list every problem with it.

    A file whose agents have no data is checked as the terms of a run, whose sites are going to report them.

    Example: [bold]fedpact check examples/alice-bob.toml[/bold]
    """
    refuse_report(file)
    found = fp.check(file) if is_file(file) else _check_example(file)
    if as_json:
        print_json(found.to_dict())
    elif found.summary is not None:
        show(explain(found))
    if found.problems:
        for problem in found.problems:
            print(f"error: {problem}", file=sys.stderr)
        raise typer.Exit(1)


def _check_example(name: str) -> fp.planning.FileCheck:
    return fp.planning.FileCheck(file=name, problems=(), summary=fp.planning.summarise(read_federation(name)))
