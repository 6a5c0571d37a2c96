"""Is this contribution vector enough? The answer, and the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.names import nearest
from fedpact.describe.numbers import read_whole_number
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError
from fedpact.statistics.engine import CONFIDENCE, DRAWS, JOINT, Engine, engine_of


class VerificationStatus(Enum):
    """What a verification found, in words a user can act on."""

    MET = "the guarantee holds"
    MISSED = "the guarantee does not hold: more samples are needed"
    UNDECIDED = (
        "not decided: an interval reaches across the threshold; more samples, or more draws, would settle it"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value known exactly (low equals high) or within certified or confidence limits."""

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high

    def to_dict(self) -> dict[str, float]:
        """``{"value"}`` or ``{"low", "high"}``."""
        return {"value": self.high} if self.is_exact else {"low": self.low, "high": self.high}

    @classmethod
    def from_dict(cls, entry: Mapping[str, float]) -> Interval:
        """Read what :meth:`to_dict` wrote."""
        return cls(low=entry.get("low", entry.get("value", 0.0)), high=entry.get("high", entry.get("value", 1.0)))

    def __str__(self) -> str:
        return f"{self.high:.6g}" if self.is_exact else f"{self.low:.6g} to {self.high:.6g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Whether a contribution vector meets every agent's target.

    ``failure`` is the probability of missing the target for the pac objective and the expected error for the
    expected objective.
    """

    contributions: dict[str, int]
    failure: dict[str, Interval]
    met: dict[str, bool]
    is_feasible: bool
    """Whether the federation's chosen guarantee holds."""
    joint_failure: Interval | None
    """Probability that some agent misses its target; only for the joint guarantee."""
    cost: float
    worst_target: dict[str, str]
    """The truth that is hardest for each agent."""
    blocking: dict[str, str]
    """For every missed target, the bad hypothesis that most likely survives."""
    status: VerificationStatus
    confidence: float
    """With which all intervals hold; 1 where none is an estimate."""
    how: dict[str, str]
    """"exact", "bounds" or "estimate", for each agent."""
    method: str
    objective: str
    guarantee: str

    @property
    def m(self) -> NDArray[np.int64]:
        """(k,) the contribution vector."""
        return np.array(list(self.contributions.values()), dtype=np.int64)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        value = "failure" if self.objective == "pac" else "expected_error"
        out: dict[str, Any] = {
            "contributions": dict(self.contributions),
            value: {name: interval.to_dict() for name, interval in self.failure.items()},
            "met": dict(self.met),
            "feasible": self.is_feasible,
        }
        if self.joint_failure is not None:
            out["joint_failure"] = self.joint_failure.to_dict()
        return out | {
            "cost": self.cost,
            "worst_target": dict(self.worst_target),
            "blocking": dict(self.blocking),
            "status": self.status.value,
            "how": dict(self.how),
            "confidence": self.confidence,
            "method": self.method,
            "objective": self.objective,
            "guarantee": self.guarantee,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Verification:
        """Read what :meth:`to_dict` wrote."""
        values = entry["failure" if entry["objective"] == "pac" else "expected_error"]
        joint = entry.get("joint_failure")
        return cls(
            contributions=dict(entry["contributions"]),
            failure={name: Interval.from_dict(value) for name, value in values.items()},
            met=dict(entry["met"]),
            is_feasible=entry["feasible"],
            joint_failure=None if joint is None else Interval.from_dict(joint),
            cost=entry["cost"],
            worst_target=dict(entry["worst_target"]),
            blocking=dict(entry["blocking"]),
            status=VerificationStatus(entry["status"]),
            confidence=entry["confidence"],
            how=dict(entry["how"]),
            method=entry["method"],
            objective=entry["objective"],
            guarantee=entry["guarantee"],
        )


def read_contributions(fed: Federation, m: Any) -> NDArray[np.int64]:
    """Check a contribution vector: a whole number per agent, or a mapping in which absent agents give nothing.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> read_contributions(alice_bob(), {"bob": 2})
    array([0, 2])
    """
    if isinstance(m, Mapping):
        for name in m:
            if name not in fed.names:
                raise FederationError(
                    f"m names {name!r}, who is not in the federation; {nearest(str(name), fed.names)}"
                )
        entries = [m.get(name, 0) for name in fed.names]
    elif (isinstance(m, Sequence) and not isinstance(m, str)) or (isinstance(m, np.ndarray) and m.ndim == 1):
        entries = list(m)
    else:
        raise FederationError(f"m must be one whole number per agent; it is {m!r}")
    if len(entries) != fed.k:
        raise FederationError(f"m must have one number per agent; it has {len(entries)} for {fed.k} agents")
    counts = [
        read_whole_number(entry, f"agent {name!r}: m") for name, entry in zip(fed.names, entries, strict=True)
    ]
    for agent, count in zip(fed.agents, counts, strict=True):
        if count > _LARGEST:
            raise FederationError(f"agent {agent.name!r}: m must be at most {_LARGEST:,}; it is {count:,}")
        if agent.capacity is not None and count > agent.capacity:
            raise FederationError(
                f"agent {agent.name!r}: m must be at most its capacity {agent.capacity}; it is {count}"
            )
    return np.array(counts, dtype=np.int64)


_LARGEST = 10**12


def verify(
    fed: Federation,
    m: Any,
    *,
    method: str = "auto",
    rng: np.random.Generator | None = None,
    draws: int = DRAWS,
) -> Verification:
    """Answer whether the contribution vector ``m`` meets every agent's target.

    Parameters
    ----------
    fed
        The federation.
    m
        (k,) samples per agent, or a mapping from agent name to samples.
    method
        "exact", "bounds" (a certified interval), "estimate" (Karp-Luby, with a confidence interval), or
        "auto": the first of the three that settles the question at bounded effort.
    rng
        For the estimate; ``numpy.random.default_rng(0)`` if not given.
    draws
        Draws per target for the estimate.

    Examples
    --------
    The paper's Alice and Bob: one sample each fails with probability 0.32, exactly 4 epsilon (1 - 2 epsilon).

    >>> from fedpact.describe.examples import alice_bob
    >>> seen = verify(alice_bob(epsilon=0.1, delta=0.05), [1, 1])
    >>> print(seen.failure["alice"], seen.met["alice"], seen.how["alice"])
    0.32 False exact
    >>> verify(alice_bob(epsilon=0.1, delta=0.32), [1, 1]).is_feasible
    True
    """
    counts = read_contributions(fed, m)
    if draws < 2:
        raise FederationError(f"draws must be at least 2; it is {draws}")
    engine = engine_of(fed)
    is_joint = fed.guarantee == "joint" and fed.objective == "pac"
    requirements = [*range(fed.k), *([JOINT] if is_joint else [])]
    values = engine.evaluate(counts[None, :], requirements, method=method, rng=rng, draws=draws)
    intervals = [
        Interval(low=float(low), high=float(high)) for low, high in zip(values.low[0], values.high[0], strict=True)
    ]
    limits = [engine.threshold(requirement) for requirement in requirements]
    met = [not exceeds(interval.high, limit) for interval, limit in zip(intervals, limits, strict=True)]
    missed = [exceeds(interval.low, limit) for interval, limit in zip(intervals, limits, strict=True)]
    asked = slice(fed.k, None) if is_joint else slice(0, fed.k)
    return Verification(
        contributions=dict(zip(fed.names, counts.tolist(), strict=True)),
        failure=dict(zip(fed.names, intervals, strict=False)),
        met=dict(zip(fed.names, met, strict=False)),
        is_feasible=all(met[asked]),
        joint_failure=intervals[-1] if is_joint else None,
        cost=fed.cost_of(counts),
        worst_target={
            name: fed.hypotheses[target] for name, target in zip(fed.names, values.target[0], strict=False)
        },
        blocking=_find_blocking(engine, counts, values.target[0], [not entry for entry in met[: fed.k]]),
        status=_status(met[asked], missed[asked]),
        confidence=CONFIDENCE if "estimate" in values.how[0] else 1.0,
        how=dict(zip(fed.names, values.how[0].tolist(), strict=False)),
        method=method,
        objective=fed.objective,
        guarantee=fed.guarantee,
    )


def _status(met: Sequence[bool], missed: Sequence[bool]) -> VerificationStatus:
    if all(met):
        return VerificationStatus.MET
    return VerificationStatus.MISSED if any(missed) else VerificationStatus.UNDECIDED


def _find_blocking(
    engine: Engine, m: NDArray[np.int64], targets: NDArray[np.intp], is_missed: Sequence[bool]
) -> dict[str, str]:
    fed = engine.fed
    return {
        fed.names[agent]: fed.hypotheses[engine.find_likeliest_miss(agent, int(targets[agent]), m)]
        for agent in range(fed.k)
        if is_missed[agent]
    }
