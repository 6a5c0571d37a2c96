"""A small run of the protocol that is the same every time: keys, clock and network are this module's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import fedpact as fp
from fedpact.protocol.drive import drive
from fedpact.protocol.operator.operator import Outgoing
from fedpact.protocol.runs import memory_ledger

OPERATOR = fp.protocol.SigningKey.from_seed(bytes(32))
_START = 1_000.0


def key_of(site: str) -> fp.protocol.SigningKey:
    """Return the key of a site."""
    return fp.protocol.SigningKey.from_seed(site.encode().ljust(32, b"."))


def make_sites(fed: fp.Federation) -> dict[str, fp.protocol.Site]:
    """Made-up sites with keys."""
    made = fp.protocol.simulate_sites(fed, seed=1)
    return {name: replace(site, key=key_of(name), operator=OPERATOR.public) for name, site in made.items()}


@dataclass
class Carrier:
    """Carries messages at once; sites in ``lost`` never answer. Keeps what was sent and said."""

    sites: Mapping[str, fp.protocol.Site]
    lost: tuple[str, ...] = ()
    now: float = _START
    asked: list[bytes] = field(default_factory=list)
    said: list[bytes] = field(default_factory=list)
    _coming: list[bytes] = field(default_factory=list)

    def send(self, outgoing: Outgoing) -> None:
        """Let the site answer."""
        self.asked.append(outgoing.data)
        if outgoing.site not in self.lost:
            self.said.append(self.sites[outgoing.site].answer(outgoing.data))
            self._coming.append(self.said[-1])

    def receive(self, until: float) -> list[bytes]:
        """Return the answers, or let time pass."""
        coming, self._coming = self._coming, []
        self.now = self.now + 0.5 if coming else max(self.now, until)
        return coming


@dataclass(frozen=True)
class SmallRun:
    """What came of a run."""

    fed: fp.Federation
    carrier: Carrier
    entries: list[fp.protocol.Entry]


def start(fed: fp.Federation, ledger: fp.protocol.Ledger, now: float = _START) -> fp.protocol.Operator:
    """Open a run."""
    keys = {name: key_of(name).public for name in fed.names}
    pact = fp.protocol.make_pact(fed, method="tree", keys=keys, operator=OPERATOR.public, patience=60, retry=20)
    return fp.protocol.start_run(ledger, pact, now=now, key=OPERATOR)


@cache
def small_run(make: Callable[[], fp.Federation] = fp.examples.alice_bob, lost: tuple[str, ...] = ()) -> SmallRun:
    """Run a federation to its end, or until it stops."""
    fed, ledger = make(), memory_ledger()
    carrier = Carrier(make_sites(fed), lost)
    drive(start(fed, ledger), carrier, lambda: carrier.now)
    return SmallRun(fed, carrier, list(ledger.entries()))
