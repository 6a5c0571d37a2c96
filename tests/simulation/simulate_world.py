"""``simulate_world``: runs of the protocol in the world of a seed, every invariant checked at every step."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fedpact.errors import FedpactError, ProtocolError
from fedpact.protocol.operator.run_state import RunStatus
from simulation.auditor import Auditor
from simulation.event_queue import START, Faults, draw_faults
from simulation.site_process import Character
from simulation.stage import set_stage
from simulation.truth import Truth
from simulation.world import World

BUGS = (FedpactError, AssertionError, AttributeError, ArithmeticError, LookupError, TypeError, ValueError)
"""By what a defect shows itself, besides an invariant that does not hold; no fault may make a process raise it."""


class FailedSeedError(ProtocolError):
    """An invariant broke in a simulated world; the seed makes it break again."""

    def __init__(self, seed: int, why: str, log: Iterable[str]) -> None:
        self.seed, self.why, self.log = seed, why, tuple(log)
        super().__init__(f"seed {seed}: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedWorld:
    """What happened in one world."""

    seed: int
    status: RunStatus
    """How its last run ended."""
    runs: int
    entries: int
    seconds: float
    """Of simulated time."""
    tally: Mapping[str, int]
    """How often each thing happened."""
    events: tuple[str, ...]
    """What happened when, one line each."""
    head: str
    """Hash of the last entry: equal for equal worlds."""


def _count(world: World, auditor: Auditor) -> dict[str, int]:
    """Faults that struck, and what the ledgers say came of them."""
    kinds = [entry.kind for entry in auditor.entries]
    noted = {"messages": len(world.sent), "resumes": kinds.count("resume"), "refusals": kinds.count("refuse")}
    noted |= {"gone": kinds.count("gone"), "plans": kinds.count("plan"), "stops": kinds.count("stop")}
    noted["withheld"] = sum(len(audit.withheld) for audit in auditor.runs.values())
    noted["paid"] = sum(len(audit.paid) for audit in auditor.runs.values())
    return {**dict(sorted(world.queue.tally.items())), **noted}


def simulate_world(seed: int, faults: Faults | None = None) -> SimulatedWorld:
    """Run the protocol in the world of a seed.

    Parameters
    ----------
    seed
        Decides everything: federation, sites, teacher, and when faults strike.
    faults
        The chances of all that can go wrong; if not given, the seed draws them.

    Raises
    ------
    FailedSeedError
        If an invariant breaks, something is raised that should not be, or a run does not end; carries what
        happened.

    Examples
    --------
    >>> seen = simulate_world(0)
    >>> seen.head == simulate_world(0).head
    True
    """
    rng = random.Random(seed)
    drawn = draw_faults(Faults(), rng) if faults is None else faults
    stage = set_stage(rng, drawn)
    world = World(stage.pacts, stage.sites, rng=rng, faults=drawn, resumes=stage.resumes, own=stage.own)
    honest = [name for name, process in world.sites.items() if process.character is Character.HONEST]
    auditor = Auditor(Truth(stage.federation, stage.sites, honest, stage.enough))
    try:
        world.run(auditor.look)
        auditor.conclude(world)
    except BUGS as error:
        raise FailedSeedError(seed, f"{type(error).__name__}: {error}", world.queue.log) from error
    finally:
        world.disk.close()
    return SimulatedWorld(
        seed=seed,
        status=world.statuses[-1],
        runs=len(auditor.runs),
        entries=len(auditor.entries),
        seconds=world.queue.now - START,
        tally=_count(world, auditor),
        events=tuple(world.queue.log),
        head=auditor.head,
    )
