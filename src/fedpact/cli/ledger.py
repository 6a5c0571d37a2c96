"""``fedpact ledger``: show, verify and export what was written down in runs."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.markup import escape

import fedpact as fp
from fedpact.cli import books
from fedpact.cli.common import (
    AnyLedgerArgument,
    ForceOption,
    JsonOption,
    console,
    explain,
    make_group,
    make_table,
    print_json,
    print_json_or_say,
    say,
)
from fedpact.cli.common import show as print_words
from fedpact.cli.show_run import say_what_stands

LedgerArgument = Annotated[
    str,
    typer.Argument(
        metavar="LEDGER",
        help="A ledger's file, its URL (postgresql://user@host/database), or the home of its run.",
    ),
]
_RUN = 9
"""Characters of a run's name on a terminal; its beginning is enough to ask for it."""
_HASH = 12
_WIDEST = 1_000_000
"""Wider than any line: what goes to a file or another program is never cut or wrapped."""

app = make_group(
    "Look at, check and export the ledger of a run. Example: [bold]fedpact ledger verify run.ledger[/bold]"
)


def _shorten(text: str, most: int) -> str:
    """Keep the beginning of a name.

    Examples
    --------
    >>> _shorten("f6b932f9149adcfd620cb33a494cbe08", 9)
    'f6b932f9…'
    """
    return text if cell_len(text) <= most else set_cell_size(text, most - 1).rstrip() + "…"


def _choose(
    ledger: fp.protocol.Ledger, run: str | None, kind: str | None, last: int | None
) -> Iterator[fp.protocol.Entry]:
    """Read the entries that were asked for; the newest few are read alone if nothing else is asked."""
    start = max(len(ledger) - last + 1, 1) if last is not None and run is None and kind is None else 1
    chosen = (
        entry
        for entry in ledger.entries(start)
        if (run is None or entry.run.startswith(run)) and kind in (None, entry.kind)
    )
    return chosen if last is None else iter(deque(chosen, maxlen=last))


def _print_entries(entries: list[fp.protocol.Entry]) -> None:
    """Print a line for each; on a terminal, what does not fit goes on below."""
    from fedpact.describe.parsing import one_line
    from fedpact.explain.ledger import say_entry, say_time

    is_terminal = sys.stdout.isatty()
    table = make_table("seq", "time (UTC)", "run", "kind", "what", "hash", left=6)
    for column in table.columns:
        column.no_wrap, column.overflow = column.header not in ("kind", "what"), "fold"
    for entry in entries:
        run, *texts = map(one_line, (entry.run, entry.kind, say_entry(entry)))
        cells = (_shorten(run, _RUN) if is_terminal else run, *texts)
        table.add_row(str(entry.seq), say_time(entry.at), *map(escape, cells), entry.hash[:_HASH])
    (console() if is_terminal else Console(highlight=False, width=_WIDEST)).print(table)


def _all_erred(entries: list[fp.protocol.Entry]) -> bool:
    """Whether the last run that is shown chose among candidates of which every one had made mistakes."""
    choices = [entry.body for entry in entries if (entry.kind, entry.run) == ("choose", entries[-1].run)]
    mistakes = choices[-1].get("mistakes") if choices and isinstance(choices[-1], dict) else None
    return isinstance(mistakes, list) and bool(mistakes) and all(mistakes)


@app.command()
def show(
    ledger: LedgerArgument,
    run: Annotated[
        str | None, typer.Option(metavar="RUN", help="Only of this run; its first letters will do.")
    ] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only the entries of this kind.")] = None,
    last: Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the newest N of them.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the entries of a ledger, checking them on the way.

    Example: [bold]fedpact ledger show run.ledger --last 10[/bold]
    """
    with fp.protocol.Ledger.open(ledger) as opened:
        entries = list(_choose(opened, run, kind, last))
        total, where = len(opened), opened.where
    if as_json:
        print_json([entry.to_dict() for entry in entries])
        return
    if entries:
        _print_entries(entries)
    say(f"{len(entries)} of {total} entries")
    if _all_erred(entries):
        say_what_stands(where)


@app.command()
def verify(
    ledger: AnyLedgerArgument,
    head: Annotated[
        str | None,
        typer.Option(metavar="HASH", help="A hash that was once the newest, or its first 12 digits; still there?"),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(
            help="The folder of keys, or its public-keys.json, that you know; else that of the run's home."
        ),
    ] = None,
    unsigned: Annotated[bool, typer.Option("--unsigned", help="Accept books that not everybody signs.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check every entry, every link and, of a file, its structure; then that signatures and payments are right.

    Example: [bold]fedpact ledger verify run.ledger[/bold]
    """
    from fedpact.explain.ledger import say_break, say_first_problem
    from fedpact.protocol.home import find_public_keys

    found = fp.protocol.verify_ledger(ledger, head=head)
    known = find_public_keys(ledger, keys)
    audited = fp.protocol.check_books(ledger, keys=known) if found.is_intact else None
    if as_json:
        print_json({**found.to_dict(), "books": None if audited is None else audited.to_dict()})
    if audited is None:
        raise fp.errors.LedgerError(f"{found.where} is broken: {say_break(found)}")
    if not as_json:
        print_words(explain(found))
        print_words(explain(audited))
    if not audited.is_sound:
        raise fp.errors.LedgerError(f"{found.where} does not add up: {say_first_problem(audited)}")
    if audited.unsigned and not unsigned:
        raise fp.errors.LedgerError(
            f"{found.where} has {audited.unsigned} answers or statements that nobody signs; if that was agreed "
            "on, accept them with --unsigned"
        )


@app.command()
def export(
    ledger: LedgerArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A .csv or .json file to write.")],
    payments: Annotated[
        bool, typer.Option("--payments", help="Only what was paid to whom, as CSV for bookkeeping.")
    ] = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write all entries to a file: CSV for tables, JSON that can be checked and made a ledger again.

    Example: [bold]fedpact ledger export run.ledger -o run.json[/bold]

    For an accountant: [bold]fedpact ledger export run.ledger --payments -o payments.csv[/bold]
    """
    if payments:
        what, count = "payments", fp.protocol.export_payments(ledger, output, force=force)
    else:
        with fp.protocol.Ledger.open(ledger) as opened:
            fp.protocol.export_ledger(opened, output, force=force)
            what, count = "entries", len(opened)
    entry = {"file": str(output), what: count}
    print_json_or_say(entry, f"wrote {count} {what} to {output}", as_json=as_json)


app.command()(books.statement)
