"""Why part of a question has no answer: a code and whom it concerns, as results record it."""

from __future__ import annotations

from dataclasses import dataclass

from fedpact.errors import FedpactError, InfeasibleError, NotOptimalError


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What stood in the way."""

    code: str
    """"capacity", "capacities", "certainty", "never-enough", "not-alone", "no-plan", "no-plan-found",
    "not-optimal" or "not-applicable"."""
    agents: tuple[str, ...] = ()
    """Whose targets cannot be met."""
    pair: tuple[str, str] | None = None
    """The truth, and the hypothesis that cannot be told from it."""


def refusal_of(error: FedpactError) -> Refusal:
    """Return what an error says, without its words.

    Examples
    --------
    >>> refusal_of(InfeasibleError("no plan exists", agents=("alice",), code="capacity"))
    Refusal(code='capacity', agents=('alice',), pair=None)
    """
    if isinstance(error, InfeasibleError):
        return Refusal(code=error.code, agents=error.agents, pair=error.pair)
    return Refusal(code="not-optimal" if isinstance(error, NotOptimalError) else "not-applicable")
