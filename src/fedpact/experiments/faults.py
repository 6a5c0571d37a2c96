"""The protocol in many worlds where everything goes wrong that can, and whether its invariants hold.

One seed makes a world: a federation, its sites, up to three runs of the protocol in one ledger, and everything
that goes wrong in them. Operator, sites, messages, signatures and the ledger's code on SQLite are the real ones;
clock, network, disks and death are simulated (:func:`fedpact.protocol.simulate_world`). Every invariant is checked
after every step; a world in which one breaks is named, and the others go on.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fedpact.describe.numbers import read_whole_number
from fedpact.experiments.faults_page import conclude, draw, tabulate
from fedpact.experiments.sweep.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from fedpact.experiments.sweep.seed_blocks import cut_seeds

_WORLDS = 50


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    start = read_whole_number(settings["first"], "first")
    blocks = cut_seeds(settings["seeds"], _WORLDS)
    return [Task({"seeds": [start + first, start + end]}) for first, end in blocks]


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Simulate a few worlds."""
    from fedpact.protocol import FailedSeedError, simulate_world

    failed, seconds, heads = [], 0.0, hashlib.sha256()
    counts, ended, tally = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(*cell["seeds"]):
        counts["worlds"] += 1
        try:
            seen = simulate_world(seed)
        except FailedSeedError as error:
            failed.append({"seed": seed, "why": error.why})
            continue
        counts.update(runs=seen.runs, entries=seen.entries)
        ended[seen.status.name] += 1
        tally.update(seen.tally)
        seconds += seen.seconds
        heads.update(seen.head.encode())
    sums = {"counts": dict(counts), "ended": dict(ended), "tally": dict(tally)}
    return sums | {"failed": failed, "seconds": seconds, "heads": heads.hexdigest()}


def _add(answers: Sequence[Answer], part: str) -> dict[str, int]:
    return dict(sorted(sum((Counter(answer[part]) for answer in answers), start=Counter[str]()).items()))


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    """Add up all worlds; the digest stands for the last hash of every ledger."""
    counts = _add(answers[0], "counts")
    heads = "".join(answer["heads"] for answer in answers[0])
    return {
        "worlds": counts["worlds"],
        "failed": [one for answer in answers[0] for one in answer["failed"]],
        "runs": counts.get("runs", 0),
        "ended": _add(answers[0], "ended"),
        "entries": counts.get("entries", 0),
        "seconds": sum(answer["seconds"] for answer in answers[0]),
        "tally": _add(answers[0], "tally"),
        "digest": hashlib.sha256(heads.encode()).hexdigest(),
    }


FAULTS = Experiment(
    name="faults",
    about="The protocol in worlds with crashes, losses, liars and worse: whether its rules hold after every step.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
    packages=("SQLAlchemy", "cryptography"),
    extras=("protocol",),
)
