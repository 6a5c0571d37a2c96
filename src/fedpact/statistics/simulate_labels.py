"""How often ERM misses targets when labels are wrong at random: one noise model, simulated.

Agents draw their samples; each label is wrong with probability ``fed.noise``, whatever the others are, and a wrong
one is any of the other labels that hypotheses give at the point, all equally likely. A target is missed if any of
the hypotheses with the fewest mistakes is bad for it. Noise may be worse than that, so nothing is proved by it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fedpact.describe.arrays import Bools, Floats, Ints, slices
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.statistics.domain import Domain, find_domain, rates_against

_AT_ONCE = 4_000_000


def count_failures(fed: Federation, m: Ints, truth: int, *, draws: int, rng: np.random.Generator) -> Ints:
    """(k,) in how many of ``draws`` simulations each agent's target is missed if ``truth`` is true.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> fed = alice_bob(epsilon=0.1).replace(noise=0.05)
    >>> count_failures(fed, np.array([6, 5]), 0, draws=2000, rng=np.random.default_rng(0)).max() < 100
    np.True_
    """
    domain = find_domain(fed)
    is_bad = exceeds(rates_against(domain, np.array([truth]))[:, 0], fed.epsilon[:, None])
    has_label = np.concatenate([own == domain.labels for own in _label_layers(domain)], axis=1).astype(np.float32)
    failed = np.zeros(fed.k, dtype=np.int64)
    for block in slices(draws, _AT_ONCE // max(1, has_label.shape[1] + fed.H)):
        votes = _draw_labels(fed, domain, m, truth, block.stop - block.start, rng)
        right = votes @ has_label.T
        is_best = right == right.max(axis=1, keepdims=True)
        failed += (is_best.astype(np.float32) @ is_bad.T.astype(np.float32) > 0).sum(axis=0)
    return failed


def _label_layers(domain: Domain) -> Iterator[Ints]:
    """(n,) first label that occurs at each point, second label, and so on; -1 where there are no more."""
    kinds = [np.unique(column) for column in domain.labels.T]
    for layer in range(max(map(len, kinds), default=0)):
        yield np.array([own[layer] if layer < len(own) else -1 for own in kinds])


def _draw_labels(
    fed: Federation, domain: Domain, m: Ints, truth: int, count: int, rng: np.random.Generator
) -> Floats:
    """(count, L n) how often each label comes up at each point, layer by layer."""
    elsewhere = np.maximum(0.0, 1 - domain.mass.sum(axis=1))
    chances = np.column_stack([domain.mass, elsewhere])
    chances /= chances.sum(axis=1, keepdims=True)
    seen = sum(rng.multinomial(m[j], chances[j], size=count)[:, :-1] for j in np.flatnonzero(m))
    left = np.zeros((count, domain.n), dtype=np.int64) + seen
    layers = list(_label_layers(domain))
    is_truth = [layer == domain.labels[truth] for layer in layers]
    wrong = rng.binomial(left, fed.noise or 0.0)
    others: Bools = np.array([(layer >= 0) for layer in layers]) & ~np.array(is_truth)
    right, votes = left - wrong, []
    for at, own in enumerate(is_truth):
        share = np.where(others[at], 1 / np.maximum(others[at:].sum(axis=0), 1), 0.0)
        drawn = rng.binomial(wrong, share)
        wrong = wrong - drawn
        votes.append(np.where(own, right, drawn))
    return np.concatenate(votes, axis=1).astype(np.float32)
