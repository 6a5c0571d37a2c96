"""Federated risk minimisation, drawn many times over, and which targets it misses.

Every site labels its quota, drawn from its own points with replacement, and sends how often each of H candidates
errs; the sums are those of the pooled sample. What follows from them depends on who labels:

- *A teacher of the class*, which is what a plan assumes. Candidates without a mistake are those that no sample
  tells from the teacher t. Site i is failed if one of them differs from t on more than epsilon_i of its points, so
  ties are broken against us. All that matters of a draw is which pairs of hypotheses it leaves together. The
  teacher that is counted is the worst for the site: the one that :func:`fedpact.verify` names, which where it
  knows an interval only is one of those that may be worst; or, where no probability is computed, the one that
  fails the site most often in other draws, for the largest of many shares is too large.
- *The true labels*, which no candidate need get right. The candidate with the fewest mistakes is taken, the first
  of several, as the protocol does. How it errs at points that are never drawn is counted; nothing is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.federated.sites import Points
from reproduction.simulated_sites import SimulatedSites
from reproduction.tallies import exceeds

Shares = NDArray[np.float64]
_BLOCK = 8_000_000


def _count_blocks(draws: int, pairs: int) -> Iterator[int]:
    """Cut draws into blocks of bounded memory."""
    step = max(1, _BLOCK // max(1, pairs))
    return (min(step, draws - first) for first in range(0, draws, step))


def simulate_misses(fed: fp.Federation, sites: SimulatedSites, m: NDArray[np.int64], draws: int) -> Shares:
    """(k, H) the share of draws in which each site is failed, for every teacher.

    Examples
    --------
    The paper's Alice and Bob: one sample each fails with probability 0.32, exactly 4 epsilon (1 - 2 epsilon).

    >>> from reproduction.simulated_sites import simulate_sites
    >>> fed = fp.examples.alice_bob(epsilon=0.1, delta=0.05)
    >>> shares = simulate_misses(fed, simulate_sites(fed, np.random.default_rng(0)), np.array([1, 1]), 10_000)
    >>> (abs(shares.max(axis=1) - 0.32) < 0.02).tolist()
    [True, True]
    """
    first, second = np.triu_indices(fed.H, k=1)
    belongs = (np.arange(fed.H) == first[:, None]) | (np.arange(fed.H) == second[:, None])
    is_bad = exceeds(sites.rates, fed.epsilon[:, None])
    failed = np.zeros((fed.k, fed.H))
    for count in _count_blocks(draws, len(first)):
        pooled = sum(sites.draw_counts(sites.mass[j], int(m[j]), count) for j in range(fed.k))
        is_missed = pooled == 0
        for site in range(fed.k):
            survives = (is_missed & is_bad[site]).astype(np.float32) @ belongs.astype(np.float32)
            failed[site] += (survives > 0).sum(axis=0)
    return failed / draws


def simulate_worst(fed: fp.Federation, sites: SimulatedSites, m: NDArray[np.int64], draws: int) -> Shares:
    """(k,) the share of fresh draws in which each site is failed, with the teacher that is worst for it."""
    worst = simulate_misses(fed, sites, m, draws).argmax(axis=1)
    return np.asarray(simulate_misses(fed, sites, m, draws)[np.arange(fed.k), worst])


def draw_places(
    own: Sequence[Points], m: NDArray[np.int64], draws: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """(draws, m_j) for every site, places of its points with replacement."""
    return [rng.integers(len(one.labels), size=(draws, int(count))) for one, count in zip(own, m, strict=True)]


def count_mistakes(own: Points, places: NDArray[np.int64]) -> NDArray[np.float32]:
    """(draws, H) how often each candidate errs on the samples (draws, m) of one site."""
    draws, n = len(places), len(own.labels)
    at = (np.arange(draws)[:, None] * n + places).ravel()
    counts = np.bincount(at, minlength=draws * n).reshape(draws, n).astype(np.float32)
    return np.asarray(counts @ own.wrong.T.astype(np.float32))


def choose(own: Sequence[Points], places: Sequence[NDArray[np.int64]], m: NDArray[np.int64]) -> NDArray[np.intp]:
    """(draws,) the candidate with the fewest mistakes on all quotas, each the first m_j of a site's places."""
    mistakes = [count_mistakes(one, at[:, :count]) for one, at, count in zip(own, places, m, strict=True)]
    return np.asarray(np.sum(mistakes, axis=0).argmin(axis=1))


def find_best(own: Points, test: Points) -> int:
    """Find the candidate with the fewest mistakes at all points of a site."""
    return int((own.wrong.sum(axis=1) + test.wrong.sum(axis=1)).argmin())
