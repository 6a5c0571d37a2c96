"""A site between the operator and its own folder, with whatever is wrong with it."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

import fedpact as fp
from fedpact.protocol.messages import read_request
from fedpact.protocol.pact import STEPS
from simulation.malformed_answers import lie, talk_nonsense

_SLOWEST = 0.2


@dataclass(slots=True)
class TroubledSite:
    """Answers as a site does, or not."""

    site: fp.protocol.Site
    kind: str
    seed: int
    """Decides in which step it fails, the same in every process."""
    rng: random.Random

    @property
    def _worst_step(self) -> str:
        return random.Random(f"{self.seed} {self.site.name}").choice(STEPS)

    def answer(self, data: bytes) -> bytes:
        """Answer a request's bytes."""
        if self.kind == "failing" and self.rng.random() < 0.3:
            raise OSError("the site's disk cannot be read")
        if self.kind == "late":
            time.sleep(self.rng.uniform(0, _SLOWEST))
        said, asked = self.site.answer(data), read_request(data)
        match self.kind:
            case "silent" if asked.step == self._worst_step:
                return b""
            case "garbage" if self.rng.random() < 0.4:
                place = self.rng.randrange(len(said))
                return said[:place] + bytes([said[place] ^ 1 << self.rng.randrange(8)]) + said[place + 1 :]
            case "liar" if asked.step == "contribute":
                return lie(self.site, asked)
            case "fool" if asked.step == self._worst_step:
                assert self.site.key is not None, "every site of a home has a key"
                return talk_nonsense(said, asked.body, self.site.key, self.rng)
        return said
