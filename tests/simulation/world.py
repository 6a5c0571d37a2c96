"""A simulated world: one operator, its sites, and runs of the protocol one after the other.

Everything goes on in one thread and in the order of simulated time. Operator, sites, messages, signatures and
ledger are the real ones; only time, network, disks and death are made up.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.operator import Operator, Outgoing, resume_run, start_run
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import STEPS, Pact
from fedpact.protocol.site.site import Site
from simulation.disk import Disk
from simulation.event_queue import EventQueue, Faults, StuckError
from simulation.network import Network, forge_answer, forge_request
from simulation.servers import Servers
from simulation.site_process import Character, SiteProcess

_MOST_EVENTS = 5_000


class World:
    """Runs of the protocol in a world of faults.

    Parameters
    ----------
    pacts
        One for every run that is wanted.
    resumes
        How often all sites are brought back after a run has stopped, and it is resumed.
    own
        The operator's key and planner.
    """

    def __init__(
        self,
        pacts: Sequence[Pact],
        sites: Mapping[str, Site],
        *,
        rng: random.Random,
        faults: Faults,
        resumes: int,
        own: Mapping[str, Any],
    ) -> None:
        self.queue = EventQueue(rng, faults)
        self.disk = Disk(self.queue)
        self.sites = {name: SiteProcess(site, self.queue) for name, site in sites.items()}
        self.sent: list[tuple[str, bytes]] = []
        """What was sent to whom."""
        self.statuses: list[RunStatus] = []
        """How the runs ended; a run that stopped and was resumed ends more than once."""
        self.servers = Servers(self.queue, self.disk, begin=self._begin, send=self._send, over=self._over)
        self._network = Network(self.queue)
        self._pacts, self._resumes, self._own = pacts, resumes, own
        self._wanted, self._is_done = 1, False
        self._cast(rng, faults)

    def _cast(self, rng: random.Random, faults: Faults) -> None:
        """Draw who is a liar, and who is a fool in which step."""
        if faults.lie:
            rng.choice(list(self.sites.values())).character = Character.LIAR
        if faults.folly:
            fool = rng.choice(list(self.sites.values()))
            fool.character, fool.foolish_in = Character.FOOL, rng.choice((*STEPS, "contribute"))

    def run(self, watch: Callable[[World], None]) -> None:
        """Let time pass until everything is over, and call ``watch`` whenever something may have changed."""
        self.servers.boot()
        for _ in range(_MOST_EVENTS):
            if not self.queue.go_on():
                break
            watch(self)
            if self._is_done:
                return
        raise StuckError(f"not over at {self.queue.now:g} s, with nothing going wrong any more")

    def _begin(self, ledger: Ledger, now: float) -> Operator:
        """Continue the last run, or open the next if there is to be one, or try to though there is not."""
        kinds = [json.loads(content)["kind"] for _, content, _ in self.disk.read(1)]
        opened = kinds.count("open")
        is_next = opened == kinds.count("close") < self._wanted
        if is_next or (kinds[-1:] != ["close"] and self.queue.strikes("confusion")):
            pact = self._pacts[opened % len(self._pacts)]
            operator = start_run(ledger, pact, now=now, key=self._own["key"])
        else:
            operator = resume_run(ledger, now=now, key=self._own["key"])
        operator.planner = self._own["planner"]
        return operator

    def _over(self, status: RunStatus) -> None:
        """Go on when a run is over: with the next one, or with the sites brought back, or not."""
        self.queue.note(f"the run is {status.value}")
        self.statuses.append(status)
        is_stopped = status is RunStatus.STOPPED
        if is_stopped and self._resumes:
            self._resumes -= 1
            self.queue.note("all sites are brought back")
            for process in self.sites.values():
                process.come_back()
        elif not is_stopped and self._wanted < len(self._pacts):
            self._wanted += 1
        else:
            self._is_done = True
            return
        self.queue.after(self.queue.rng.expovariate(1 / 30), self.servers.boot)

    def _send(self, outgoing: Outgoing) -> None:
        site = outgoing.site
        self.sent.append((site, outgoing.data))
        self.queue.note(f"-> {site}: {outgoing.step}")
        self._network.carry(outgoing.data, lambda data: self._reach(site, data))
        if self.queue.strikes("impersonation"):
            thief = self.queue.rng.choice(list(self.sites.values())).site
            assert thief.key is not None, "every site of a stage has a key"
            self.queue.note(f"   {thief.name} asks {site} in the operator's name")
            forged = forge_request(outgoing.data, thief.key)
            self._network.carry(forged, lambda data: self._reach(site, data))

    def _reach(self, site: str, data: bytes) -> None:
        said = self.sites[site].answer(data)
        if said is None:
            return
        self.queue.note(f"<- {site}")
        self._network.carry(said, self.servers.hear)
        if self.queue.strikes("impersonation"):
            self._impersonate(self.sites[site].site, said)

    def _impersonate(self, thief: Site, said: bytes) -> None:
        for server in self.servers.working[-1:]:
            assert server.operator is not None, "it is at work"
            others = [ask for ask in server.operator.state.asks.values() if ask.site != thief.name]
            if others:
                ask = self.queue.rng.choice(others)
                self.queue.note(f"   {thief.name} answers {ask.request} for {ask.site}")
                self._network.carry(forge_answer(said, ask, thief, self.queue.rng), self.servers.hear)
