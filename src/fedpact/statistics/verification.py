"""Is this contribution vector enough? The answer, and the question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.names import nearest, read_choice
from fedpact.describe.numbers import Number, read_whole_number, shorten
from fedpact.describe.settings import Contributions
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable, rows_by_name
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.engine import CONFIDENCE, DRAWS, METHODS, Engine, engine_of
from fedpact.statistics.questions import Values
from fedpact.statistics.weights import JOINT


class VerificationStatus(Enum):
    """What a verification found, in words a user can act on."""

    MET = "the guarantee holds"
    LIKELY = "the guarantee holds with the stated confidence: it rests on an estimate"
    MISSED = "the guarantee does not hold: more samples are needed"
    UNDECIDED = (
        "not decided: an interval reaches across the threshold; more samples, or more draws, would settle it"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value known exactly (low equals high) or within limits; an infinite ``high`` is no limit."""

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high

    @property
    def value(self) -> float | None:
        """The value, if it is known."""
        return self.high if self.is_exact else None

    def to_dict(self) -> dict[str, float | None]:
        """``{"value"}`` or ``{"low", "high"}``, where no upper limit is None."""
        if self.is_exact:
            return {"value": self.high}
        return {"low": self.low, "high": self.high if math.isfinite(self.high) else None}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Interval:
        """Read what :meth:`to_dict` wrote."""
        if "value" in entry:
            return cls(low=entry["value"], high=entry["value"])
        return cls(low=entry["low"], high=math.inf if entry["high"] is None else entry["high"])

    def __str__(self) -> str:
        if self.is_exact:
            return f"{self.high:.6g}"
        return f"{self.low:.6g} to {self.high:.6g}" if math.isfinite(self.high) else f"at least {self.low:.6g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """Probability that some agent misses its target, how it is known, and what is worst."""

    failure: Interval
    how: str
    worst_target: str
    blocking: str | None
    """The bad hypothesis that most likely survives, where the guarantee is not known to hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification(Shows):
    """Whether a contribution vector meets every agent's target.

    ``failure`` is the probability of missing the target for the pac objective and the expected error for the
    expected objective.
    """

    contributions: dict[str, int]
    failure: dict[str, Interval]
    met: dict[str, bool]
    is_feasible: bool
    """Whether the federation's chosen guarantee holds."""
    joint: Joint | None
    """The same for all agents at once; only for the joint guarantee."""
    cost: float
    worst_target: dict[str, str]
    """The truth that is hardest for each agent."""
    blocking: dict[str, str]
    """For every target not known to be met, the bad hypothesis that most likely survives."""
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

    @property
    def joint_failure(self) -> Interval | None:
        """Probability that some agent misses its target; None unless the guarantee is joint."""
        return None if self.joint is None else self.joint.failure

    def shown(self) -> ShownTable:
        """Show how sure each agent's target is."""
        value = "failure" if self.objective == "pac" else "expected_error"
        low = {name: interval.low for name, interval in self.failure.items()}
        high = {name: interval.high for name, interval in self.failure.items()}
        return ShownTable(
            title="Verification",
            status=self.status.value,
            facts={"cost": self.cost, "joint failure": self.joint_failure, "confidence": self.confidence},
            columns=[
                ("agent", str),
                ("samples", int),
                ("met", bool),
                (f"{value}_low", float),
                (f"{value}_high", float),
                ("how", str),
                ("worst_target", str),
                ("blocking", str),
            ],
            rows=rows_by_name(self.contributions, self.met, low, high, self.how, self.worst_target, self.blocking),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        value = "failure" if self.objective == "pac" else "expected_error"
        out: dict[str, Any] = {
            "contributions": dict(self.contributions),
            value: {name: interval.to_dict() for name, interval in self.failure.items()},
            "met": dict(self.met),
            "feasible": self.is_feasible,
        }
        if self.joint is not None:
            out["joint_failure"] = self.joint.failure.to_dict()
            out["joint_how"] = self.joint.how
            out["joint_worst_target"] = self.joint.worst_target
            out["joint_blocking"] = self.joint.blocking
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
        joint = None
        if "joint_failure" in entry:
            joint = Joint(
                failure=Interval.from_dict(entry["joint_failure"]),
                how=entry["joint_how"],
                worst_target=entry["joint_worst_target"],
                blocking=entry["joint_blocking"],
            )
        return cls(
            contributions=dict(entry["contributions"]),
            failure={name: Interval.from_dict(value) for name, value in values.items()},
            met=dict(entry["met"]),
            is_feasible=entry["feasible"],
            joint=joint,
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


def read_contributions(fed: Federation, m: Any, field: str = "m") -> NDArray[np.int64]:
    """Check a contribution vector: a whole number per agent, or a mapping in which absent agents give nothing.

    Errors call it ``field``.

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
                    f"{field} names {name!r}, who is not in the federation; {nearest(str(name), fed.names)}"
                )
        entries = [m.get(name, 0) for name in fed.names]
    elif (isinstance(m, np.ndarray) and m.ndim == 1) or (
        isinstance(m, Sequence) and not isinstance(m, str | bytes)
    ):
        entries = list(m)
    else:
        raise FederationError(f"{field} must be one whole number per agent; it is {shorten(m)}")
    if len(entries) != fed.k:
        raise FederationError(f"{field} must have one number per agent; it has {len(entries)} for {fed.k} agents")
    counts = [
        read_whole_number(entry, f"agent {name!r}: {field}")
        for name, entry in zip(fed.names, entries, strict=True)
    ]
    for agent, count in zip(fed.agents, counts, strict=True):
        if count > _LARGEST:
            raise FederationError(f"agent {agent.name!r}: {field} must be at most {_LARGEST:,}; it is {count:,}")
        if agent.capacity is not None and count > agent.capacity:
            raise FederationError(
                f"agent {agent.name!r}: {field} must be at most its capacity {agent.capacity}; it is {count}"
            )
    return np.array(counts, dtype=np.int64)


_LARGEST = 10**12
MOST_DRAWS = 100_000_000


@takes_federation
def verify(
    fed: Federation,
    m: Contributions,
    *,
    how: str = "auto",
    confidence: Number | None = None,
    rng: np.random.Generator | None = None,
    draws: int = DRAWS,
) -> Verification:
    """Answer whether the contribution vector ``m`` meets every agent's target.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    m
        (k,) samples per agent, or a mapping from agent name to samples.
    how
        "exact", "bounds" (a certified interval), "estimate" (Karp-Luby, with a confidence interval), or
        "auto": the first of the three that settles the question at bounded effort.
    confidence
        If given, the rates are taken for estimates from each site's points, and the intervals hold with this
        probability over the draw of those (:func:`fedpact.planning.at_confidence`).
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
    read_choice(how, "how", METHODS)
    if confidence is not None:
        fed = at_confidence(fed, confidence)
    counts = read_contributions(fed, m)
    draws = read_whole_number(draws, "draws")
    if not 2 <= draws <= MOST_DRAWS:
        raise FederationError(f"draws must lie between 2 and {MOST_DRAWS:,}; it is {draws:,}")
    engine = engine_of(fed)
    is_joint = fed.guarantee == "joint" and fed.objective == "pac"
    requirements = [*range(fed.k), *([JOINT] if is_joint else [])]
    values = engine.evaluate(counts[None, :], requirements, method=how, rng=rng, draws=draws)
    answers = [_answer(engine, counts, values, column, r) for column, r in enumerate(requirements)]
    own, asked = answers[: fed.k], answers[fed.k :] if is_joint else answers
    return Verification(
        contributions=dict(zip(fed.names, counts.tolist(), strict=True)),
        failure={name: answer.failure for name, answer in zip(fed.names, own, strict=True)},
        met={name: answer.is_met for name, answer in zip(fed.names, own, strict=True)},
        is_feasible=all(answer.is_met for answer in asked),
        joint=_joint(answers[-1]) if is_joint else None,
        cost=fed.cost_of(counts),
        worst_target={name: answer.target for name, answer in zip(fed.names, own, strict=True)},
        blocking={n: answer.blocking for n, answer in zip(fed.names, own, strict=True) if answer.blocking},
        status=_status(asked),
        confidence=_confidence(fed, answers),
        how={name: answer.how for name, answer in zip(fed.names, own, strict=True)},
        method=how,
        objective=fed.objective,
        guarantee=fed.guarantee,
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """One requirement at one contribution vector."""

    failure: Interval
    is_met: bool
    is_missed: bool
    how: str
    target: str
    blocking: str | None


def _answer(engine: Engine, m: NDArray[np.int64], values: Values, column: int, requirement: int) -> _Answer:
    limit, target = engine.threshold(requirement), int(values.target[0, column])
    failure = Interval(low=float(values.low[0, column]), high=float(values.high[0, column]))
    is_met = not exceeds(failure.high, limit)
    names = engine.fed.hypotheses
    return _Answer(
        failure=failure,
        is_met=is_met,
        is_missed=exceeds(failure.low, limit),
        how=str(values.how[0, column]),
        target=names[target],
        blocking=None if is_met else names[engine.find_likeliest_miss(requirement, target, m)],
    )


def _confidence(fed: Federation, answers: Sequence[_Answer]) -> float:
    """With which probability all intervals hold."""
    if isinstance(fed.evidence, Reports) and fed.evidence.confidence is not None:
        return fed.evidence.confidence
    return CONFIDENCE if any(answer.how == "estimate" for answer in answers) else 1.0


def _joint(answer: _Answer) -> Joint:
    return Joint(failure=answer.failure, how=answer.how, worst_target=answer.target, blocking=answer.blocking)


def _status(asked: Sequence[_Answer]) -> VerificationStatus:
    if all(answer.is_met for answer in asked):
        is_sure = all(answer.how != "estimate" for answer in asked)
        return VerificationStatus.MET if is_sure else VerificationStatus.LIKELY
    is_missed = any(answer.is_missed for answer in asked)
    return VerificationStatus.MISSED if is_missed else VerificationStatus.UNDECIDED
