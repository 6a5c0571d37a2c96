"""The head of a ledger, kept apart from it, so that an older copy in its place is seen before it pays again.

A chain of hashes shows that no entry was changed, and says nothing of entries that are missing at its end. So the
home of a run remembers how many entries there were and the hash of the last, and whoever goes on there insists
that this entry is still in the ledger. Whoever restores both the home and the ledger from an old backup is not
seen; sites keep the statements that they signed for.
"""

from __future__ import annotations

import json
from pathlib import Path

from fedpact import formats
from fedpact.describe.whole_files import write_whole
from fedpact.errors import LedgerError
from fedpact.protocol.files import read_kept
from fedpact.protocol.ledger.store import Ledger

FILE = "operator/head.json"


def remember_head(home: Path, ledger: Ledger) -> None:
    """Keep how many entries a ledger has, and the hash of the last."""
    kept = {"format": formats.HOME, "entries": len(ledger), "head": ledger.head}
    write_whole(home / FILE, json.dumps(kept).encode())


def insist_on_head(home: Path, ledger: Ledger) -> None:
    """Refuse a ledger that lacks the entry that its home remembers as the newest.

    Raises
    ------
    LedgerError
        If it is gone, or another stands there.
    """
    try:
        kept = read_kept(home / FILE, formats.HOME, "home")
    except FileNotFoundError:
        return
    count, head = kept.get("entries"), kept.get("head")
    if type(count) is not int or not isinstance(head, str):
        raise LedgerError(
            f"{home / FILE} is malformed; bring it back as it was, or remove it if the ledger is right"
        )
    found = next(iter(ledger.entries(count)), None) if 0 < count <= len(ledger) else None
    if count and (found is None or found.hash != head):
        raise LedgerError(
            f"{ledger.where} is not the ledger that {home} was at work with: its entry {count} (hash {head[:12]}) "
            "is not there, so an older copy was put in its place, and to go on would pay again; bring back the "
            f"newer one, or, if it is lost, settle with the sites by their statements and remove {home / FILE}"
        )


def anchored(home: Path, ledger: Ledger) -> Ledger:
    """Let a home remember every head of its ledger from now on, once it has what the home remembers."""
    insist_on_head(home, ledger)
    ledger.on_append = lambda: remember_head(home, ledger)
    return ledger
