"""What can go wrong in a simulated world, and how often."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Chances of everything that can go wrong; the seed of a world draws the actual ones up to these."""

    loss: float = 0.3
    """Of a message being lost."""
    duplicate: float = 0.3
    """Of a message arriving once more, later."""
    late: float = 0.3
    """Of a message taking far longer than others."""
    garbage: float = 0.4
    """Of a byte of a message being changed on its way."""
    impersonation: float = 0.4
    """Of somebody else answering in a site's name, or asking in the operator's."""
    replay: float = 0.4
    """Of an old message of anybody's being sent once more."""
    server_crash: float = 0.1
    """Of the operator's process dying at a given write or send: before a write, after it, or after a send."""
    full_disk: float = 0.05
    """Of a write of the operator's being refused by the disk."""
    unknown_write: float = 0.05
    """Of a write of the operator's going through without its being told so."""
    zombie: float = 0.1
    """Of the operator's process being thought dead, so that another is started, while it goes on."""
    confusion: float = 0.3
    """Of somebody trying to open a new run at a restart, while there is one that is not finished."""
    clock: float = 0.3
    """Of the operator's clock being set to another time at a restart; a tenth as often while it runs."""
    site_crash: float = 0.4
    """Of a site's process dying at a given request, before or after it has saved its answer."""
    death: float = 0.8
    """Of a site's process not coming back from such a crash by itself."""
    lie: float = 1.0
    """Above 0 in a world in which one site makes up its mistake counts."""
    folly: float = 1.0
    """Of an answer of one site, in one step of every run, being nonsense under its own signature."""
    short: float = 1.0
    """Above 0 in a world in which one site can label only a few samples, and finds out when it is asked."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


NO_FAULTS = Faults(**{field.name: 0.0 for field in fields(Faults)})


def draw_faults(most: Faults, rng: random.Random) -> Faults:
    """Draw the chances of one world: half of all faults do not happen at all, so that worlds differ."""
    return Faults(
        **{
            field.name: getattr(most, field.name) * (rng.random() if rng.random() < 0.5 else 0.0)
            for field in fields(Faults)
        }
    )
