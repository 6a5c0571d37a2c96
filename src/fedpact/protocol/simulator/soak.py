"""``reproduce_faults``: many simulated worlds one after the other, and what went wrong in them altogether."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from enum import Enum
from functools import partial
from importlib.metadata import version
from typing import Any

from fedpact.describe.numbers import read_whole_number
from fedpact.protocol.simulator.faults import Faults
from fedpact.protocol.simulator.simulate_world import FailedSeedError, simulate_world

_CHUNK = 50
_PACKAGES = ("fedpact", "numpy", "SQLAlchemy", "cryptography")


class FaultsStatus(Enum):
    """What a soak has found, in words a user can act on."""

    PASSED = "every invariant held after every step of every world"
    FAILED = "an invariant broke: to see how, fedpact reproduce faults --replay SEED"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedSeed:
    """A world in which an invariant broke."""

    seed: int
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultsSoak:
    """What happened in many worlds."""

    worlds: int
    failed: tuple[FailedSeed, ...]
    runs: int
    ended: dict[str, int]
    """How the last run of each world ended -> worlds."""
    entries: int
    """Of all ledgers."""
    seconds: float
    """Of simulated time."""
    tally: dict[str, int]
    """How often each fault struck, and what came of it."""
    digest: str
    """Stands for the last hash of every ledger: equal for equal worlds."""
    first: int
    """The first seed; the others follow it."""
    seeds: int
    """That were asked for."""
    faults: Faults | None
    """The chances of all that can go wrong; None: every seed draws its own."""
    versions: dict[str, str]

    @property
    def is_complete(self) -> bool:
        """Whether all seeds were simulated that were asked for."""
        return self.worlds == self.seeds

    @property
    def status(self) -> FaultsStatus:
        """The finding in words."""
        return FaultsStatus.FAILED if self.failed else FaultsStatus.PASSED

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "experiment": "faults",
            "worlds": self.worlds,
            "failed": [one.to_dict() for one in self.failed],
            "runs": self.runs,
            "ended": dict(self.ended),
            "entries": self.entries,
            "seconds": self.seconds,
            "tally": dict(self.tally),
            "digest": self.digest,
            "is_complete": self.is_complete,
            "status": self.status.value,
            "first": self.first,
            "seeds": self.seeds,
            "faults": None if self.faults is None else self.faults.to_dict(),
            "versions": dict(self.versions),
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> FaultsSoak:
        """Read what :meth:`to_dict` wrote."""
        derived = ("experiment", "is_complete", "status")
        values = {key: value for key, value in entry.items() if key not in derived}
        values["failed"] = tuple(FailedSeed(**one) for one in entry["failed"])
        faults = None if entry["faults"] is None else Faults(**entry["faults"])
        return cls(**{**values, "faults": faults})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    """What a few worlds come to."""

    failed: tuple[FailedSeed, ...]
    counts: Counter[str]
    ended: Counter[str]
    tally: Counter[str]
    seconds: float
    heads: str


def _soak_chunk(faults: Faults | None, seeds: range) -> _Chunk:
    failed: list[FailedSeed] = []
    counts, ended, tally = Counter[str](), Counter[str](), Counter[str]()
    heads, seconds = hashlib.sha256(), 0.0
    for seed in seeds:
        counts["worlds"] += 1
        try:
            seen = simulate_world(seed, faults)
        except FailedSeedError as error:
            failed.append(FailedSeed(seed=seed, why=error.why))
            continue
        counts.update(runs=seen.runs, entries=seen.entries)
        ended[seen.status.name] += 1
        tally.update(seen.tally)
        seconds += seen.seconds
        heads.update(seen.head.encode())
    return _Chunk(
        failed=tuple(failed), counts=counts, ended=ended, tally=tally, seconds=seconds, heads=heads.hexdigest()
    )


@contextmanager
def _mapped(work: Callable[[range], _Chunk], chunks: list[range], workers: int) -> Iterator[Iterable[_Chunk]]:
    """Work on chunks here, or in some processes, which are ended with the block."""
    if workers == 1:
        yield map(work, chunks)
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            yield pool.map(work, chunks)
        finally:
            pool.shutdown(cancel_futures=True)


def _add(found: list[_Chunk]) -> dict[str, Any]:
    def total(part: str) -> dict[str, int]:
        return dict(sorted(sum((getattr(chunk, part) for chunk in found), start=Counter[str]()).items()))

    counts = total("counts")
    return {
        "worlds": counts.get("worlds", 0),
        "failed": tuple(one for chunk in found for one in chunk.failed),
        "runs": counts.get("runs", 0),
        "ended": total("ended"),
        "entries": counts.get("entries", 0),
        "seconds": sum(chunk.seconds for chunk in found),
        "tally": total("tally"),
        "digest": hashlib.sha256("".join(chunk.heads for chunk in found).encode()).hexdigest(),
    }


def reproduce_faults(
    seeds: Any = 20_000,
    progress: Callable[[int, int], None] | None = None,
    *,
    first: Any = 0,
    faults: Faults | None = None,
    workers: Any = 1,
) -> FaultsSoak:
    """Simulate many worlds, each by its seed, and count what happened; one that fails is noted.

    Parameters
    ----------
    seeds
        How many.
    progress
        Called with the worlds that are done, and all.
    first
        The first seed; to go on where another soak has ended, give the first that it did not simulate.
    faults
        The chances of all that can go wrong; if not given, every seed draws its own, up to those of ``Faults()``.
    workers
        Processes to work in; 1 is this one. What is found does not depend on it.

    Examples
    --------
    >>> seen = reproduce_faults(3)
    >>> seen.worlds, seen.status.name
    (3, 'PASSED')
    """
    count, start = read_whole_number(seeds, "seeds", least=1), read_whole_number(first, "first")
    chunks = [range(at, min(at + _CHUNK, start + count)) for at in range(start, start + count, _CHUNK)]
    found: list[_Chunk] = []
    work, count_of = partial(_soak_chunk, faults), read_whole_number(workers, "workers", least=1)
    with _mapped(work, chunks, count_of) as mapped, suppress(KeyboardInterrupt):
        for chunk in mapped:
            found.append(chunk)
            if progress is not None:
                progress(min(len(found) * _CHUNK, count), count)
    if not found:
        raise KeyboardInterrupt
    versions = {package: version(package) for package in _PACKAGES}
    return FaultsSoak(**_add(found), first=start, seeds=count, faults=faults, versions=versions)
