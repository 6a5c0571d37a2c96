"""``verify``: whether a contribution vector is enough for every agent (Equation 2 of the paper, Definition 3).

Definition 3 is stated with one m for all agents and for all of them at once; here everybody has its own m_i,
and the guarantee is named, per agent or joint (ERRATA B2, C2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Bools, Ints, Places
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import Number, read_whole_number, shorten
from fedpact.describe.settings import (
    Assumed,
    Contributions,
    Guarantee,
    HasContributions,
    Objective,
    read_per_agent,
)
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError, FormatError
from fedpact.plain import read_fields, to_plain
from fedpact.result import Result
from fedpact.statistics.confidence import at_confidence, clopper_pearson
from fedpact.statistics.engine import CONFIDENCE, DRAWS, METHODS, engine_of
from fedpact.statistics.request import ask
from fedpact.statistics.weights import JOINT

if TYPE_CHECKING:
    from pandas import DataFrame


class VerificationStatus(StrEnum):
    """What a verification found."""

    MET = "met"
    """The guarantee holds."""
    LIKELY = "likely"
    """The guarantee holds with the stated confidence: it rests on an estimate."""
    MISSED = "missed"
    """The guarantee does not hold."""
    UNDECIDED = "undecided"
    """An interval reaches across the threshold."""


class How(StrEnum):
    """How a failure probability, or an expected error, is known."""

    EXACT = "exact"
    """It was computed."""
    BOUNDS = "bounds"
    """It lies in a certified interval."""
    ESTIMATE = "estimate"
    """It lies in a confidence interval, by Karp and Luby's method."""


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

    def to_plain(self) -> dict[str, float | None]:
        """``{"value"}`` or ``{"low", "high"}``, where no upper limit is None."""
        ends = {"low": self.low, "high": self.high}
        return {key: to_plain(end) for key, end in ({"value": self.high} if self.is_exact else ends).items()}

    @classmethod
    def from_plain(cls, entry: Any, where: str) -> Interval:
        """Read what :meth:`to_plain` wrote."""
        if isinstance(entry, Mapping) and set(entry) == {"value"}:
            entry = {"low": entry["value"], "high": entry["value"]}
        found: Interval = read_fields(cls, entry, where)
        return found

    def __str__(self) -> str:
        if self.is_exact:
            return f"{self.high:.6g}"
        return f"{self.low:.6g} to {self.high:.6g}" if math.isfinite(self.high) else f">= {self.low:.6g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification(Assumed, HasContributions, Result):
    """Whether a contribution vector meets every agent's target.

    ``failure`` is the probability of missing the target for the pac objective and the expected error for the
    expected objective, where its key is ``expected_error``. What begins with ``joint_`` is about all agents at
    once, and None unless the guarantee is joint.
    """

    contributions: dict[str, int]
    failure: dict[str, Interval]
    met: dict[str, bool]
    is_feasible: bool = field(metadata={"key": "feasible"})
    """Whether the federation's chosen guarantee holds."""
    joint_failure: Interval | None = field(default=None, metadata={"is_optional": True})
    """Probability that some agent misses its target."""
    joint_how: How | None = field(default=None, metadata={"is_optional": True})
    joint_worst_truth: str | None = field(default=None, metadata={"is_optional": True})
    joint_blocking: str | None = field(default=None, metadata={"is_optional": True})
    simulated: dict[str, Interval] | None = field(default=None, metadata={"is_optional": True})
    """How often each target is missed where labels are wrong at random with the probability ``noise``, against the
    truths that are hardest; None if that was not simulated."""
    cost: float
    allowed: dict[str, float]
    """How large ``failure`` may be: delta, or the agent's epsilon."""
    worst_truth: dict[str, str]
    """The truth that is hardest for each agent."""
    blocking: dict[str, str]
    """For every target not known to be met, the bad hypothesis that most likely survives."""
    status: VerificationStatus
    confidence: float
    """With which all intervals hold; 1 where none is an estimate."""
    how: dict[str, How]
    method: str
    """What was asked for: one of :class:`How`, or "auto"."""
    objective: Objective
    guarantee: Guarantee
    name: str
    """The federation's name."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        key = _VALUES.get(self.objective, "failure")
        return {key if own == "failure" else own: value for own, value in Result.to_dict(self).items()}

    @classmethod
    def from_plain(cls, entry: Any, where: str) -> Verification:
        """Read it where it stands in another dictionary, whose place is ``where``."""
        for objective, own in _VALUES.items() if isinstance(entry, Mapping) else ():
            if own in entry:
                entry = {"failure" if key == own else key: value for key, value in entry.items()}
            elif entry.get("objective") == objective:
                raise FormatError(f"{where}: {own!r} is missing")
        return super(Verification, cls).from_plain(entry, where)

    def to_dataframe(self) -> DataFrame:
        """Give a row per agent as a pandas DataFrame, in the words of its JSON; needs ``fedpact[notebook]``."""
        key = _VALUES.get(self.objective, "failure")
        return Result.to_dataframe(self).rename(columns={f"failure_{end}": f"{key}_{end}" for end in _ENDS})


_VALUES = {"expected": "expected_error"}
_ENDS = ("low", "high")


def read_contributions(fed: Federation, m: Any, field: str = "m") -> Ints:
    """Check a contribution vector: a whole number per agent, or a mapping in which absent agents give nothing.

    Errors call it ``field``.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> read_contributions(alice_bob(), {"bob": 2})
    array([0, 2])
    """
    if isinstance(m, Mapping):
        m = dict.fromkeys(fed.names, 0) | dict(m)
    elif isinstance(m, str | bytes) or not isinstance(m, Sequence | np.ndarray) or getattr(m, "ndim", 1) != 1:
        raise FederationError(f"{field} must be one whole number per agent; it is {shorten(m)}")
    given = m if isinstance(m, Mapping) else list(m)
    if not isinstance(m, Mapping) and len(m) != fed.k:
        raise FederationError(f"{field} must have one number per agent; it has {len(m)} for {fed.k} agents")
    counts = read_per_agent(fed.names, given, field, partial(read_whole_number, field=field, most=_LARGEST))
    for agent, count in zip(fed.agents, counts, strict=True):
        if agent.capacity is not None and count > agent.capacity:
            raise FederationError(
                f"agent {agent.name!r}: {field} must be at most its capacity {agent.capacity}; it is {count}"
            )
    return np.array(counts, dtype=np.int64)


_LARGEST = 10**12
MOST_DRAWS = 100_000_000
# Truths that noisy labels are simulated for.
_MOST_TRUTHS = 5


@takes_federation
def verify(
    fed: Federation,
    m: Contributions,
    *,
    how: str = "auto",
    confidence: Number | None = None,
    teacher: str | None = None,
    assume: str | None = None,
    noise: Number | None = None,
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
        "auto": the first of the three that settles the question at bounded effort. Where labels may be wrong,
        "met" and "missed" are by bounds; with noise, "estimate" also simulates labels that are wrong at random
        (:mod:`fedpact.statistics.simulate_labels`), and so does "auto" where bounds prove too little.
    confidence
        If given, the rates are taken for estimates from each site's points, and the intervals hold with this
        probability over the draw of those (:func:`fedpact.planning.at_confidence`).
    teacher
        The hypothesis that labels the samples, if that is known; else any may be the truth.
    assume, noise
        What is assumed of labels, as for :func:`fedpact.plan`.
    rng
        For the estimate; ``numpy.random.default_rng(0)`` if not given.
    draws
        Draws per truth for the estimate; of noisy labels a tenth of them unless an "estimate" is asked for.

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
    fed = ask(fed, teacher=teacher, assume=assume, noise=noise)
    if confidence is not None:
        fed = at_confidence(fed, confidence)
    counts = read_contributions(fed, m)
    draws = read_whole_number(draws, "draws", least=2, most=MOST_DRAWS)
    engine = engine_of(fed)
    is_joint = fed.guarantee == "joint" and fed.objective == "pac"
    requirements = [*range(fed.k), *([JOINT] if is_joint else [])]
    values = engine.evaluate(counts[None, :], requirements, method=how, rng=rng, draws=draws)
    limits = np.array([engine.threshold(requirement) for requirement in requirements])
    is_met, is_missed = ~exceeds(values.high[0], limits), exceeds(values.low[0], limits)
    ends, truths = zip(values.low[0].tolist(), values.high[0].tolist(), strict=True), values.truth[0].tolist()
    failure, hows = [Interval(low=low, high=high) for low, high in ends], [How(how) for how in values.how[0]]
    worst = [fed.hypotheses[truth] for truth in truths]
    blocking = [
        None if met else fed.hypotheses[engine.find_likeliest_miss(requirement, truth, counts)]
        for requirement, truth, met in zip(requirements, truths, is_met, strict=True)
    ]
    asked = slice(fed.k if is_joint else 0, None)
    is_feasible = bool(is_met[asked].all())
    few = draws if how == "estimate" else max(2, draws // 10)
    simulated = _simulate(fed, counts, values.truth[0], few, rng) if _is_simulated(fed, how, is_feasible) else None
    return Verification(
        contributions=dict(zip(fed.names, counts.tolist(), strict=True)),
        failure=dict(zip(fed.names, failure, strict=False)),  # the joint one is last
        met=dict(zip(fed.names, is_met.tolist(), strict=False)),
        is_feasible=is_feasible,
        joint_failure=failure[-1] if is_joint else None,
        joint_how=hows[-1] if is_joint else None,
        joint_worst_truth=worst[-1] if is_joint else None,
        joint_blocking=blocking[-1] if is_joint else None,
        simulated=simulated,
        cost=fed.cost_of(counts),
        allowed=dict(zip(fed.names, limits.tolist(), strict=False)),
        worst_truth=dict(zip(fed.names, worst, strict=False)),
        blocking={name: one for name, one in zip(fed.names, blocking, strict=False) if one},
        status=_status(is_met[asked], is_missed[asked], hows[asked]),
        confidence=_confidence(fed, hows, simulated is not None),
        how=dict(zip(fed.names, hows, strict=False)),
        method=how,
        name=fed.name,
        **fed.stated(),
    )


def _is_simulated(fed: Federation, how: str, is_met: bool) -> bool:
    """Whether noisy labels are drawn: where that is asked for, or bounds prove too little and points are known."""
    if how == "estimate" and fed.assume == "agnostic":
        raise FederationError(
            "how 'estimate' has no labels to draw with assume 'agnostic'; use 'bounds' or 'auto'"
        )
    if fed.noise is None or how == "bounds":
        return False
    return how == "estimate" or not (is_met or isinstance(fed.evidence, Reports))


def _simulate(
    fed: Federation, m: Ints, truths: Places, draws: int, rng: np.random.Generator | None
) -> dict[str, Interval]:
    """Simulate noisy labels of the truths that are hardest for somebody; the intervals hold all at once."""
    from fedpact.statistics.simulate_labels import count_failures

    hardest = np.unique(truths)[:_MOST_TRUTHS]
    rng = np.random.default_rng(0) if rng is None else rng
    failed = [count_failures(fed, m, int(truth), draws=draws, rng=rng) for truth in hardest]
    most = np.max(failed, axis=0)
    low, high = clopper_pearson(most, draws, (1 - CONFIDENCE) / (2 * fed.k * len(hardest)))
    return {name: Interval(low=float(a), high=float(b)) for name, a, b in zip(fed.names, low, high, strict=True)}


def _confidence(fed: Federation, hows: Sequence[How], is_simulated: bool) -> float:
    """With which probability all intervals hold."""
    if isinstance(fed.evidence, Reports) and fed.evidence.confidence is not None:
        return fed.evidence.confidence
    return CONFIDENCE if is_simulated or How.ESTIMATE in hows else 1.0


def _status(is_met: Bools, is_missed: Bools, hows: Sequence[How]) -> VerificationStatus:
    if is_met.all():
        return VerificationStatus.LIKELY if How.ESTIMATE in hows else VerificationStatus.MET
    return VerificationStatus.MISSED if is_missed.any() else VerificationStatus.UNDECIDED
