"""A small run of the protocol that is the same every time: keys, clock and network are those of the tests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import fedpact as fp
from carrier import Carrier, run_with


@dataclass(frozen=True)
class SmallRun:
    """What came of a run."""

    fed: fp.Federation
    carrier: Carrier
    entries: list[fp.protocol.Entry]


@cache
def small_run(lost: tuple[str, ...] = ()) -> SmallRun:
    """Run a federation to its end, or until it stops; sites in ``lost`` never answer."""
    fed = fp.examples.alice_bob()
    _, operator, carrier = run_with(
        lambda carrier, outgoing: [] if outgoing.site in lost else None,
        fed=fed,
        teacher=None,
        method="tree",
        retry=20,
    )
    return SmallRun(fed, carrier, list(operator.ledger.entries()))
