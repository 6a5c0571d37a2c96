"""Noisy labels: a truth h* is to be found though labels may be wrong.

Every label, whatever came before, is that of h* with probability 1 - eta at least. ERM returns a hypothesis with
the fewest mistakes on the pooled sample, ties broken against us. Let h differ from h* on a share r_j of agent j's
data. A sample of j brings h* ahead of h by 1 with probability (1 - eta) r_j at least and behind by 1 with eta r_j
at most. So h is not behind with at most the chance of a walk with these steps (:mod:`fedpact.statistics.tails`,
rho^2 = eta / (1 - eta)),

    sum over t of w_t prod_j (1 - kappa_t r_j)^m_j,    kappa_t = 1 - 2 sqrt(eta (1 - eta)) cos(theta_t):

rates are as in the paper, but what is *seen* of them is a share. The largest term alone is the Chernoff bound
prod_j (1 - kappa r_j)^m_j with kappa = 1 - 2 sqrt(eta (1 - eta)); with it for the paper's chance of a miss, ``lp``
is as it was. ``union`` takes the sum of terms, which is convex as well and hardly above the true chance. Where
kappa_t r > 1 the factor is negative and its size counts; of a rate known from below only, it is 1 - min(kappa_t r,
2 - kappa_t) at most.

*From below.* The noise may be 0, so every plan satisfies the pair program. It may also be eta wherever two
candidates t and h differ, a wrong label being that of the other. Let p_i(t, h) > 2 epsilon_i, so that every choice
is bad for agent i if t is true or if h is. If N samples fall where t and h differ, the two chances to choose badly
add up to

- 2, for N = 0: ERM may return either;
- sum over labels of min(Pr_t, Pr_h) = 2 psi(N) at least, psi(N) being the chance that of N labels, or of N - 1 if
  N is even, more are wrong than right.

So one of them is E[psi(N)] at least, psi(0) = 1. A sample of agent j falls there with probability r_j, which makes
N no larger in distribution than a Poisson number of mean s = sum_j m_j (-log(1 - r_j)); and psi falls. So every
plan has s >= s*, where E[psi(Poisson(s*))] = delta: rows as those of the pair program, with s* for log(1 / delta),
which it is for eta = 0. Pairs at 2 epsilon_i or less may have a third candidate between them that is good for
both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from scipy.special import betainc, gammaln, xlogy

from fedpact.describe.arrays import Floats
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.errors import FederationError
from fedpact.statistics.misses import NEVER
from fedpact.statistics.rates import Rates, Rows, rates_of
from fedpact.statistics.tails import choose_cosines, weigh

_FAR = 6.0
"""Terms of so many times the least kappa matter little: they are taken together, each as the largest of them."""
Terms: TypeAlias = tuple[tuple[float, Rates], ...]
"""Weights, and the rates at which samples tell hypotheses apart in the term of each."""


def least_overlap(noise: float, delta: float) -> float:
    """S*: least sum of -log(1 - r_j) over all samples that lets two truths be told apart.

    Examples
    --------
    >>> [round(least_overlap(noise, 0.05), 2) for noise in (1e-9, 0.05, 0.1, 0.2)]
    [3.0, 3.45, 4.12, 7.1]
    """

    def err(s: float) -> float:
        n = np.arange(int(s + 20 * math.sqrt(s + 1)) + 2)
        more = np.maximum((n + 1) // 2, 1)  # of n or n - 1 labels, so many wrong are too many
        psi = np.where(n > 0, betainc(more, more, noise), 1.0)
        return float(np.exp(xlogy(n, s) - s - gammaln(n + 1)) @ psi)

    low, high = 0.0, 1.0
    while err(high) > delta:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if err(middle) > delta else (low, middle)
    return low


def seen_rates_of(fed: Federation) -> Rates:
    """Return the rates at which samples tell hypotheses apart, at least: less by what noise takes."""
    return miss_terms_of(fed)[0][1]


@memoized
def miss_terms_of(fed: Federation) -> Terms:
    """Return the terms that the chance of not ruling out a hypothesis is a sum of; one if no label is wrong."""
    if fed.assume == "agnostic":
        raise FederationError(
            "this pools the labels of all agents, and with assume 'agnostic' those of others prove nothing; "
            "assume 'realizable', or 'noisy' with a noise"
        )
    below = rates_of(fed).below
    if fed.noise is None:
        return ((1.0, below),)
    rho = math.sqrt(fed.noise / (1 - fed.noise))
    cosines, shares = choose_cosines(rho)
    kappas = 1 - 2 * math.sqrt(fed.noise * (1 - fed.noise)) * cosines
    weights, far = shares * weigh(np.array(rho), cosines), _FAR * kappas[0]
    groups = [np.array([at]) for at in np.flatnonzero(kappas <= far)]
    groups += [np.flatnonzero((kappas > far) & is_in) for is_in in (kappas <= 2 - far, kappas > 2 - far)]
    return tuple(
        (float(weights[own].sum()), below.scaled(float(kappas[own[0]]), min(1.0, 2 - float(kappas[own[-1]]))))
        for own in groups
        if len(own)
    )


def chances_of(terms: Sequence[tuple[float, Rates]], m: Floats, truths: Rows, at_one: float = NEVER) -> Floats:
    """(t, H) the chance, at most, that each hypothesis is not ruled out."""
    if len(terms) == 1:
        return np.exp(terms[0][1].log_miss(m, truths, at_one))
    return np.asarray(sum(weight * np.exp(rates.log_miss(m, truths, at_one)) for weight, rates in terms))
