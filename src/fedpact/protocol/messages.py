"""What operator and sites say to each other: typed, bounded, checked, signed; never an example, never a label.

==============  =============================================  ==================================================
step            the operator sends                             the site answers
==============  =============================================  ==================================================
``report``      which candidates are compared                  its report (:mod:`fedpact.describe.report_files`)
                                                               and how many samples it can label
``contribute``  from which to which sample it should label     how many it labelled, and on how many of these
                                                               each candidate is wrong
``evaluate``    the chosen candidate                           on how many held-out samples it is wrong
``pay``         the statement of payment                       the digest of the statement, as a receipt
==============  =============================================  ==================================================

Instead a site may answer that it *refuses*, and why, or that the answer is *pending*, and what it waits for.

On the wire a message is canonical JSON with the run, the request's name, the site and the step, signed with the
sender's Ed25519 key over everything but the signature. Whatever does not fit is a
:class:`fedpact.errors.MessageError`: sizes are checked before anything is parsed, types and ranges before anything
is used, and nothing is executed.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact import formats
from fedpact.describe.numbers import shorten
from fedpact.errors import MessageError
from fedpact.formats import check_format
from fedpact.plain import to_plain
from fedpact.protocol.canonical import from_canonical, to_canonical
from fedpact.protocol.keys.signing import SigningKey, check_signature, sign_value

MOST_BYTES = 2**27
"""No message is longer; a report on 5,000 candidates of 60,000 points is a fifth of that."""
_MOST_TEXT = 2_000
_MOST_COUNT = 2**53
_NAMES = ("run", "request", "site", "step")
_ENVELOPE = ("protocol", *_NAMES, "body")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Message:
    """What every message names."""

    run: str
    request: str
    """Name of the request: a site answers it once, and the same each time it is asked again."""
    site: str
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(_Message):
    """What a site is asked for."""

    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reported:
    """How often candidates disagree on a site's points."""

    report: bytes
    """The report's file."""
    pool: int | None
    """Different samples that the site can label, the points of its report; None: as many as it likes."""

    def to_plain(self) -> dict[str, Any]:
        """Plain values."""
        return {"report": base64.b64encode(self.report).decode(), "pool": self.pool}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contributed:
    """What the candidates got wrong on samples that a site has labelled."""

    m: int
    """Samples labelled for this request."""
    mistakes: NDArray[np.int64]
    """(H,) on how many of these each candidate is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """How wrong the outcome is on a site's held-out samples."""

    n: int
    """Held-out samples; 0 if the site has none."""
    mistakes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A site has its statement."""

    statement: str
    """Digest of the statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A site will not do what it was asked for."""

    why: str = field(metadata={"key": "refused"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A site needs more time, for labels that people have to make."""

    why: str = field(metadata={"key": "pending"})


Body: TypeAlias = Reported | Contributed | Evaluated | Receipt | Refused | Pending


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer(_Message):
    """What a site answers."""

    body: Body


def _read_text(entry: Mapping[str, Any], key: str) -> str:
    value = entry[key]
    if not isinstance(value, str) or not 0 < len(value) <= _MOST_TEXT:
        raise MessageError(f"{key} must be a text of 1 to {_MOST_TEXT} characters; it is {shorten(value)}")
    return value


def read_count(entry: Mapping[str, Any], key: str) -> int:
    """Read a whole number."""
    value = entry.get(key)
    if type(value) is not int or not 0 <= value <= _MOST_COUNT:
        raise MessageError(f"{key} must be a whole number from 0 to 2^53; it is {shorten(value)}")
    return value


def _read_reported(entry: Mapping[str, Any]) -> Reported:
    pool = None if entry["pool"] is None else read_count(entry, "pool")
    try:
        found = Reported(report=base64.b64decode(entry["report"], validate=True), pool=pool)
    except (binascii.Error, TypeError, ValueError):
        raise MessageError("report must be a report's file in base64") from None
    if found.to_plain()["report"] != entry["report"]:  # else the ledger would not have what was signed
        raise MessageError("report must be a report's file in base64, as it is written, without stray bits")
    return found


def _read_contributed(entry: Mapping[str, Any]) -> Contributed:
    m, mistakes = read_count(entry, "m"), entry["mistakes"]
    if not isinstance(mistakes, list) or not all(type(count) is int and 0 <= count <= m for count in mistakes):
        raise MessageError(f"mistakes must be a list of whole numbers from 0 to m = {m}")
    return Contributed(m=m, mistakes=np.array(mistakes, dtype=np.int64))


