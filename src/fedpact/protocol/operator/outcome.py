"""What came of a run: plan, contributions, the chosen candidate, payments, and who did not make it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from fedpact.coded import Coded
from fedpact.describe.hypothesis_class import number_names
from fedpact.drawing import draw_bars
from fedpact.planning.result import Plan
from fedpact.protocol.operator.choose import Dispute
from fedpact.protocol.operator.run_state import Gone, RunState, RunStatus
from fedpact.protocol.operator.statements import Evaluation, evaluation_of, judge_held_out
from fedpact.result import Result
from fedpact.statistics.mistake_counts import HasCounts, MistakeCounts
from fedpact.statistics.realizability_result import TargetVerdict

if TYPE_CHECKING:
    from fedpact.drawing import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome(HasCounts, Result):
    """What came of a run of the protocol."""

    DERIVED: ClassVar = ("deficit",)
    INDEX: ClassVar = "site"

    hypothesis: str | None
    """The chosen candidate."""
    mistakes: int | None
    """On how many of all samples it is wrong; above 0, none is right, and nothing that was promised stands."""
    contributions: dict[str, int]
    """Samples that each site has labelled."""
    payments: dict[str, float]
    """From the operator to each site; what is withheld is not in it."""
    withheld: dict[str, str]
    """Site -> why it is not paid: "flagged"."""
    met: dict[str, bool | None]
    """Whether the outcome meets each site's target on its held-out samples; None if it did not say."""
    evaluation: dict[str, Evaluation | None]
    """On how many held-out samples the outcome is wrong."""
    gone: dict[str, Gone]
    """Site -> when and why it was lost."""
    plan: Plan | None
    """The last plan."""
    refusals: int
    """Messages that were not accepted."""
    why: Coded | None
    """Why the run stopped, if it did."""
    status: RunStatus
    run: str
    pact: str
    ledger: str
    """Hash of the ledger's last entry."""
    disputed: dict[str, Dispute] = field(default_factory=dict, metadata={"is_optional": True})
    """Site -> what would have been chosen without it, where that matters to somebody."""
    unproved: tuple[str, ...] = field(default=(), metadata={"is_optional": True})
    """Sites whose targets are not proved without the samples of who is flagged."""
    counts: MistakeCounts | None = field(default=None, metadata={"is_optional": True})
    """How often each candidate was wrong, for :func:`fedpact.realizability`; None while nothing is labelled."""

    @property
    def deficit(self) -> float:
        """What the operator pays in all."""
        return float(sum(self.payments.values()))

    def plot(self) -> Figure:
        """Draw what each site contributed, as a matplotlib figure; needs ``fedpact[plot]``."""
        title = f"{self.pact}: {sum(self.contributions.values())} samples, paid {self.deficit:.6g}"
        return draw_bars(self.contributions, title=title, axis="samples")


def count_mistakes(state: RunState) -> MistakeCounts | None:
    """Return how often each candidate is wrong on what every site has labelled; None while nobody has."""
    if not state.mistakes:
        return None
    H = len(next(iter(state.mistakes.values())))
    listed = [state.pact.candidates, *(own.candidates for own in state.reports.values())]
    names = [one.names for one in listed if one is not None and one.H == H]
    return MistakeCounts(
        candidates=names[0] if names else number_names("h", H),
        mistakes={
            name: tuple(state.mistakes[name].tolist()) if name in state.mistakes else (0,) * H
            for name in state.pact.names
        },
        samples={name: state.contributed.get(name, 0) for name in state.pact.names},
        epsilon={agent.name: agent.epsilon for agent in state.pact.agents},
        chosen=state.hypothesis,
    )


def make_outcome(state: RunState, head: str) -> RunOutcome:
    """Return what came of a run whose ledger ends in an entry with the hash ``head``."""
    seen = {name: evaluation_of(state, name) for name in state.pact.names}
    return RunOutcome(
        hypothesis=state.hypothesis,
        mistakes=None
        if state.chosen is None
        else int(sum(counts[state.chosen] for counts in state.mistakes.values())),
        contributions={name: state.contributed.get(name, 0) for name in state.pact.names},
        payments={
            name: float(state.payments[name]["amount"]) for name in state.pact.names if name in state.payments
        },
        withheld=dict(state.withheld),
        met={name: None if one is None else one.met for name, one in seen.items()},
        evaluation=seen,
        gone=dict(state.gone),
        plan=state.plan,
        refusals=state.refusals,
        why=state.why,
        status=_status_of(state, seen),
        run=state.run,
        pact=state.pact.name,
        ledger=head,
        disputed={
            name: Dispute(**{**one, "targets": tuple(one["targets"])}) for name, one in state.disputed.items()
        },
        unproved=state.unproved,
        counts=count_mistakes(state),
    )


def _status_of(state: RunState, seen: Mapping[str, Evaluation | None]) -> RunStatus:
    """Say how a run stands; one that is finished may have an outcome that cannot be relied on."""
    is_missed = any(one is not None and judge_held_out(one) is TargetVerdict.ABOVE for one in seen.values())
    is_doubtful = state.disputed or state.unproved or state.withheld or is_missed
    return RunStatus.DISPUTED if state.status is RunStatus.FINISHED and is_doubtful else state.status
