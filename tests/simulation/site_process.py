"""A site's process in a simulated world: it dies at a write, comes back or does not, lies, or talks nonsense."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from fedpact.errors import MessageError
from fedpact.protocol.messages import read_request
from fedpact.protocol.site.site import Site
from fedpact.protocol.site.site_store import MemoryStore
from simulation.event_queue import Crash, EventQueue
from simulation.malformed_answers import lie, talk_nonsense


class Character(Enum):
    """What a site is like."""

    HONEST = "does what it is asked"
    LIAR = "labels nothing, and says that every candidate is right"
    FOOL = "now and then talks nonsense under its own signature"


class SiteDisk(MemoryStore):
    """What a site has saved is there after a crash, which strikes before or after the saving."""

    def __init__(self, queue: EventQueue) -> None:
        super().__init__()
        self._queue = queue

    def save(self, run: str, record: dict[str, Any]) -> None:
        """Keep the record of a run, or die."""
        if self._queue.strikes("site_crash"):
            raise Crash("before saving")
        super().save(run, record)
        if self._queue.strikes("site_crash"):
            raise Crash("after saving")


@dataclass(slots=True)
class SiteProcess:
    """A site's process."""

    site: Site
    queue: EventQueue
    character: Character = Character.HONEST
    foolish_in: str = ""
    """The step in which a fool talks nonsense; in the others it does as it is asked."""
    is_dead: bool = False
    down_until: float = 0.0

    def __post_init__(self) -> None:
        self.site = replace(self.site, store=SiteDisk(self.queue))

    def answer(self, data: bytes) -> bytes | None:
        """Answer a request's bytes; nothing if the process is down, falls, or takes it for no request."""
        name = self.site.name
        if self.is_dead or self.down_until > self.queue.now:
            self.queue.note(f"   {name} is down")
            return None
        try:
            return self._say(data)
        except Crash as crash:
            self._fall(str(crash))
        except MessageError as error:
            self.queue.tally["refused_by_site"] += 1
            self.queue.note(f"   {name} refuses: {error}")
        return None

    def come_back(self) -> None:
        """Be up again, whatever was before."""
        self.is_dead, self.down_until = False, 0.0

    def _fall(self, when: str) -> None:
        self.is_dead = self.queue.strikes("death")
        self.down_until = self.queue.now + self.queue.rng.expovariate(1 / 30)
        self.queue.note(f"   {self.site.name} dies {when}{', for good' if self.is_dead else ''}")

    def _say(self, data: bytes) -> bytes:
        said = self.site.answer(data)
        asked = read_request(data)
        if self.character is Character.LIAR and asked.step == "contribute":
            return lie(self.site, asked)
        if asked.step == self.foolish_in and self.queue.strikes("folly"):
            self.queue.note(f"   {self.site.name} talks nonsense")
            assert self.site.key is not None, "every site of a stage has a key"
            return talk_nonsense(said, asked.body, self.site.key, self.queue.rng)
        return said
