"""How the protocol's bytes travel in a Flower message: one bytes value in one ConfigRecord, and nothing else.

Each step has its own message type, so a site's Flower log says what it was asked for. Types and sizes are checked
here, before anybody parses the bytes; nothing is ever unpickled.
"""

from __future__ import annotations

import secrets

from flwr.app import ConfigRecord, RecordDict

from fedpact.errors import MessageError

HELLO = "query.hello"
REFUSED = "query.refused"
STEPS = {
    "report": "query.report",
    "contribute": "train.contribute",
    "evaluate": "evaluate.held_out",
    "pay": "query.pay",
}
ANOTHER_NODE, NOT_BELIEVED = b"another node", b"key"
"""Why a node is not asked, in a message of the type ``REFUSED``; whatever else stands there is not shown."""
BAD_REQUEST, NO_ANSWER = 100, 101
"""Codes of the errors that a site's app gives back."""
MOST_BYTES = 64 * 2**20
_RECORD, _KEY = "fedpact", "data"
_FRESH, _ID = 32, 8


def make_challenge(node_id: int) -> bytes:
    """Make a challenge for one node: fresh, and of no use to another node that passes it on."""
    return secrets.token_bytes(_FRESH) + node_id.to_bytes(_ID, "big")


def is_challenge_for(node_id: int, challenge: bytes) -> bool:
    """Tell whether a challenge was made for this node.

    Examples
    --------
    >>> is_challenge_for(7, make_challenge(7)), is_challenge_for(8, make_challenge(7))
    (True, False)
    """
    return len(challenge) == _FRESH + _ID and challenge[_FRESH:] == node_id.to_bytes(_ID, "big")


def to_content(data: bytes) -> RecordDict:
    """Put bytes into the content of a Flower message."""
    return RecordDict({_RECORD: ConfigRecord({_KEY: data})})


def from_content(content: RecordDict, *, most: int = MOST_BYTES) -> bytes:
    """Take the bytes out of the content of a Flower message, refusing anything else.

    Examples
    --------
    >>> from_content(to_content(b"abc"))
    b'abc'
    >>> from_content(to_content(b"abc"), most=2)
    Traceback (most recent call last):
    ...
    fedpact.errors.MessageError: a message holds at most 2 bytes; this one holds 3
    """
    record = content.get(_RECORD)
    if len(content) != 1 or not isinstance(record, ConfigRecord) or set(record) != {_KEY}:
        raise MessageError(
            f"a message holds one config record {_RECORD!r} with the key {_KEY!r}, and nothing else"
        )
    data = record[_KEY]
    if not isinstance(data, bytes):
        raise MessageError(f"{_KEY!r} of a message is bytes; it is {type(data).__name__}")
    if len(data) > most:
        raise MessageError(f"a message holds at most {most} bytes; this one holds {len(data)}")
    return data
