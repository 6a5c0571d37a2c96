"""Who speaks for another: a site in another's name, or in its own to another's request, or for the operator."""

from __future__ import annotations

import random

from fedpact.protocol.canonical import from_canonical, to_canonical
from fedpact.protocol.keys.signing import SigningKey, sign_value
from fedpact.protocol.messages import MOST_BYTES
from fedpact.protocol.operator.run_state import Ask
from fedpact.protocol.site.site import Site


def forge_answer(said: bytes, ask: Ask, thief: Site, rng: random.Random) -> bytes:
    """Answer what somebody else was asked, in its name or in one's own, with what was just said."""
    value = from_canonical(said, most=MOST_BYTES)
    body = value["body"] if value["step"] == ask.step else {"refused": "it is not worth it"}
    name = rng.choice([ask.site, thief.name])
    rest = {"protocol": value["protocol"], "run": value["run"], "body": body}
    assert thief.key is not None, "every site of a stage has a key"
    return to_canonical(sign_value(thief.key, {**rest, "request": ask.request, "site": name, "step": ask.step}))


def forge_request(data: bytes, stranger: SigningKey) -> bytes:
    """Ask for more than the operator does, under the same name or a new one."""
    value = from_canonical(data, most=MOST_BYTES)
    del value["signature"]
    if value["step"] == "contribute":
        value["body"]["total"] += 3
        value["request"] += "0"
    return to_canonical(sign_value(stranger, value))
