"""From a federation and what is asked to the way of labelling."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Floats
from fedpact.describe.evidence import Table, find_twin
from fedpact.describe.federation import Federation
from fedpact.selection.implied_free import ImpliedFree, PlannedDraws, draw_points
from fedpact.selection.learner import Learner
from fedpact.selection.list_points import list_points
from fedpact.selection.shared_truth import SharedTruth
from fedpact.selection.site_by_site import SiteBySite
from fedpact.selection.site_regret import Pool
from fedpact.selection.terms import CHOSEN_BEFORE, Terms
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.rates import Rates, rates_of


def weigh(fed: Federation, terms: Terms, candidates: Sequence[str], site: int, before: Sequence[int]) -> Floats:
    """(H,) weights at a site from what was given, or from what was chosen at the sites before it."""
    H, evidence = len(candidates), fed.evidence
    if isinstance(terms.weights, dict):
        found, has_twins = np.zeros(H), len(evidence.hypotheses) == H
        for name, one in terms.weights.items():
            at = evidence.hypotheses.index(name)
            found[at if has_twins else find_twin(evidence, at, fed.distinct)] += one
        return found
    alike = np.full(H, 1 / max(H - 1, 1))
    if not before:
        return alike
    return np.asarray(alike / 2 + np.bincount(before, minlength=H) / len(before) / 2)


def make_learner(fed: Federation, terms: Terms) -> Learner:
    """Make the way of labelling that is asked for."""
    has_twins = terms.confidence is not None
    said, mass = list_points(fed, has_twins=has_twins)
    sure = fed if terms.confidence is None else at_confidence(fed, terms.confidence)
    rates, candidates = rates_of(sure), sure.hypotheses
    weighed = None if terms.weights is None else partial(weigh, fed, terms, candidates)
    if terms.how == "implied-free":
        return _make_implied_free(fed, terms, said, mass, rates)
    if fed.assume == "agnostic":
        pools = _make_pools(terms, said, mass, rates)
        delta = fed.delta / fed.k if fed.guarantee == "joint" else fed.delta
        is_one, is_in_turn = terms.scope == "one", terms.weights == CHOSEN_BEFORE
        return SiteBySite(pools, fed.epsilon, delta, weigh=weighed, is_one=is_one, is_in_turn=is_in_turn)
    H = len(candidates)
    return SharedTruth(
        said,
        mass,
        rates,
        fed.epsilon,
        np.full(H, 1 / H) if weighed is None else weighed(0, ()),
        delta=fed.delta,
        noise=fed.noise or 0.0,
        is_one=terms.scope == "one",
        is_table=isinstance(fed.evidence, Table),
    )


def _make_pools(
    terms: Terms, said: Sequence[NDArray[np.integer]], mass: Sequence[Floats], rates: Rates
) -> list[Pool]:
    most = rates.above.rows(slice(0, rates.H))
    pools = []
    for site, (own, weights) in enumerate(zip(said, mass, strict=True)):
        rng = np.random.default_rng([terms.seed, site])
        order = None if terms.confidence is None else rng.permutation(len(weights))
        pools.append(Pool(said=own, mass=weights, differ=most[site], most=most[site], order=order))
    return pools


def _make_implied_free(
    fed: Federation, terms: Terms, said: Sequence[NDArray[np.integer]], mass: Sequence[Floats], rates: Rates
) -> ImpliedFree:
    assert terms.contributions is not None, "they were read"
    m, is_table = np.array(list(terms.contributions.values())), isinstance(fed.evidence, Table)
    is_some = m < [len(own) for own in mass]
    is_anew = is_table | (is_some & (fed.assume == "agnostic" and terms.confidence is None))
    draws = draw_points(m, mass, terms.seed, with_replacement=is_anew)
    sites = [[one for one in draws if one[0] == site] for site in range(fed.k)]
    is_shared, is_realizable = fed.assume != "agnostic", fed.assume == "realizable"
    groups = [
        PlannedDraws(said, own, is_realizable=is_realizable, is_table=is_table)
        for own in ([draws] if is_shared else sites)
    ]
    noise = (fed.noise or 0.0) if is_shared else None
    return ImpliedFree(groups, rates, fed.epsilon, noise=noise, is_one=terms.scope == "one")
