"""Answers that a site signs and should not: nonsense, all of which must be noticed and none used, and lies."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fedpact.describe.report_files import from_bytes, to_bytes
from fedpact.describe.reports import Report
from fedpact.protocol.canonical import from_canonical, to_canonical
from fedpact.protocol.keys.signing import SigningKey, sign_value
from fedpact.protocol.messages import MOST_BYTES, Answer, Contributed, Request, write_answer
from fedpact.protocol.site.site import Site

Body = dict[str, Any]
Nonsense = Callable[[Body, Mapping[str, Any]], Any]
"""From what a site would have said, and what it was asked, to what it says instead."""


def _with_report(body: Body, change: Callable[[Report], Report]) -> Body:
    changed = change(from_bytes(base64.b64decode(body["report"])))
    return {**body, "report": base64.b64encode(to_bytes(changed)).decode()}


def _break_triangle(report: Report) -> Report:
    """Two candidates that always differ, and never from a third."""
    counts = np.zeros(len(report.counts), dtype=np.int64)
    counts[0] = report.n
    return replace(report, counts=counts)


def _forget_candidate(report: Report) -> Report:
    return replace(report, counts=report.counts[:1], candidates=None)


def _more_than_asked(body: Body, asked: Mapping[str, Any]) -> Body:
    return {**body, "m": asked["total"] - asked["have"] + 1}


NONSENSE: Mapping[str, tuple[Nonsense, ...]] = {
    "report": (
        lambda body, asked: _with_report(body, lambda report: replace(report, name=f"not {report.name}")),
        lambda body, asked: _with_report(body, _break_triangle),
        lambda body, asked: _with_report(body, _forget_candidate),
        lambda body, asked: {**body, "report": body["report"][: len(body["report"]) // 8 * 4]},
        lambda body, asked: {**body, "report": "no base64"},
        lambda body, asked: {**body, "pool": 2**40},
    ),
    "contribute": (
        lambda body, asked: {**body, "mistakes": [*body["mistakes"], 0]},
        lambda body, asked: {**body, "mistakes": body["mistakes"][1:]},
        _more_than_asked,
        lambda body, asked: {**body, "mistakes": [body["m"] + 1 for _ in body["mistakes"]]},
        lambda body, asked: {**body, "mistakes": [-1 for _ in body["mistakes"]]},
        lambda body, asked: {**body, "m": 2.5},
        lambda body, asked: {"pending": "our people are on holiday"},
    ),
    "evaluate": (
        lambda body, asked: {"n": 1, "mistakes": 2},
        lambda body, asked: {"n": "many", "mistakes": 0},
    ),
    "pay": (
        lambda body, asked: {"statement": "0" * 64},
        lambda body, asked: {"statement": {"amount": 10**6}},
    ),
}
_ANYWHERE: tuple[Nonsense, ...] = (
    lambda body, asked: {},
    lambda body, asked: [body],
    lambda body, asked: {**body, "amount": 10**6},
    lambda body, asked: {"refused": "we do not feel like it"},
)
_OTHER_STEP: Body = {"step": "evaluate", "body": {"n": 10, "mistakes": 0}}
"""Good sense, but not what was asked for."""


def talk_nonsense(said: bytes, asked: Mapping[str, Any], key: SigningKey, rng: random.Random) -> bytes:
    """Return an answer whose body is nonsense, signed as if it were not."""
    value = from_canonical(said, most=MOST_BYTES)
    body = value["body"]
    is_usual = not {"refused", "pending"} & set(body)
    choices = NONSENSE[value["step"]] if is_usual and rng.random() < 0.8 else _ANYWHERE
    nonsense = {"body": rng.choice(choices)(body, asked)} if rng.random() < 0.9 else _OTHER_STEP
    rest = {name: part for name, part in value.items() if name != "signature"}
    return to_canonical(sign_value(key, {**rest, **nonsense}))


def lie(site: Site, asked: Request) -> bytes:
    """Label nothing, and say that every candidate is right."""
    m = asked.body["total"] - asked.body["have"]
    body = Contributed(m=m, mistakes=np.zeros(site.pool.predicted.H, dtype=np.int64))
    said = Answer(run=asked.run, request=asked.request, site=asked.site, step=asked.step, body=body)
    return write_answer(said, site.key)
