"""Regret at one site: against a slow reading of the rule, by exact expectations, and by simulation."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.selection.bets import THETAS
from fedpact.selection.site_regret import Pool, SiteRegret


def make_pool(said, mass=None, *, order=None):
    said = np.asarray(said)
    mass = np.full(said.shape[1], 1 / said.shape[1]) if mass is None else np.asarray(mass)
    differ = ((said[:, None] != said[None]) * mass).sum(axis=2)
    return Pool(said=said, mass=mass, differ=differ, most=differ, order=order)


def errors_of(pool, labels):
    return ((pool.said != labels) * pool.mass).sum(axis=1)


def step(site, n, rng, labels):
    """Draw and label up to n points; returns those that needed a label."""
    drawn = site.draw(n, rng)
    asked = site.take(drawn, site.inside)
    site.learn({point: int(labels[point]) for point in asked})
    return asked


@st.composite
def sites(draw, most=8):
    H, n = draw(st.integers(2, 4)), draw(st.integers(1, most))
    said = np.array(draw(st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=H, max_size=H)))
    labels = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    parts = np.array(draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)), dtype=float)
    return make_pool(said, parts / parts.sum()), labels


def slow_capital(pool, history, labels, h, g, limit):
    """The capital against "err(h) - err(g) >= limit", in plain words; None where the points refute it."""
    capital, rest = np.ones(len(THETAS)), {x for x in range(len(pool.mass)) if pool.said[h, x] != pool.said[g, x]}
    needed, best = limit, 1.0
    for point, inside in history:
        z = int(pool.said[h, point] != labels[point]) - int(pool.said[g, point] != labels[point])
        if point in rest:
            mean = needed / sum(pool.mass[x] for x in rest)
            if h in inside and g in inside and -1 < mean < 1:
                capital = capital * (1 + THETAS * (mean - z) / (1 - mean))
                best = max(best, capital.mean())
            needed -= pool.mass[point] * z
            rest.remove(point)
    return None if needed >= sum(pool.mass[x] for x in rest) - 1e-12 else best


@settings(max_examples=150, deadline=None)
@given(sites(), st.sampled_from([0.0, 0.1, 0.3]), st.integers(0, 99))
def test_capital_and_what_follows_agree_with_a_slow_reading(site, epsilon, seed):
    pool, labels = site
    H, rng = len(pool.said), np.random.default_rng(seed)
    found, history = SiteRegret(pool, epsilon, np.full(H, 20.0)), []
    while not found.is_certified:
        inside, region = found.inside, [found.leader, *found.rivals]
        assert set(region) <= set(inside)
        asked = step(found, 2, rng, labels)
        assert asked, "a pool that is labelled proves somebody"
        assert all(len(set(pool.said[region, point])) > 1 for point in asked)
        history += [(point, inside) for point in asked]
    assert len(history) == len(found.asked) == len(set(found.asked))
    error = errors_of(pool, labels)
    for c in range(H):
        proved = found.proved_epsilon(c)
        at_proved = [slow_capital(pool, history, labels, c, g, proved + 1e-7) for g in range(H) if g != c]
        assert all(one is None or one >= 20 * (1 - 1e-4) for one in at_proved)
        below = [slow_capital(pool, history, labels, c, g, proved - 1e-6) for g in range(H) if g != c]
        assert proved <= 1e-6 or found.proved[c] or any(one is not None and one < 20 for one in below)
    assert found.proved_epsilon() <= epsilon + 1e-9
    assert len(history) < len(labels) or error[found.leader] - error.min() <= epsilon + 1e-9


@settings(max_examples=60, deadline=None)
@given(sites(most=5))
def test_no_capital_grows_on_average_whatever_is_asked(site):
    """Every way in which the draws can go, weighed by its chance."""
    pool, labels = site
    error = errors_of(pool, labels)
    H = len(error)
    pairs = [(h, g) for h, g in itertools.product(range(H), repeat=2) if h != g]

    def rebuild(limit, points):
        found = SiteRegret(pool, limit, np.full(H, 1.2), 1.2)
        for point in points:
            found.take([point], found.inside)
            found.learn({point: int(labels[point])})
        return found

    def expect(limit, points, depth):
        found = rebuild(limit, points)
        region = found.region if len(found.rivals) and depth else np.zeros(len(labels), dtype=bool)
        if not region.any():
            return {pair: (found._for.now[pair].mean(), found._against.now[pair].mean()) for pair in pairs}
        total = dict.fromkeys(pairs, (0.0, 0.0))
        for point in np.flatnonzero(region).tolist():
            part = pool.mass[point] / pool.mass[region].sum()
            for pair, values in expect(limit, [*points, point], depth - 1).items():
                total[pair] = tuple(old + part * value for old, value in zip(total[pair], values, strict=True))
        return total

    for limit in (0.0, 0.2):
        for (h, g), (capital, against) in expect(limit, [], 4).items():
            if error[h] - error[g] >= limit - 1e-12:
                assert capital <= 1 + 1e-9
            if error[h] - error[g] >= -limit - 1e-12:
                assert against <= 1 + 1e-9


def near_tie(rng, H=4, n=60, epsilon=0.1, *, is_stream=False):
    """A best candidate, and others whose regret is just above epsilon."""
    best = rng.random(n) < 0.2
    said = np.empty((H, n), dtype=int)
    said[0] = best
    for h in range(1, H):
        wrong = best.copy()
        flips = rng.choice(np.flatnonzero(~wrong), size=int(epsilon * n) + 1 + rng.integers(0, 4), replace=False)
        wrong[flips] = True
        back = rng.choice(np.flatnonzero(best), size=min(3, int(best.sum())), replace=False)
        wrong[back] = False
        wrong[rng.choice(np.flatnonzero(~wrong), size=len(back), replace=False)] = True
        said[h] = wrong
    return make_pool(said, order=rng.permutation(n) if is_stream else None), np.zeros(n, dtype=int)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [1, 7])
def test_certificates_and_survivors_are_wrong_no_more_often_than_delta(batch):
    """Read after every batch of every run: optional stopping in its worst form."""
    runs, delta, epsilon, wrong, lost = 2000, 0.2, 0.1, 0, 0
    rng = np.random.default_rng(1)
    for _ in range(runs):
        pool, labels = near_tie(rng)
        error = errors_of(pool, labels)
        regret = error - error.min()
        site = SiteRegret(pool, epsilon, np.full(len(error), (len(error) - 1) / delta))
        is_wrong = is_lost = False
        while not site.is_certified:
            step(site, batch, rng, labels)
            is_wrong |= regret[site.leader] > site.proved_epsilon() + 1e-6
            is_lost |= regret[site.survivors()].min() > 0
        wrong, lost = wrong + (is_wrong or regret[site.leader] > epsilon + 1e-9), lost + is_lost
    assert wrong + lost > 0
    assert max(wrong, lost) <= delta * runs


@pytest.mark.slow
def test_a_promise_about_the_distribution_is_wrong_no_more_often_than_delta():
    """Points drawn anew from a distribution on 40 kinds, on which two candidates' regret is just above epsilon."""
    runs, delta, epsilon, wrong = 2000, 0.2, 0.1, 0
    rng = np.random.default_rng(2)
    for _ in range(runs):
        kinds, labels = near_tie(rng, H=3, n=40)
        error = errors_of(kinds, labels)
        regret = error - error.min()
        drawn = rng.integers(0, 40, 150)
        said = kinds.said[:, drawn]
        pool = Pool(
            said=said, mass=np.full(150, 1 / 150), differ=kinds.differ, most=kinds.differ, order=np.arange(150)
        )
        site = SiteRegret(pool, epsilon, np.full(3, 2 / delta))
        is_wrong = False
        while not site.is_certified and step(site, 1, rng, labels[drawn]):
            is_wrong |= regret[site.leader] > site.proved_epsilon() + 1e-6
        wrong += is_wrong or (site.is_certified and regret[site.leader] > epsilon + 1e-9)
    assert 0 < wrong <= delta * runs


def test_a_trace_falls_and_ends_with_what_is_proved():
    pool, labels = near_tie(np.random.default_rng(3))
    site, rng = SiteRegret(pool, 0.1, np.full(4, 30.0)), np.random.default_rng(0)
    while not site.is_certified:
        step(site, 1, rng, labels)
    labels_seen, epsilon, left = zip(*site.trace(), strict=True)
    assert labels_seen[0] == 0
    assert list(labels_seen) == sorted(set(labels_seen))
    assert list(epsilon) == sorted(epsilon, reverse=True)
    assert list(left) == sorted(left, reverse=True)
    assert (left[0], left[-1]) == (4, 1)
    assert epsilon[-1] == site.proved_epsilon()


def test_a_mass_that_is_nothing_beside_others_is_not_bet_on():
    pool = make_pool([[1, 1], [0, 0]], [1e-17, 1.0])
    for order in ([0, 1], [1, 0]):
        site = SiteRegret(pool, 0.1, np.full(2, 20.0))
        for point in order:
            site.learn(dict.fromkeys(site.take([point], np.array([0, 1])), 0))
        assert (site.leader, site.is_certified, site.proved_epsilon()) == (1, True, pytest.approx(0, abs=1e-6))
