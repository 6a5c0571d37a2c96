"""What a site's own labels prove when nothing is assumed, against their enumeration in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedpact as fp
from fedpact.describe.examples import alice_bob
from fedpact.statistics.regret_tails import regret_tails
from oracle import chance_of_bad_choice, count_mistakes, not_behind


def two(p, epsilon):
    """The tails of a site where two candidates differ on a share p."""
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[1 - p, p]], epsilon=epsilon, delta=0.05)
    return regret_tails(fed, 0)


@given(
    p=st.fractions(Fraction(1, 10), 1, max_denominator=10),
    epsilon=st.fractions(Fraction(1, 50), Fraction(1, 2), max_denominator=50),
    m=st.integers(0, 12),
    place=st.fractions(0, 1, max_denominator=6),
)
def test_the_bound_holds_for_every_split_of_the_rate(p, epsilon, m, place):
    if p <= epsilon:
        return
    q = epsilon + place * (p - epsilon)
    tail = not_behind([((q + epsilon) / 2, (q - epsilon) / 2)] * m)
    assert two(p, epsilon).bound(m).max() >= float(tail) - 1e-9


def test_the_bound_is_hardly_above_the_tail():
    m, p, epsilon = 200, Fraction(2, 5), Fraction(1, 10)
    tail = float(not_behind([((p + epsilon) / 2, (p - epsilon) / 2)] * m))
    assert tail <= two(p, epsilon).bound(m)[-1] <= 1.05 * tail


def test_it_is_never_above_the_chernoff_bound():
    p, epsilon = 0.4, 0.1
    for m in (1, 10, 100, 1000):
        assert two(p, epsilon).bound(m)[-1] <= (1 - p + np.sqrt(p**2 - epsilon**2)) ** m + 1e-12


def test_candidates_that_never_differ_at_a_site_are_one():
    apart, alike = ([[[0] * 8 + [1] * 2, *rows]] for rows in ([[1] * 10], [[1] * 10] * 3))
    few, many = (
        fp.Federation.from_predictions(
            {"north": own[0], "south": [range(at, at + 3) for at in range(len(own[0]))]}, epsilon=0.1, delta=0.05
        )
        for own in (apart, alike)
    )
    one, same = regret_tails(few, 0), regret_tails(many, 0)
    assert (few.H, many.H, one.H, same.H) == (2, 4, 2, 2)
    assert [same.fail(m)[0] for m in range(10)] == [one.fail(m)[0] for m in range(10)]


@given(m=st.integers(0, 300), more=st.integers(0, 50))
def test_more_labels_never_prove_less(m, more):
    tails = regret_tails(alice_bob(), 0)
    assert tails.fail(m + more)[0] <= tails.fail(m)[0] + 1e-12


@given(data=st.data(), m=st.integers(0, 4))
def test_regret_is_too_large_no_more_often_than_the_tails_say(data, m):
    """Any labels: at each point each label has some chance, whoever predicts it."""
    n, H = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    labels = data.draw(st.lists(st.tuples(*[st.integers(0, 2)] * n), min_size=H, max_size=H, unique=True))
    parts = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    mass = [Fraction(part, sum(parts)) for part in parts]
    epsilon = data.draw(st.sampled_from([Fraction(1, 20), Fraction(1, 5), Fraction(1, 3)]))
    given_ = [
        data.draw(st.sampled_from([(1, 0, 0), (0, 1, 0), (1, 1, 0), (3, 1, 1), (2, 3, 0)])) for _ in range(n)
    ]

    def chances(point):
        return {y: Fraction(share, sum(given_[point])) for y, share in enumerate(given_[point]) if share}

    errors = [
        sum(mass[x] * (1 - chances(x).get(own[x], Fraction(0))) for x in range(n)) + Fraction(0) for own in labels
    ]
    bad = [h for h in range(len(labels)) if errors[h] > min(errors) + epsilon]
    states = count_mistakes(labels, [mass], [m], chances)
    fed = fp.Federation.from_table(labels, [mass], epsilon=epsilon, delta=0.05)
    assert regret_tails(fed, 0).fail(m)[0] >= float(chance_of_bad_choice(states, bad)) - 1e-9


@pytest.mark.parametrize("per_pair", [False, True])
@pytest.mark.parametrize("delta", [0.3, 0.05, 0.001])
def test_the_need_is_the_least_that_is_enough(delta, per_pair):
    tails = regret_tails(alice_bob(), 0)
    need = tails.need(delta, per_pair=per_pair)
    sums = [(tails.counts @ tails.bound(m)).max() for m in (need - 1, need)]
    most = [tails.H * tails.bound(m).max() for m in (need - 1, need)]
    before, now = most if per_pair else sums
    assert now <= delta < before


def test_who_tolerates_no_regret_needs_more_than_there_is():
    assert regret_tails(alice_bob().replace(epsilon=0), 0).need(0.05) is None
    assert regret_tails(alice_bob().replace(epsilon=1e-4), 0).need(0.05) > 10**6


def test_where_nothing_differs_enough_nothing_is_needed():
    tails = regret_tails(alice_bob().replace(epsilon=1), 0)
    assert (tails.is_needed, tails.need(0.05), tails.fail(0), tails.left) == (False, 0, (0.0, 0), 0.0)
