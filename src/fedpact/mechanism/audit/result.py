"""An audit: the largest gain from misreporting that was found, in each scenario, and the lie that brings it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from fedpact.describe.settings import Assumed, Guarantee, Objective
from fedpact.mechanism.payment.rule import Truthful
from fedpact.mechanism.payment.settlement import RuleCode
from fedpact.mechanism.witness import Witness
from fedpact.result import Result


class AuditStatus(StrEnum):
    """What an audit found."""

    EX_POST_GAIN = "ex-post-gain"
    """An agent gains although all others are truthful."""
    DOMINANT_GAIN = "dominant-gain"
    """An agent gains only where others misreport as well."""
    COALITION_GAIN = "coalition-gain"
    """Two agents together gain, or one under two names."""
    NO_GAIN = "no-gain"
    """No profitable misreport was found."""


class Scenario(StrEnum):
    """Who misreports."""

    EX_POST = "ex-post"
    """One agent; the others are truthful."""
    DOMINANT = "dominant"
    """One agent, and others as well, whether that helps it or not."""
    PAIR = "pair"
    """Two agents together, who share what they gain."""
    SPLIT = "split"
    """One agent under two names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding:
    """The largest gain in one scenario, zero if none was found, and in how many reports it was looked for."""

    scenario: Scenario
    gain: float
    tried: int
    witness: Witness | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Assumed, Result):
    """Largest gains from misreporting that were found under one rule; each is certain, and there may be larger."""

    DERIVED: ClassVar = ("gain", "gain_dominant", "gain_coalition", "witness", "tried", "status")
    ROWS: ClassVar = "findings"

    ex_post: AuditFinding
    dominant: AuditFinding
    pair: AuditFinding
    split: AuditFinding
    truthful: Truthful
    """In which sense truth is known to be a best report under the rule."""
    undecided: int
    """Reports left out because the optimum that the rule needs could not be proved."""
    is_complete: bool
    """Whether all reports were tried that were asked for."""
    rule: RuleCode
    pivot: str | None
    private: Annotated[str, ("data", "costs")]
    """ "data" or "costs": what agents could misreport."""
    deviations: tuple[str, ...]
    """What was searched: some of "ex-post", "dominant" and "coalition"."""
    method: str
    objective: Objective
    guarantee: Guarantee
    name: str
    """The federation's."""

    @property
    def findings(self) -> tuple[AuditFinding, ...]:
        """What was found, scenario by scenario."""
        return self.ex_post, self.dominant, self.pair, self.split

    @property
    def gain(self) -> float:
        """The largest found with the others truthful."""
        return self.ex_post.gain

    @property
    def gain_dominant(self) -> float:
        """The largest found whatever the others report."""
        return max(self.ex_post.gain, self.dominant.gain)

    @property
    def gain_coalition(self) -> float:
        """The largest found of two agents together, or of one under two names."""
        return max(self.pair.gain, self.split.gain)

    @property
    def tried(self) -> int:
        """Number of misreported profiles that were planned and paid for."""
        return sum(finding.tried for finding in self.findings)

    @property
    def witness(self) -> Witness | None:
        """The lie that is worst news: with the others truthful, else with others lying, else of a coalition."""
        together = max(self.pair, self.split, key=lambda finding: finding.gain)
        found = (self.ex_post.witness, self.dominant.witness, together.witness)
        return next((witness for witness in found if witness is not None), None)

    @property
    def status(self) -> AuditStatus:
        """What was found."""
        if self.ex_post.gain > 0:
            return AuditStatus.EX_POST_GAIN
        if self.dominant.gain > 0:
            return AuditStatus.DOMINANT_GAIN
        return AuditStatus.COALITION_GAIN if self.gain_coalition > 0 else AuditStatus.NO_GAIN
