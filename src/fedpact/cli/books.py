"""What ``fedpact ledger`` says of payments: whether the books add up, and a statement for every site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import JsonOption, console, format_amount, make_table, print_json, print_table


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def print_books(found: fp.protocol.BooksCheck) -> None:
    """Print in one line what an audit found; nothing where there is no run."""
    if not found.runs:
        return
    unsigned = f", {found.unsigned} unsigned" if found.unsigned else ""
    line = (
        f"books: {_count(found.runs, 'run')}, {found.closed} finished; {_count(found.signatures, 'signature')} "
        f"good{unsigned}; {found.followed} of {_count(found.payments, 'payment')} recomputed; {found.status.value}"
    )
    console().print(escape(line), soft_wrap=True)


def refuse_wrong_books(found: fp.protocol.BooksCheck, where: str) -> None:
    """Raise if the books do not add up."""
    if not found.is_sound:
        first, more = found.problems[0], found.wrong - 1
        others = f" (and {_count(more, 'more problem')})" if more else ""
        raise fp.errors.LedgerError(f"{where} does not add up: entry {first.entry}: {first.what}{others}")


def _choose(found: list[fp.protocol.Statement], site: str | None, where: str) -> list[fp.protocol.Statement]:
    if not found:
        raise fp.errors.LedgerError(f"{where} has no statement yet: the run has not come to its payments")
    chosen = [one for one in found if site in (None, one.site)]
    if not chosen:
        names = ", ".join(repr(one.site) for one in found[:10])
        raise fp.errors.LedgerError(f"site must be one that has a statement, {names}; it is {site!r}")
    return chosen


def _plain(text: str) -> str:
    """Keep what a terminal can show of a name; the ledger may be a stranger's."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _print_statements(found: list[fp.protocol.Statement]) -> None:
    total = sum(abs(one.amount) for one in found)
    columns = ("site", "labelled", "cost", "fee", "withheld", "amount")
    table = make_table(*columns, "receipt")
    for one in found:
        body = one.statement
        amounts = [format_amount(body[key], total) for key in ("labelling", "fee", "withheld", "amount")]
        received = "" if one.receipt is None else str(one.receipt["at"])
        table.add_row(escape(_plain(one.site)), str(body["contributed"]), *amounts, received)
    print_table(_plain(f"run {found[0].run} of {found[0].statement['pact']}"), table)
    for status in dict.fromkeys(one.status for one in found):
        sites = _plain(", ".join(one.site for one in found if one.status is status))
        console().print(escape(f"{sites}: {status.value}"), soft_wrap=True)


def statement(
    ledger: Annotated[
        str,
        typer.Argument(metavar="LEDGER", help="A ledger's file or URL, the home of its run, or a JSON export."),
    ],
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
    _print_statements(found)
    if files:
        console().print(escape(f"wrote {len(files)} files to {output}"), soft_wrap=True)
