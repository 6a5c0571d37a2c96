"""What a seed draws before a run: a federation, what was agreed on, the sites, and what goes wrong."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import fedpact as fp

NAMES = ("north", "south", "east", "west")
METHODS = ("lp", "union", "tree")
KINDS = ("silent", "late", "garbage", "failing", "liar", "fool")
"""What may be wrong with a site: it never answers in one step; it is slow; its answers are changed on the way; it
raises now and then; it labels nothing and says that every candidate is right; it signs nonsense."""
_HARMLESS = {"late", "garbage", "failing"}
_TIMES_OUT = {"silent", "fool"}
_PATIENT, _IMPATIENT, _RETRY = 300.0, 2.0, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A run before it began."""

    seed: int
    fed: fp.Federation
    terms: Mapping[str, Any]
    wrong: Mapping[str, str]
    """Site -> what is wrong with it."""
    kills: int
    has_full_disk: bool
    has_second: bool
    """Whether a second operator is started in the same home now and then."""
    has_rogue: bool
    """Whether one is started that does not ask whether the home is taken."""
    heals: bool
    """Whether sites are put right once the run has stopped, and it is resumed."""

    @property
    def honest(self) -> list[str]:
        """Sites that say what they see, if they are heard."""
        return [name for name in self.fed.names if self.wrong.get(name) in (None, "late")]

    @property
    def is_comparable(self) -> bool:
        """Whether the run must end as an undisturbed one."""
        return set(self.wrong.values()) <= _HARMLESS

    def sites(self) -> dict[str, fp.protocol.Site]:
        """Make up the sites, the same every time."""
        return fp.protocol.simulate_sites(self.fed, seed=self.seed)

    def pact(self) -> fp.protocol.Pact:
        """Agree."""
        return fp.protocol.make_pact(self.fed, **self.terms)


def _draw_table(rng: random.Random, k: int) -> fp.Federation:
    n, H = rng.randint(3, 5), rng.randint(3, 6)
    labels = rng.sample([[code >> place & 1 for place in range(n)] for code in range(2**n)], H)
    weights = np.array([[rng.randint(1, 9) for _ in range(n)] for _ in range(k)])
    masses = [[f"{count}/{row.sum()}" for count in row] for row in weights]
    return fp.Federation.from_table(labels, masses, names=NAMES[:k], **_draw_terms(rng, k))


def _draw_predictions(rng: random.Random, k: int) -> fp.Federation:
    H = rng.randint(3, 5)
    arrays = {
        name: [[rng.randint(0, 1) for _ in range(n)] for _ in range(H)]
        for name in NAMES[:k]
        for n in [rng.randint(20, 60)]
    }
    return fp.Federation.from_predictions(arrays, **_draw_terms(rng, k))


def _draw_terms(rng: random.Random, k: int) -> dict[str, Any]:
    costs = [rng.choice([1, 2, 0.5, {"quadratic": [1, 0.25]}]) for _ in range(k)]
    capacity = [rng.choice([None, None, None, 12]) for _ in range(k)]
    return {
        "epsilon": rng.choice([0.15, 0.2, 0.3]),
        "delta": rng.choice([0.05, 0.1, 0.2]),
        "cost": costs,
        "capacity": capacity,
    }


def draw_stage(seed: int) -> Stage:
    """Draw everything that is settled before the run."""
    rng = random.Random(seed)
    k = rng.randint(2, 4)
    fed = rng.choice([_draw_table, _draw_table, _draw_predictions])(rng, k)
    is_calm = rng.random() < 0.4
    wrong = {name: rng.choice(KINDS) for name in fed.names if not is_calm and rng.random() < 0.4}
    patience = _IMPATIENT if _TIMES_OUT & set(wrong.values()) else _PATIENT
    rule = rng.choice(["pwyc", "pwyc", "pwyc", "pwyc", "equal-split", "proportional", "none"])
    terms = {
        "method": rng.choice(METHODS),
        "rule": rule,
        "false_alarm_rate": 1e-6,
        "patience": patience,
        "retry": _RETRY,
    }
    if rule == "pwyc" and rng.random() < 0.3:
        terms["fee"] = 0.25
    return Stage(
        seed=seed,
        fed=fed,
        terms=terms,
        wrong=wrong,
        kills=rng.choice([0, 1, 2, 3, 4, 6]),
        has_full_disk=rng.random() < 0.25,
        has_second=rng.random() < 0.25,
        has_rogue=rng.random() < 0.15,
        heals=rng.random() < 0.5,
    )
