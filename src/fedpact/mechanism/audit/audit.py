"""``audit``: search for misreports that pay.

Agent i's gain from a lie is what it has with it less what it has with the truth, both in truth
(:mod:`fedpact.mechanism.audit.trial`). Three deviations are kept apart:

- *ex post*: all others are truthful. Truth is an ex-post equilibrium if nobody gains;
- *dominant*: others lie as well. Truth is dominant if nobody gains even then;
- *coalition*: two agents lie together and share what they gain, or one takes part under two names.

A search that finds nothing proves nothing; what is proved of a rule stands in
:mod:`fedpact.mechanism.payment.rules`. A gain that is found is certain.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import Number, read_number, read_whole_number, shorten
from fedpact.describe.progress import Progress, ends_search
from fedpact.describe.settings import PerAgent
from fedpact.errors import FederationError, InfeasibleError
from fedpact.game.best_response import read_worth
from fedpact.game.game import game_of
from fedpact.mechanism.audit.misreports import Lie, lies_of
from fedpact.mechanism.audit.result import Audit, Scenario
from fedpact.mechanism.audit.search import MisreportSearch
from fedpact.mechanism.audit.trial import StoppedEarly, Trial
from fedpact.mechanism.claims import Claims, claims_of
from fedpact.mechanism.payment.own_rule import OwnRule, PaymentFunction
from fedpact.mechanism.payment.rule import PlanningRule, Rule, Terms, Truthful
from fedpact.mechanism.payment.rules import OWN, find_rule, read_terms
from fedpact.mechanism.payment.settle import bill, check_fees
from fedpact.mechanism.payment.vcg import find_optimum_method
from fedpact.planning.methods import PLANNERS
from fedpact.planning.plan import plan
from fedpact.planning.result import BindingPair
from fedpact.statistics.request import ask

N_MISREPORTS = 1000
MOST_MISREPORTS = 10**9
SENSES = ("ex-post", "dominant", "coalition")


def _read_method(fed: Federation, rule: Rule, method: str | None) -> str:
    """Planner of the mechanism: the paper's program unless the rule needs the optimum."""
    if method is not None:
        read_choice(method, "method", PLANNERS)
    if isinstance(rule, PlanningRule) and method not in (None, "lp"):
        raise FederationError(f"method is given by the rule, which plans by the paper's program; it is {method!r}")
    return method or (find_optimum_method(fed) if rule.needs_optimum else "lp")


def read_budget(n_misreports: Any) -> int:
    """Read how many misreported profiles to try."""
    budget = read_whole_number(n_misreports, "n_misreports", least=1)
    if budget > MOST_MISREPORTS:
        raise FederationError(f"n_misreports must be at most {MOST_MISREPORTS:,}; it is {shorten(budget)}")
    return budget


def read_seconds(time_limit: Any) -> float:
    """Read how long an audit may take; without a limit as long as it likes."""
    seconds = math.inf if time_limit is None else read_number(time_limit, "time_limit")
    if seconds <= 0:
        raise FederationError(
            f"time_limit must be above 0, an audit that tries nothing says nothing; it is {seconds:g}"
        )
    return seconds


def _read_senses(senses: Iterable[str], k: int) -> tuple[str, ...]:
    asked = () if isinstance(senses, str) else tuple(senses)
    if not asked or not set(asked) <= set(SENSES):
        raise FederationError(f"senses must be some of {', '.join(SENSES)}; they are {shorten(asked or senses)}")
    if k == 1 and set(asked) == {"dominant"}:
        raise FederationError("senses must not be 'dominant' alone where there is one agent: nobody else can lie")
    return asked


def _find_duals(fed: Federation) -> tuple[BindingPair, ...]:
    """Pairs that drive the cost of the paper's program."""
    try:
        return plan(fed, "lp").duals
    except InfeasibleError:
        return ()


def _streams(
    claims: Claims, rule: Rule, terms: Terms, budget: int, rng: np.random.Generator
) -> Callable[[], list[Iterator[Lie]]]:
    duals = _find_duals(claims.truth)
    quota_costs = (
        rule.quota_costs(claims.truth, terms) if isinstance(rule, PlanningRule) else [[]] * claims.truth.k
    )
    ceilings = np.full(claims.truth.k, np.inf) if terms.ceiling is None else terms.ceiling

    return lambda: [
        lies_of(
            claims,
            agent,
            duals=duals,
            thresholds=quota_costs[agent],
            ceiling=float(ceilings[agent]),
            budget=budget // claims.truth.k,
            rng=rng,
        )
        for agent in range(claims.truth.k)
    ]


