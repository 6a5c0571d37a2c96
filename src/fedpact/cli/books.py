"""``fedpact ledger statement``: what every site was paid for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import AnyLedgerArgument, JsonOption, print_json, say, show


def _choose(found: list[fp.protocol.Statement], site: str | None, where: str) -> list[fp.protocol.Statement]:
    if not found:
        raise fp.errors.LedgerError(f"{where} has no statement yet: the run has not come to its payments")
    chosen = [one for one in found if site in (None, one.site)]
    if not chosen:
        names = ", ".join(repr(one.site) for one in found[:10])
        raise fp.errors.LedgerError(f"site must be one that has a statement, {names}; it is {site!r}")
    return chosen


def statement(
    ledger: AnyLedgerArgument,
    site: Annotated[str | None, typer.Option(metavar="NAME", help="Only this site's.")] = None,
    run: Annotated[
        str | None, typer.Option(metavar="RUN", help="By its first letters; else the last run.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Also write each as JSON and as a page to print."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what every site was paid for, what is withheld and why; write statements to send.

    Example: [bold]fedpact ledger statement run.ledger -o statements[/bold]
    """
    found = _choose(fp.protocol.statements_of(ledger, run), site, ledger)
    files = [] if output is None else fp.protocol.write_statements(found, output, force=force)
    if as_json:
        print_json([one.to_dict() for one in found])
        return
    from fedpact.explain.statement import explain_statements

    show(explain_statements(found))
    if files:
        say(f"wrote {len(files)} files to {output}")
