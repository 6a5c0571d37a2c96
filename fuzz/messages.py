"""Messages between operator and sites, signed again after they were changed."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import replace
from functools import cache
from typing import Any

import fedpact as fp
from carrier import OPERATOR, ListLedger, key_of, with_test_keys
from fedpact.protocol.canonical import to_canonical
from fedpact.protocol.keys.signing import sign_value
from fedpact.protocol.messages import read_answer, read_request
from fedpact.protocol.operator.operator import Operator
from fedpact.protocol.operator.run_state import RunState, replay
from fedpact.protocol.runs import memory_ledger
from fedpact.protocol.site.site_store import MemoryStore
from fuzz.plain_values import mutate_some
from fuzz.report_files import mutate as change_report
from fuzz.small_run import small_run
from fuzz.target import Target, Unreadable

_WORDS = (
    "protocol", "run", "request", "site", "step", "body", "signature", "report", "contribute",
    "evaluate", "pay", "pool", "m", "mistakes", "n", "statement",
    "refused", "pending", "candidates", "have", "total", "index", "alice", "bob", '{"', '":',
    "null", "true", "1e400", "\\ud800",
)  # fmt: skip


def seeds() -> list[bytes]:
    """Every message of a small run."""
    return list(dict.fromkeys([*(one.data for one in small_run().carrier.asked), *small_run().carrier.said]))


@cache
def _turns() -> list[tuple[int, RunState]]:
    """After how many entries some answer is waited for, and how the run stands then."""
    entries = small_run().entries
    kinds = [entry.kind for entry in entries]
    turns = [place for place in range(1, len(entries)) if kinds[place - 1] == "ask" and kinds[place] == "answer"]
    return [(place, replay(entries[:place])) for place in turns]


def _hear(data: bytes) -> bool:
    """Let an operator hear a message at every turn of its run; if it accepts an answer, its books still add up."""
    is_accepted = False
    for length, state in _turns():
        books = ListLedger()
        books.kept = small_run().entries[:length]
        Operator(books, state, key=OPERATOR).receive(data, 1_010.0)
        if any(entry.kind == "answer" for entry in books.kept[length:]):
            is_accepted = True
            _insist_on_sound(books.kept)
    return is_accepted


def _insist_on_sound(entries: list[fp.protocol.Entry]) -> None:
    ledger = memory_ledger()
    ledger.restore(entries)
    seen = fp.protocol.check_books(ledger)
    assert seen.is_sound, f"an operator accepts what an auditor does not: {seen.problems[0]}"
    ledger.close()


@cache
def _sites() -> dict[str, fp.protocol.Site]:
    return with_test_keys(fp.protocol.simulate_sites(small_run().fed, seed=1))


def _answer(data: bytes, name: str) -> bool:
    site = replace(_sites()[name], store=MemoryStore())
    try:
        said = site.answer(data)
    except fp.FedpactError:
        return False
    asked, found = read_request(data, OPERATOR.public), read_answer(said, {name: key_of(name).public})
    assert (found.run, found.request, found.site, found.step) == (asked.run, asked.request, name, asked.step)
    assert site.answer(data) == said, "the same is answered again"
    return True


def read(data: bytes) -> bool:
    """Let both sides hear a message."""
    return any([_hear(data), *(_answer(data, name) for name in small_run().fed.names)])


def _change(message: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Change a message anywhere, or the report in it."""
    body = message["body"]
    if "report" in body and rng.random() < 0.5:
        report = change_report(base64.b64decode(body["report"]), rng)
        return {**message, "body": {**body, "report": base64.b64encode(report).decode()}}
    changed: dict[str, Any] = mutate_some(message, rng, _WORDS)
    return changed


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Change a message, and sign it again with some key."""
    try:
        message = json.loads(data)
        signature = message.pop("signature", None)
        message = _change(message, rng)
        if rng.random() < 0.1:
            return to_canonical({**message, "signature": signature})
        site = message.get("site")
        keys = [OPERATOR, key_of(site if isinstance(site, str) and len(site.encode()) <= 32 else "alice")]
        return to_canonical(sign_value(rng.choice(keys), message))
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError, fp.FedpactError):
        raise Unreadable from None


TARGET = Target(
    about="messages between operator and sites: heard by both at every turn of a run, whose books must add up",
    seeds=seeds,
    read=read,
    mutate=mutate,
    words=_WORDS,
)
