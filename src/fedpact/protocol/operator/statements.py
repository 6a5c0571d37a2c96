"""Statements of payment out of a ledger: to look at, to send, to print."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from fedpact import formats
from fedpact.describe.names import nearest
from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.describe.slugs import make_slugs
from fedpact.errors import LedgerError
from fedpact.formats import check_format
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.signing import check_signature
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.ledger.form import well_formed
from fedpact.protocol.ledger.read import AnyLedger, read_entries
from fedpact.protocol.messages import signed_answer
from fedpact.protocol.operator.statement import say_time
from fedpact.protocol.whole_files import write_whole
from fedpact.result import Result


class StatementStatus(StrEnum):
    """What a statement is worth."""

    RECEIVED = "received"
    """The site has signed for it."""
    ISSUED = "issued"
    """Signed; the site's receipt is not in the books."""
    UNSIGNED = "unsigned"
    """The operator runs without a key: only the ledger stands for it."""
    FORGED = "forged"
    """The signature is not that of the operator named in the pact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement(Result):
    """One site's statement of payment, and where it stands in the books."""

    schema: ClassVar = formats.STATEMENT

    statement: Mapping[str, Any]
    """What the operator signed: see :mod:`fedpact.protocol.operator.statement`."""
    digest: str
    """Of the statement; the site's receipt names it."""
    entry: int
    """Number of the entry in the ledger."""
    hash: str
    """Of that entry."""
    receipt: Mapping[str, Any] | None
    """When the site signed for it (``at``), in which ``entry``, with which ``signature``."""
    status: StatementStatus
    run: str
    slug: str
    """The site's name as the name of a file."""

    @property
    def site(self) -> str:
        """Whose it is."""
        return str(self.statement["site"])

    @property
    def amount(self) -> float:
        """What the operator owes; negative: is owed."""
        return float(self.statement["amount"])

    def to_html(self) -> str:
        """Return a page to print; nothing is loaded from elsewhere."""
        from fedpact.explain import explain
        from fedpact.explain.page import to_page

        with well_formed(f"the statement in entry {self.entry}"):
            return to_page(explain(self))


def _judge(
    statement: Mapping[str, Any], operator: str | None, receipt: Mapping[str, Any] | None
) -> StatementStatus:
    if operator is None:
        return StatementStatus.UNSIGNED
    if not check_signature(operator, dict(statement)):
        return StatementStatus.FORGED
    return StatementStatus.ISSUED if receipt is None else StatementStatus.RECEIVED


def _find_run(entries: Sequence[Entry], run: str | None) -> str:
    runs = list(dict.fromkeys(entry.run for entry in entries if entry.kind == "open"))
    if not runs:
        raise LedgerError("the ledger has no run, hence no statement of payment")
    if run is None or run in runs:
        return runs[-1] if run is None else run
    meant = [name for name in runs if name.startswith(run)]
    if len(meant) != 1:
        what = f"begins the names of {len(meant)} runs" if meant else "is not in this ledger"
        raise LedgerError(f"run {shorten(run)} {what}; {nearest(run, meant or runs)}")
    return meant[0]


def _is_signed(entry: Entry, site: str, keys: Mapping[str, str]) -> bool:
    said = {key: entry.body[key] for key in ("request", "body", "signature")}
    return site not in keys or check_signature(
        keys[site], signed_answer(run=entry.run, site=site, step="pay", **said)
    )


def _receipts(entries: Iterable[Entry], keys: Mapping[str, str]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Site -> digest of the statement that it signed for, and the receipt."""
    asked: dict[str, str] = {}
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for entry in entries:
        if entry.kind == "ask" and entry.body["step"] == "pay":
            asked[entry.body["request"]] = entry.body["site"]
        elif entry.kind == "answer" and entry.body["request"] in asked:
            site = asked[entry.body["request"]]
            receipt = {"at": say_time(entry.at), "entry": entry.seq, "signature": entry.body["signature"]}
            if _is_signed(entry, site, keys):
                found[site] = entry.body["body"]["statement"], receipt
    return found


def _read(entry: Entry, signed: tuple[str, dict[str, Any]] | None, operator: str | None, slug: str) -> Statement:
    statement = entry.body["statement"]
    check_format(statement.get("format"), formats.STATEMENT, "statement", f"entry {entry.seq}", LedgerError)
    float(statement["amount"])  # a statement without a sum is none
    digest = digest_of_value(statement)
    receipt = signed[1] if signed is not None and signed[0] == digest else None
    return Statement(
        statement=statement,
        digest=digest,
        entry=entry.seq,
        hash=entry.hash,
        receipt=receipt,
        status=_judge(statement, operator, receipt),
        run=entry.run,
        slug=slug,
    )


def statements_of(books: AnyLedger, run: str | None = None) -> list[Statement]:
    """Read the statements of a run, in the order in which they were issued.

    Parameters
    ----------
    books
        A ledger, its path or URL, or the path of a JSON export.
    run
        Its name, or enough of the beginning; if not given, the last run.

    Raises
    ------
    LedgerError
        If there is no such run, or the ledger is broken.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.protocol.runs import memory_ledger, run
    >>> ledger = memory_ledger()
    >>> seen = run(alice_bob(), teacher="xA", method="tree", ledger=ledger)
    >>> for found in statements_of(ledger):
    ...     print(found.site, found.amount, found.status)
    alice 3.0 received
    bob 2.0 received
    """
    listed = list(read_entries(books))
    name = _find_run(listed, run)
    return _statements_in([entry for entry in listed if entry.run == name])


def all_statements(books: AnyLedger) -> list[Statement]:
    """Read the statements of all runs of a ledger, run after run."""
    runs: dict[str, list[Entry]] = {}
    for entry in read_entries(books):
        runs.setdefault(entry.run, []).append(entry)
    return [found for entries in runs.values() if entries[0].kind == "open" for found in _statements_in(entries)]


def _statements_in(entries: Sequence[Entry]) -> list[Statement]:
    with well_formed(f"run {shorten(entries[0].run)}"):
        pact = entries[0].body["pact"]
        sites = [agent["name"] for agent in pact["agents"]]
        slugs = dict(zip(sites, make_slugs(sites, default="site"), strict=True))
        receipts = _receipts(entries, pact["keys"])
        return [
            _read(entry, receipts.get(entry.body["site"]), pact["operator"], slugs[entry.body["site"]])
            for entry in entries
            if entry.kind == "pay"
        ]


def _put(path: Path, data: bytes, *, force: bool) -> None:
    try:
        if path.exists() and path.read_bytes() == data:
            return
        write_whole(path, data, force=force)
    except FileExistsError:
        raise LedgerError(
            one_line(f"{path}: is there already, with something else in it; take another folder, or force it")
        ) from None
    except OSError as error:
        raise LedgerError(one_line(f"{path}: cannot be written: {error.strerror}")) from None


def write_statements(
    statements: Iterable[Statement], folder: str | PathLike[str], *, force: bool = False
) -> list[Path]:
    """Write each statement as JSON and as a page to print, both named after the site; returns the files.

    A file that is there stays as it is unless it is the same, or ``force`` is given.
    """
    home, files = Path(folder), []
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LedgerError(one_line(f"{home}: cannot be written to: {error.strerror}")) from None
    for found in statements:
        text = json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        for ending, data in (("json", text), ("html", found.to_html())):
            files.append(home / f"{found.slug}.{ending}")
            _put(files[-1], data.encode(), force=force)
    return files