@takes_federation
def audit(
    fed: Federation,
    rule: str | PaymentFunction = "pwyc",
    *,
    method: str | None = None,
    n_misreports: int = N_MISREPORTS,
    senses: Iterable[str] = SENSES,
    private: str | None = None,
    fee: PerAgent[Number] | None = None,
    cost_recovery: Number | None = None,
    min_standalone: PerAgent[Number] | None = None,
    pivot: str = "none",
    ceiling: PerAgent[Number] | None = None,
    worth: PerAgent[Number] | None = None,
    teacher: str | None = None,
    time_limit: float | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Search for misreports that pay under a rule.

    Parameters
    ----------
    fed
        The federation as it is, its file, or the name of an example.
    rule
        As for :func:`fedpact.settle`, and so are ``fee``, ``cost_recovery``, ``min_standalone``, ``pivot``,
        ``ceiling`` and ``worth``. Or a function of your own: it takes the contributions, one for every name (k,
        and k + 1 where an agent takes part under two), and returns as many payments.
    method
        How the mechanism plans from reports, as for :func:`fedpact.plan`; by default the paper's program "lp", and
        "exact" for the VCG rules, which need the optimum.
    n_misreports
        How many misreported profiles are planned and paid for.
    senses
        In which senses to search: any of "ex-post", "dominant" and "coalition".
    private
        What agents may misreport: "data", or "costs" as is the default for rule "threshold".
    teacher
        The hypothesis that labels the samples, if that is known; else any may be the truth.
    time_limit
        Seconds after which the audit stops with what it has found; so it does when interrupted from the keyboard.
    rng
        ``numpy.random.default_rng(0)`` if not given.
    progress
        Called with the number of profiles tried and their total.

    Raises
    ------
    FederationError
        If the rule cannot be applied to the truthful reports, or there is nothing to try.
    InfeasibleError
        If there is no plan for the truthful reports.

    Examples
    --------
    Under pay-what-you-contribute nobody gains from a lie among truthful agents; agent 2 does where agent 1 lies:

    >>> from fedpact.describe.examples import pwyc_not_dominant
    >>> seen = audit(pwyc_not_dominant(), rule="pwyc", n_misreports=200)
    >>> seen.gain, seen.gain_dominant, seen.status.name
    (0.0, 1.0, 'DOMINANT_GAIN')

    A rule of one's own, an equal share of the samples' cost of 0.1 each; somebody gains by a lie:

    >>> audit(pwyc_not_dominant(), rule=lambda m: 0.1 * (m - m.mean()), n_misreports=50).gain > 0
    True
    """
    name, chosen = (OWN, OwnRule(rule)) if callable(rule) else (rule, find_rule(rule, fed))
    fed = ask(fed, teacher=teacher)
    tries = read_budget(n_misreports)
    senses = _read_senses(senses, fed.k)
    private = chosen.private if private is None else private
    terms = read_terms(
        fed,
        name,
        fee=fee,
        cost_recovery=cost_recovery,
        min_standalone=min_standalone,
        pivot=pivot,
        ceiling=ceiling,
    )
    if isinstance(chosen, PlanningRule) and private == "data" and terms.ceiling is None:
        raise FederationError(
            f"ceiling must be given to audit rule {name!r} with private data: lies can make an agent irreplaceable"
        )
    seconds = read_seconds(time_limit)
    claims = claims_of(fed, private)
    trial = Trial(
        claims,
        chosen,
        terms,
        _read_method(fed, chosen, method),
        read_worth(game_of(fed), worth),
        deadline=time.monotonic() + seconds,
        tell=None if progress is None else lambda done: progress(done, tries),
    )
    rng = np.random.default_rng(0) if rng is None else rng
    truthful = trial.play_truth()
    if terms.has_fees:  # raises where a fee drives somebody away
        check_fees(bill(fed, truthful.m, terms, worth=worth), terms)
    search = MisreportSearch(trial, _streams(claims, chosen, terms, tries, rng), rng, truthful)
    with contextlib.suppress(StoppedEarly, *ends_search()):
        search.run(tries, senses)
    sense = chosen.find_sense(private, is_self_sufficient=bool(game_of(fed).is_self_sufficient.all()))
    return _conclude(search, sense, private, senses, is_complete=trial.played >= tries)


def _conclude(
    search: MisreportSearch, truthful: Truthful, private: str, deviations: tuple[str, ...], *, is_complete: bool
) -> Audit:
    trial = search.trial
    return Audit(
        ex_post=search.found[Scenario.EX_POST],
        dominant=search.found[Scenario.DOMINANT],
        pair=search.found[Scenario.PAIR],
        split=search.found[Scenario.SPLIT],
        truthful=truthful,
        undecided=trial.undecided,
        is_complete=is_complete,
        rule=trial.terms.rule,
        pivot=trial.terms.pivot if "pivot" in trial.rule.terms else None,
        private=private,
        deviations=deviations,
        method=trial.method,
        objective=trial.truth.objective,
        guarantee=trial.truth.guarantee,
        name=trial.truth.name,
        assume=trial.truth.assume,
        noise=trial.truth.noise,
    )
