"""Canonical JSON: one value, one sequence of bytes, so that hashes and signatures mean the same everywhere.

Keys are sorted, nothing stands between tokens, text is UTF-8, numbers are written as Python writes them, and only
finite ones exist. What is read must be just what would have been written: a message with a key given twice, with
spaces or with ``1.0`` written as ``1.00`` is refused, so nobody can say two things with one hash.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from fedpact.errors import MessageError


def to_canonical(value: Any) -> bytes:
    """Write plain values.

    Examples
    --------
    >>> to_canonical({"b": [1, 2.5], "a": "x"})
    b'{"a":"x","b":[1,2.5]}'
    """
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageError(f"only plain, finite values can be written as canonical JSON: {error}") from None


def from_canonical(data: bytes, *, most: int) -> Any:
    """Read what :func:`to_canonical` wrote, and nothing else; at most ``most`` bytes are looked at.

    Examples
    --------
    >>> from_canonical(b'{"a":1}', most=100)
    {'a': 1}
    >>> from_canonical(b'{"a":1,"a":1}', most=100)
    Traceback (most recent call last):
    ...
    fedpact.errors.MessageError: not canonical JSON
    """
    if len(data) > most:
        raise MessageError(f"at most {most} bytes are read; there are {len(data)}")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise MessageError("not JSON") from None
    if to_canonical(value) != data:
        raise MessageError("not canonical JSON")
    return value


def digest_of_value(value: Any) -> str:
    """SHA-256 of a value's canonical JSON, in hexadecimal.

    Examples
    --------
    >>> digest_of_value({"a": 1})[:16]
    '015abd7f5cc57a2d'
    """
    return hashlib.sha256(to_canonical(value)).hexdigest()
