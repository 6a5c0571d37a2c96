"""An audit: the largest gain from misreporting that was found, in each sense, and the lie that brings it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fedpact.mechanism.payment.rules import Truthful
from fedpact.mechanism.witness import Witness
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable


class AuditStatus(Enum):
    """What an audit found, in words a user can act on."""

    EX_POST_GAIN = "an agent gains by misreporting although all others are truthful: do not pay by this rule"
    DOMINANT_GAIN = (
        "no gain was found while the others are truthful; one was found where others lie: truth is not dominant"
    )
    COALITION_GAIN = "no gain of one agent was found; two together, or one under two names, gain"
    NO_GAIN = "no profitable misreport was found"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding:
    """The largest gain in one sense, zero if none was found, and in how many reports it was looked for."""

    gain: float
    tried: int
    witness: Witness | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "gain": self.gain,
            "tried": self.tried,
            "witness": None if self.witness is None else self.witness.to_dict(),
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> AuditFinding:
        """Read what :meth:`to_dict` wrote."""
        witness = entry["witness"]
        return cls(
            gain=entry["gain"],
            tried=entry["tried"],
            witness=None if witness is None else Witness.from_dict(witness),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Shows):
    """Largest gains from misreporting that were found under one rule; each is certain, and there may be larger."""

    ex_post: AuditFinding
    """One agent lies, the others are truthful."""
    dominant: AuditFinding
    """One agent lies, and so does another, whether that helps it or not."""
    pair: AuditFinding
    """Two agents lie together and share what they gain."""
    split: AuditFinding
    """One agent takes part under two names."""
    truthful: Truthful
    """In which sense truth is known to be a best report under the rule."""
    undecided: int
    """Reports left out because the optimum that the rule needs could not be proved."""
    is_complete: bool
    """Whether all reports were tried that were asked for."""
    rule: str
    pivot: str | None
    private: str
    """ "data" or "costs": what agents could misreport."""
    senses: tuple[str, ...]
    """In which senses was searched."""
    method: str
    objective: str
    guarantee: str

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
        return self.ex_post.tried + self.dominant.tried + self.pair.tried + self.split.tried

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

    @property
    def verdict(self) -> str:
        """The status with the number of reports that it rests on."""
        early = "" if self.is_complete else ", stopped early"
        return f"{self.status.value} ({self.tried:,} report{'s' if self.tried != 1 else ''} tried{early})"

    def shown(self) -> ShownTable:
        """Show the largest gain in every sense."""
        found = {"others truthful": self.ex_post, "others lying": self.dominant, "two together": self.pair}
        found["under two names"] = self.split
        return ShownTable(
            title=f"Audit of rule {self.rule}",
            status=self.status.value,
            facts={"known to be truthful": self.truthful.value, "reports tried": self.tried, "pivot": self.pivot},
            columns=[("sense", str), ("gain", float), ("tried", int), ("liars", str)],
            rows=[
                (sense, one.gain, one.tried, None if one.witness is None else ", ".join(one.witness.agents))
                for sense, one in found.items()
            ],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "gain": self.gain,
            "gain_dominant": self.gain_dominant,
            "gain_coalition": self.gain_coalition,
            "witness": None if self.witness is None else self.witness.to_dict(),
            "ex_post": self.ex_post.to_dict(),
            "dominant": self.dominant.to_dict(),
            "pair": self.pair.to_dict(),
            "split": self.split.to_dict(),
            "tried": self.tried,
            "undecided": self.undecided,
            "is_complete": self.is_complete,
            "truthful": self.truthful.value,
            "senses": list(self.senses),
            "verdict": self.verdict,
            "status": self.status.value,
            "rule": self.rule,
            "pivot": self.pivot,
            "private": self.private,
            "method": self.method,
            "objective": self.objective,
            "guarantee": self.guarantee,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Audit:
        """Read what :meth:`to_dict` wrote."""
        derived = {"gain", "gain_dominant", "gain_coalition", "witness", "tried", "verdict", "status"}
        values = {key: value for key, value in entry.items() if key not in derived}
        for sense in ("ex_post", "dominant", "pair", "split"):
            values[sense] = AuditFinding.from_dict(entry[sense])
        values["truthful"], values["senses"] = Truthful(entry["truthful"]), tuple(entry["senses"])
        return cls(**values)
