"""Verdicts and further labels against scipy's beta quantiles, label by label, and against closed forms."""

from math import ceil, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

import fedpact as fp
from fedpact.statistics.error_targets import count_more, judge_target
from fedpact.statistics.realizability_result import ErrorRate

FAR = 3000
"""Labels that the slow search looks ahead."""


def limits(rate, n, risk):
    """Limits of Clopper and Pearson after n labels at this rate."""
    low = beta.ppf(risk, rate * n, n - rate * n + 1) if rate > 0 else 0.0
    high = beta.isf(risk, rate * n + 1, n - rate * n) if rate < 1 else 1.0
    return low, high


def verdict(rate, n, epsilon, risk):
    low, high = limits(rate, n, risk)
    return "above" if low > epsilon else "within" if high <= epsilon else "unsettled"


def make_error(mistakes, m, risk):
    low, high = limits(mistakes / m, m, risk) if m else (0.0, 1.0)
    return ErrorRate(mistakes=mistakes, m=m, low=low, high=high)


@given(
    st.integers(1, 60).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))),
    st.sampled_from([0.003, 0.05, 0.1, 0.31, 0.5, 0.97]),
    st.sampled_from([0.4, 0.025, 0.0003]),
)
@settings(max_examples=60, deadline=None)
def test_more_is_the_first_number_of_labels_that_settles_it(counts, epsilon, risk):
    mistakes, m = counts
    seen = judge_target(make_error(mistakes, m, risk), epsilon, risk)
    assert seen.verdict == verdict(mistakes / m, m, epsilon, risk)
    later = [verdict(mistakes / m, n, epsilon, risk) for n in range(m, m + FAR)]
    first = next((more for more, said in enumerate(later) if said != "unsettled"), None)
    if first is None:
        assert seen.more is None or seen.more >= FAR
        return
    assert seen.more == first
    assert set(later[:first]) <= {"unsettled"}
    assert set(later[first:]) == {"above" if mistakes / m > epsilon else "within"}


@pytest.mark.parametrize("epsilon", [0.2, 0.05, 0.001])
def test_without_mistakes_it_is_the_closed_form(epsilon):
    risk = 0.01
    seen = judge_target(make_error(0, 2, risk), epsilon, risk)
    assert (seen.verdict, seen.more) == ("unsettled", ceil(log(risk) / log(1 - epsilon)) - 2)


def test_what_no_number_settles_has_none():
    assert count_more(make_error(3, 30, 0.01), 0.1, 0.01) is None
    assert count_more(make_error(0, 30, 0.01), 0.0, 0.01) is None
    assert count_more(make_error(0, 0, 0.01), 0.1, 0.01) is None
    assert judge_target(make_error(1, 30, 0.01), 0.0, 0.01).verdict == "above"


def test_a_site_without_labels_is_settled_where_any_error_will_do():
    assert judge_target(make_error(0, 0, 0.01), 1.0, 0.01).verdict == "within"
    nothing = judge_target(make_error(0, 0, 0.01), 0.3, 0.01)
    assert (nothing.verdict, nothing.more) == ("unsettled", None)


def test_verdicts_are_wrong_as_seldom_as_is_said():
    """An error a little above, or at, epsilon is called the other way with probability ``risk`` at most."""
    m, risk, epsilon = 40, 0.05, 0.1
    said = [judge_target(make_error(x, m, risk), epsilon, risk).verdict for x in range(m + 1)]
    for truth, wrong in ((0.1001, "within"), (0.1, "above"), (0.3, "within"), (0.02, "above")):
        assert sum(binom.pmf(x, m, truth) for x in range(m + 1) if said[x] == wrong) <= risk
    assert set(said) == {"unsettled", "above", "within"} if 0.9**m <= risk else {"unsettled", "above"}


def test_the_result_has_the_limits_of_all_candidates_and_sites_at_once():
    counts = {"a": ([3, 20], 40), "b": ([0, 1], 30), "c": ([0, 0], 0)}
    seen = fp.realizability(counts, epsilon={"a": 0.1, "b": 0.3, "c": 0.2})
    risk = 0.05 / (2 * 2 * 3)
    assert seen.chosen == seen.best == "h1"
    assert {site: target.error for site, target in seen.targets.items()} == seen.errors
    assert [target.verdict for target in seen.targets.values()] == ["unsettled", "within", "unsettled"]
    assert seen.targets["a"].more == count_more(seen.errors["a"], 0.1, risk)
    other = fp.realizability(counts, epsilon=0.1, chosen="h2")
    assert (other.chosen, other.best, other.errors) == ("h2", "h1", seen.errors)
    assert other.targets["a"].error.mistakes == 20
    assert other.targets["a"].verdict == "above"


def test_labelling_so_many_more_at_this_rate_settles_it():
    seen = fp.realizability({"a": ([5, 50], 100)}, epsilon=0.1)
    more = seen.targets["a"].more
    rounds = ceil((100 + more) / 100)
    assert fp.realizability({"a": ([5 * rounds, 50 * rounds], 100 * rounds)}, epsilon=0.1).targets["a"].more == 0
    assert more > 0
