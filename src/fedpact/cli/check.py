"""``fedpact check``: what a file describes, and what is wrong with it."""

from __future__ import annotations

import fedpact as fp
from fedpact.cli.common import (
    FileArgument,
    JsonOption,
    explain,
    print_json,
    refuse,
    show,
)


def check(file: FileArgument, as_json: JsonOption = False) -> None:
    """Say what a federation file describes, or list every problem with it.

    A file whose agents have no data is checked as the terms of a run, whose sites are going to report them.

    Example: [bold]fedpact check alice-bob[/bold]
    """
    found = fp.check(file)
    if as_json:
        print_json(found.to_dict())
    elif found.summary is not None:
        show(explain(found))
    refuse(found.problems)
