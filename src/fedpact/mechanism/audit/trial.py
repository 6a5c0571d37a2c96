"""The trials of an audit: play reports through planner and payment rule, and see what the agents really get.

The plan and the payments follow from what is claimed; whether a target is met, and what labelling costs,
follows from the truth. Where only bounds are known of a target, a lie counts as meeting it only if that is
proved, and the truth unless that is refuted, so a gain is never claimed that is not there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.errors import InfeasibleError, NotOptimalError, SolverError
from fedpact.mechanism.claims import Claim, Claims
from fedpact.mechanism.payment.rule import Case, PlanningRule, Rule, Terms
from fedpact.mechanism.payment.settle import judge_targets
from fedpact.mechanism.payment.vcg import check_is_optimum
from fedpact.planning.exact import AUTO_SECONDS, EXACT_SECONDS
from fedpact.planning.plan import plan


class StoppedEarly(Exception):  # noqa: N818
    """The time is up; never leaves the mechanism package."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome:
    """What comes of a profile of reports, in truth."""

    m: NDArray[np.int64]
    """(k,) contributions; those of a second name are the agent's own."""
    met: NDArray[np.bool_]
    """(k,)"""
    utility: dict[int, float]
    """Of the agents that were asked about."""


class Trial:
    """A federation, a planner and a payment rule, ready to be lied to."""

    def __init__(
        self,
        claims: Claims,
        rule: Rule,
        terms: Terms,
        method: str,
        worth: NDArray[np.float64],
        *,
        deadline: float = np.inf,
        tell: Callable[[int], None] | None = None,
    ) -> None:
        self.claims, self.rule, self.terms, self.method, self.worth = claims, rule, terms, method, worth
        self.truth = claims.truth
        self.played, self.undecided = 0, 0
        self._deadline, self._tell = deadline, tell
        self._met: dict[bytes, tuple[NDArray[np.bool_], NDArray[np.bool_]]] = {}

    def play_truth(self) -> Outcome:
        """Everybody reports the truth; raises what settling would."""
        return self._run(self.truth, range(self.truth.k), surely=False)

    def play(
        self, lies: Mapping[int, Claim], who: Iterable[int], *, surely: bool = True, second: Claim | None = None
    ) -> Outcome | None:
        """Let some agents claim something else; None if that cannot be planned for.

        So it is if the rule needs the optimum and it cannot be proved, or if the solver gives up.
        With ``surely`` a target counts as met only if that is proved, as for the outcome of a lie; without it,
        unless that is refuted, as for what a lie is compared with. With ``second``, a claim too, the one who lies
        takes part under two names, both of which draw from its true data.
        """
        twin = None if second is None else next(iter(lies))
        fed = self.claims.federation(lies) if second is None else self.claims.with_twin(lies, second)
        if time.monotonic() > self._deadline:
            raise StoppedEarly
        self.played += 1
        if self._tell is not None:
            self._tell(self.played)
        try:
            return self._run(fed, who, surely=surely, twin=twin)
        except (NotOptimalError, SolverError):
            self.undecided += 1
            return None
        except InfeasibleError:  # nobody labels, nobody is paid
            nothing = np.zeros(self.truth.k, dtype=np.int64)
            return self._see(nothing, self._judge(nothing, surely=surely), dict.fromkeys(who, 0.0))

    def _run(self, fed: Federation, who: Iterable[int], *, surely: bool, twin: int | None = None) -> Outcome:
        owners = np.array([*range(self.truth.k), *([] if twin is None else [twin])])
        terms = self.terms.of(owners)
        given = self._contribute(fed, terms)
        m = np.bincount(owners, weights=given).astype(np.int64)
        met = self._judge(m, surely=surely)
        case = Case(fed=fed, m=given, met=met[owners], worth=self.worth[owners], terms=terms)
        paid = {
            agent: sum(self.rule.pay(case, int(name)).net for name in np.flatnonzero(owners == agent))
            for agent in who
        }
        return self._see(m, met, paid)

    def _contribute(self, fed: Federation, terms: Terms) -> NDArray[np.int64]:
        if isinstance(self.rule, PlanningRule):
            return self.rule.contribute(fed, terms)
        seconds = max(0.0, self._deadline - time.monotonic())
        usual = EXACT_SECONDS if self.method == "exact" else AUTO_SECONDS
        found = plan(fed, self.method, time_limit=min(usual, seconds))
        if self.rule.needs_optimum:
            check_is_optimum(fed, found, f"rule {terms.rule!r}")
        return found.m

    def _judge(self, m: NDArray[np.int64], *, surely: bool) -> NDArray[np.bool_]:
        """(k,) whose target is met in truth."""
        key = m.tobytes()
        if key not in self._met:
            sure, possible = judge_targets(self.truth, m[None])
            self._met[key] = sure[0], possible[0]
        return self._met[key][0 if surely else 1]

    def _see(self, m: NDArray[np.int64], met: NDArray[np.bool_], paid: Mapping[int, float]) -> Outcome:
        utility = {
            agent: float(self.worth[agent] * met[agent] - self.truth.agents[agent].cost(m[agent])) + payment
            for agent, payment in paid.items()
        }
        return Outcome(m=m, met=met, utility=utility)
