"""What a selector is asked: options read and checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from fedpact.describe.evidence import Reports, Table
from fedpact.describe.federation import Federation
from fedpact.describe.names import nearest, read_choice
from fedpact.describe.numbers import Number, check_at_least, read_chance, read_number, read_whole_number, shorten
from fedpact.describe.settings import Assumed
from fedpact.errors import FederationError
from fedpact.planning.certificates import prove_by_pairs
from fedpact.planning.plan import plan as make_plan
from fedpact.planning.result import Plan
from fedpact.selection.result import SCOPES, WAYS
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.verification import read_contributions, verify

CHOSEN_BEFORE = "chosen-before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms(Assumed):
    """What was asked of a selector, beside the federation."""

    scope: Annotated[str, SCOPES]
    how: Annotated[str, WAYS]
    max_labels: int | None
    confidence: float | None
    weights: dict[str, float] | str | None
    """How much is expected of each candidate; they sum to 1."""
    contributions: dict[str, int] | None
    """The plan's, whose draws are asked where they matter."""
    seed: int


def read_terms(
    fed: Federation,
    *,
    assume: str | None,
    noise: Number | None,
    scope: str | None,
    ask: str,
    plan: Any,
    max_labels: int | None,
    weights: Mapping[str, Number] | str | None,
    confidence: Number | None,
    rng: int | np.random.Generator,
) -> tuple[Federation, Terms]:
    """Check what is asked; returns the federation under the assumption, and the terms."""
    fed = fed if assume is None and noise is None else fed.replace(assume=assume, noise=noise)
    if isinstance(fed.evidence, Reports):
        raise FederationError(
            "select needs points, and reports hold only how often candidates differ: let sites send predictions "
            "(Federation.from_predictions), or run it at each site"
        )
    if fed.objective != "pac":
        raise FederationError(f"select is for objective 'pac'; the federation has {fed.objective!r}")
    level = None if confidence is None else read_chance(confidence, "confidence")
    if level is not None and isinstance(fed.evidence, Table):
        raise FederationError(
            "confidence has no meaning for a table, which states the distributions; leave it out"
        )
    natural = "each" if fed.assume == "agnostic" else "one"
    terms = Terms(
        assume=fed.assume,
        noise=fed.noise,
        scope=natural if scope is None else read_choice(scope, "scope", SCOPES),
        how=read_choice(ask, "ask (--how)", WAYS),
        max_labels=None if max_labels is None else read_whole_number(max_labels, "max_labels"),
        confidence=level,
        weights=_read_weights(fed, weights),
        contributions=None if ask != "implied-free" else _read_plan(fed, plan, level),
        seed=_read_seed(rng),
    )
    if plan is not None and ask == "adaptive":
        raise FederationError("a plan is for 'implied-free'; adaptive labelling needs none")
    if terms.how == "implied-free" and (terms.assume, terms.scope) == ("agnostic", "one"):
        raise FederationError(
            "a plan that assumes nothing is for a candidate of each site's own; use scope 'each', or be adaptive"
        )
    if terms.weights == CHOSEN_BEFORE and (fed.assume != "agnostic" or terms.scope != "each"):
        raise FederationError(
            "weights 'chosen-before' are for assume 'agnostic' and scope 'each'; else labels of all sites count "
            "together: leave weights out"
        )
    return fed, terms


def check_terms(fed: Federation, terms: Terms) -> tuple[Federation, Terms]:
    """Read terms that were stored as if they were asked for; returns the federation under their assumption too."""
    return read_terms(
        fed.replace(assume=terms.assume, noise=terms.noise),
        assume=None,
        noise=None,
        scope=terms.scope,
        ask=terms.how,
        plan=terms.contributions,
        max_labels=terms.max_labels,
        weights=terms.weights,
        confidence=terms.confidence,
        rng=terms.seed,
    )


def _read_seed(rng: Any) -> int:
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**62))
    return read_whole_number(rng, "rng", most=2**62)


def _read_weights(fed: Federation, weights: Any) -> dict[str, float] | str | None:
    if weights is None or weights == CHOSEN_BEFORE:
        return weights if weights is None else CHOSEN_BEFORE
    if not isinstance(weights, Mapping):
        raise FederationError(
            f"weights must map candidates to numbers, or be {CHOSEN_BEFORE!r}; they are {shorten(weights)}"
        )
    known = fed.evidence.hypotheses
    for name in weights:
        if name not in known:
            raise FederationError(f"weights: no candidate is called {shorten(name)}; {nearest(str(name), known)}")
    read = {
        str(name): check_at_least(read_number(one, f"weights: {name}"), f"weights: {name}", 0)
        for name, one in weights.items()
    }
    total = sum(read.values())
    if total <= 0:
        raise FederationError("weights must be above 0 for some candidate")
    return {name: one / total for name, one in read.items()}


def _read_plan(fed: Federation, plan: Any, confidence: float | None) -> dict[str, int]:
    """Read a plan that meets the targets, or make one."""
    is_noisy, sizes = fed.assume == "noisy", fed.evidence.sizes
    if is_noisy and isinstance(fed.evidence, Table):
        raise FederationError(
            "with noise every sample of a table has a label of its own, so none is implied; label adaptively"
        )
    if plan is None:
        plan = make_plan(fed, "lp" if is_noisy else "auto", confidence=confidence)
    m = read_contributions(fed, plan.contributions if isinstance(plan, Plan) else plan, "plan")
    for name, count, n in zip(fed.names, m.tolist(), sizes if len(sizes) == fed.k else sizes * fed.k, strict=True):
        if (is_noisy or confidence is not None) and count > n:
            raise FederationError(
                f"site {name!r}: the plan asks for {count} labels of {n} points; label adaptively"
            )
    is_own = isinstance(plan, Plan) and plan.teacher is None and plan.at_least is None
    is_own &= getattr(plan, "federation", None) == fed.fingerprint and plan.confidence == confidence
    if is_noisy:
        sure = fed if confidence is None else at_confidence(fed, confidence)
        if not prove_by_pairs(sure)(m[None])[0]:
            raise FederationError("with noise the draws must be those of a plan by method 'lp'; see fedpact plan")
    elif not is_own and not verify(fed, m, confidence=confidence).is_feasible:
        raise FederationError(f"plan {shorten(m.tolist())} does not meet every target; see fedpact verify")
    return dict(zip(fed.names, m.tolist(), strict=True))