def _read_evaluated(entry: Mapping[str, Any]) -> Evaluated:
    n, mistakes = read_count(entry, "n"), read_count(entry, "mistakes")
    if mistakes > n:
        raise MessageError(f"mistakes must be at most n = {n}; they are {mistakes}")
    return Evaluated(n=n, mistakes=mistakes)


_READERS: Mapping[str, tuple[frozenset[str], Callable[[Mapping[str, Any]], Body]]] = {
    "report": (frozenset({"report", "pool"}), _read_reported),
    "contribute": (frozenset({"m", "mistakes"}), _read_contributed),
    "evaluate": (frozenset({"n", "mistakes"}), _read_evaluated),
    "pay": (frozenset({"statement"}), lambda entry: Receipt(statement=_read_text(entry, "statement"))),
}


def read_body(step: str, entry: Any) -> Body:
    """Check what a site says in a step.

    Examples
    --------
    >>> read_body("evaluate", {"n": 40, "mistakes": 2})
    Evaluated(n=40, mistakes=2)
    >>> read_body("evaluate", {"n": 40, "mistakes": 41})
    Traceback (most recent call last):
    ...
    fedpact.errors.MessageError: mistakes must be at most n = 40; they are 41
    """
    keys = frozenset(entry) if isinstance(entry, dict) else frozenset()
    if keys == {"refused"}:
        return Refused(why=_read_text(entry, "refused"))
    if keys == {"pending"}:
        return Pending(why=_read_text(entry, "pending"))
    wanted, read = _READERS[step]
    if keys != wanted:
        raise MessageError(f"an answer in step {step!r} must have {', '.join(sorted(wanted))}, and nothing else")
    return read(entry)


def _read_envelope(data: bytes) -> dict[str, Any]:
    value = from_canonical(data, most=MOST_BYTES)
    if isinstance(value, dict) and "protocol" in value:  # 1.0 would be signed otherwise than 1
        check_format(value["protocol"], formats.MESSAGE, "message", "a message", MessageError)
    if not isinstance(value, dict) or set(value) - {"signature"} != set(_ENVELOPE):
        raise MessageError(f"a message must have {', '.join(_ENVELOPE)} and a signature, and nothing else")
    for key in _NAMES:
        _read_text(value, key)
    if value["step"] not in _READERS:
        raise MessageError(f"there is no step {shorten(value['step'])}")
    return value


def _write(message: Request | Answer, body: Mapping[str, Any], key: SigningKey | None) -> bytes:
    names = {name: getattr(message, name) for name in _NAMES}
    value = {"protocol": formats.MESSAGE, **names, "body": dict(body)}
    return to_canonical(value if key is None else sign_value(key, value))


def write_request(request: Request, key: SigningKey | None = None) -> bytes:
    """Write a request, signed by the operator if it has a key."""
    return _write(request, request.body, key)


def write_answer(answer: Answer, key: SigningKey | None = None) -> bytes:
    """Write an answer, signed by the site if it has a key."""
    return _write(answer, to_plain(answer.body), key)


def signed_answer(run: str, site: str, step: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Put an answer together again from what a ledger keeps of it, as the site signed it."""
    said = {key: kept[key] for key in ("request", "body", "signature")}
    return {"protocol": formats.MESSAGE, "run": run, "site": site, "step": step, **said}


class NotSignedError(MessageError):
    """A message is not signed with the key of the site, or operator, that it names."""

    def __init__(self, who: str, site: str) -> None:
        self.site = site
        super().__init__(f"the message is not signed by {who}; whoever sent it does not have that key")


def _check_sender(value: Mapping[str, Any], public: str | None, who: str) -> None:
    if public is not None and not check_signature(public, value):
        raise NotSignedError(who, value["site"])


def read_request(data: bytes, operator: str | None = None) -> Request:
    """Read a request; if the operator's public key is given, it must have signed."""
    value = _read_envelope(data)
    _check_sender(value, operator, "the operator of this federation")
    if not isinstance(value["body"], dict):
        raise MessageError("a request's body must be a table")
    return Request(**{key: value[key] for key in _ENVELOPE[1:]})


def read_answer(data: bytes, keys: Mapping[str, str]) -> Answer:
    """Read an answer; a site that is listed in ``keys``, site -> public key, must have signed."""
    value = _read_envelope(data)
    site = value["site"]
    _check_sender(value, keys.get(site), f"site {site!r}")
    body = read_body(value["step"], value["body"])
    return Answer(**{**{key: value[key] for key in _ENVELOPE[1:]}, "body": body})
