"""Entries of ledgers, changed and then hashed and chained again, as only their keeper could."""

from __future__ import annotations

import random
from typing import Any

import fedpact as fp
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, make_entry
from fuzz.plain_values import mutate_some, mutate_value
from fuzz.small_run import small_run

_MOST_ENTRIES = 60
KINDS = (
    "open",
    "ask",
    "answer",
    "refuse",
    "gone",
    "plan",
    "choose",
    "settle",
    "pay",
    "stop",
    "resume",
    "close",
)
WORDS = (
    *KINDS, "pact", "agents", "name", "epsilon", "cost", "patience", "report", "contribute", "evaluate", "keys",
    "operator", "fee", "rule", "pwyc", "candidates", "contributions", "index", "withheld", "checks", "mistakes",
    "statement", "amount", "signature", "digest", "request", "site", "step", "body", "have", "total",
    "deadline", "alice", "bob", "seq", "previous", "hash", "at", "run",
)  # fmt: skip


def runs() -> list[list[fp.protocol.Entry]]:
    """Entries of a run that is finished, of one that lost a site, and of one that nobody answered."""
    return [small_run(lost=lost).entries for lost in ((), ("bob",), ("alice", "bob"))]


def chain(drafts: list[dict[str, Any]]) -> list[fp.protocol.Entry]:
    """Make entries of drafts, each following the one before."""
    made: list[fp.protocol.Entry] = []
    for seq, draft in enumerate(drafts, start=1):
        fields = {name: draft[name] for name in ("at", "run", "kind", "body")}
        made.append(make_entry(seq=seq, previous=made[-1].hash if made else NOTHING_BEFORE, **fields))
    return made


def change_entries(entries: list[fp.protocol.Entry], rng: random.Random) -> list[fp.protocol.Entry]:
    """Change, drop, repeat or move an entry, and chain all of them again."""
    drafts = [entry.to_dict() for entry in entries]
    if not drafts:
        return chain([entry.to_dict() for entry in runs()[0][:3]])
    place = rng.randrange(len(drafts))
    match rng.randrange(10):
        case 0:
            del drafts[place]
        case 1:
            drafts.insert(rng.randrange(len(drafts)), drafts[place])
        case 2:
            drafts = drafts[:place]
        case 3:
            kept = {name: drafts[place][name] for name in ("at", "run", "kind")}
            drafts[place] = drafts[place] | mutate_value(kept, rng, KINDS)
        case _:
            drafts[place] = drafts[place] | {"body": mutate_some(drafts[place]["body"], rng, WORDS)}
    return chain(drafts[:_MOST_ENTRIES])
