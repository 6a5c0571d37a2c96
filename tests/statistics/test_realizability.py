"""p-values, level and limits against fractions, every outcome counted out; what is said and refused."""

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import fedpact as fp
from binomials import lower, upper
from fedpact.explain import explain
from fedpact.statistics.confidence import clopper_pearson
from fedpact.statistics.realizability import average_limits, p_values
from refusals import check_refused

NOISES = tuple(map(Fraction, ("0", "1/100", "1/10", "1/3")))


def site(*mistakes, m):
    """Predictions of candidates that are wrong on the first so many of m samples, all labelled 1."""
    return np.array([[0] * wrong + [1] * (m - wrong) for wrong in mistakes]).reshape(len(mistakes), m), [1] * m


def p_by_hand(mistakes, m, noise):
    pooled = upper(sum(m), sum(mistakes), noise)
    if len(m) == 1:
        return pooled
    own = min(upper(size, wrong, noise) for wrong, size in zip(mistakes, m, strict=True))
    return min(Fraction(1), 2 * pooled, 2 * len(m) * own)


@st.composite
def counted(draw):
    m = draw(st.lists(st.integers(0, 6), min_size=1, max_size=3))
    rows = draw(st.lists(st.tuples(*(st.integers(0, size) for size in m)), min_size=1, max_size=4))
    return m, rows


@given(counted(), st.sampled_from(NOISES))
@settings(max_examples=80)
def test_the_answer_is_that_counted_out(case, noise):
    m, rows = case
    names = [f"site-{place}" for place in range(len(m))]
    columns = zip(names, m, zip(*rows, strict=True), strict=True)
    seen = fp.realizability({name: site(*wrong, m=size) for name, size, wrong in columns}, noise=float(noise))
    sizes = [size for size in m if size]
    kept = [[wrong for wrong, size in zip(row, m, strict=True) if size] for row in rows]
    exact = max(p_by_hand(row, sizes, noise) for row in kept) if sizes else 1
    assert seen.p_value == pytest.approx(float(exact), rel=1e-9, abs=0)
    assert seen.is_refuted == (exact <= Fraction(1, 100))
    assert seen.consistent == sum(sum(row) == 0 for row in rows)
    assert [list(sites.values()) for sites in seen.mistakes.values()] == [list(row) for row in rows]
    if sizes:
        totals = [sum(row) for row in rows]
        assert seen.best == f"h{totals.index(min(totals)) + 1}"
        assert (seen.error.mistakes, seen.error.m) == (min(totals), sum(m))


@given(counted(), st.data())
@settings(max_examples=40)
def test_counts_say_what_predictions_and_labels_do(case, data):
    m, rows = case
    columns = zip(zip(*rows, strict=True), m, strict=True)
    sites = {f"site-{place}": one for place, one in enumerate(columns)}
    labelled = {name: site(*wrong, m=size) for name, (wrong, size) in sites.items()}
    mixed = {name: labelled[name] if data.draw(st.booleans()) else sites[name] for name in sites}
    expected = fp.realizability(labelled, noise=0.1, epsilon=0.2)
    assert fp.realizability(sites, noise=0.1, epsilon=0.2) == expected
    assert fp.realizability(mixed, noise=0.1, epsilon=0.2) == expected
    stored = json.loads(json.dumps(expected.to_dict()))
    assert fp.Realizability.from_dict(stored) == expected
    known = {key: value for key, value in stored.items() if key not in ("chosen", "targets")}
    assert fp.Realizability.from_dict(known) == replace(expected, chosen=None, targets=None)


@pytest.mark.parametrize("false_alarm_rate", [0.15, 0.3, 0.6])
def test_a_right_candidate_is_refuted_within_the_level_over_all_outcomes(false_alarm_rate):
    """Both sites have three samples; h1 errs as often as allowed, and h2 is wrong more often where h1 is."""
    noise, outcomes = Fraction(1, 5), list(itertools.product((0, 1), repeat=2))
    chance = {(0, 0): Fraction(3, 5), (0, 1): Fraction(1, 5), (1, 0): Fraction(1, 20), (1, 1): Fraction(3, 20)}
    total = Fraction(0)
    for drawn, other in itertools.product(itertools.combinations_with_replacement(outcomes, 3), repeat=2):
        mistakes = np.array([np.sum(drawn, axis=0), np.sum(other, axis=0)]).T
        if p_values(mistakes, np.array([3, 3]), float(noise)).max() <= false_alarm_rate:
            total += _chance(drawn, chance) * _chance(other, chance)
    assert sum(p for (h1, _), p in chance.items() if h1) == noise
    assert 0 < total <= Fraction(false_alarm_rate)


def _chance(drawn, chance):
    orders = len(set(itertools.permutations(drawn)))
    return orders * prod((chance[outcome] for outcome in drawn), start=Fraction(1))


@pytest.mark.parametrize("false_alarm_rate", [0.01, 0.2])
def test_many_right_candidates_are_refuted_within_the_level(false_alarm_rate):
    """More than the level would be chance only once in a million; worse candidates are refuted more often."""
    rng, m, worlds = np.random.default_rng(0), np.array([40, 5, 100]), 50_000
    right = p_values(rng.binomial(m, 0.1, (worlds, 3)), m, 0.1) <= false_alarm_rate
    assert 0 < right.sum() <= binom.isf(1e-6, worlds, false_alarm_rate)
    for wrong in ([0.2, 0.2, 0.2], [0.1, 0.9, 0.1]):
        caught = p_values(rng.binomial(m, wrong, (1000, 3)), m, 0.1) <= false_alarm_rate
        assert caught.mean() > 0.5


def sums(chances):
    """Distribution of the number of successes, in fractions."""
    out = [Fraction(1)]
    for chance in chances:
        out = [
            (out[c] if c < len(out) else 0) * (1 - chance) + (out[c - 1] * chance if c else 0)
            for c in range(len(out) + 1)
        ]
    return out


SIXTHS = [Fraction(step, 6) for step in range(7)]


@pytest.mark.parametrize("risk", [0.005, 0.05, 0.16])
def test_limits_of_an_average_are_wrong_within_the_risk_over_all_outcomes(risk):
    for n in (2, 3, 5):
        limits = [average_limits(c, n, risk) for c in range(n + 1)]
        for chances in itertools.combinations_with_replacement([*SIXTHS, Fraction(1, 50), Fraction(49, 50)], n):
            mean, distribution = sum(chances) / n, sums(chances)
            too_high = sum(p for p, (low, _) in zip(distribution, limits, strict=True) if low > mean)
            too_low = sum(p for p, (_, high) in zip(distribution, limits, strict=True) if high < mean)
            assert max(too_high, too_low) <= Fraction(risk)


def test_the_limits_of_a_binomial_would_not_do_for_an_average():
    chances, risk = [Fraction(1), Fraction(9, 10)], 0.098
    assert clopper_pearson(np.array(1), 2, risk)[1] < sum(chances) / 2 <= average_limits(1, 2, risk)[1]
    assert sums(chances)[1] > Fraction(risk)


def test_limits_of_sites_are_of_clopper_and_pearson_for_all_candidates_and_sites():
    seen = fp.realizability({"alice": site(2, 3, m=9), "bob": site(1, 4, m=7), "carol": site(0, 0, m=0)})
    risk = Fraction(1, 20) / (2 * 2 * 3)
    for name in ("alice", "bob"):
        error = seen.errors[name]
        assert float(upper(error.m, error.mistakes, Fraction(error.low))) == pytest.approx(float(risk), rel=1e-6)
        assert float(lower(error.m, error.mistakes, Fraction(error.high))) == pytest.approx(float(risk), rel=1e-6)
    alone = fp.realizability({"alice": site(2, 3, m=9)})
    assert alone.error == alone.errors["alice"]
    assert float(upper(9, 2, Fraction(alone.error.low))) == pytest.approx(0.05 / 4, rel=1e-6)


def test_limits_of_the_best_are_right_as_often_as_is_said():
    """The luckiest of thirty bad candidates looks better than it is. Too many misses: once in a million."""
    rng, worlds, missed, naive = np.random.default_rng(1), 200, 0, 0
    for _ in range(worlds):
        wrong = rng.random((30, 60)) < 0.3
        seen = fp.realizability({"alice": (wrong.astype(int), np.zeros(60))}, confidence=0.8)
        missed += not seen.error.low <= 0.3 <= seen.error.high
        low, high = clopper_pearson(np.array(seen.error.mistakes), 60, 0.1)
        naive += not low <= 0.3 <= high
    assert missed <= binom.isf(1e-6, worlds, 0.2) < naive


CASES = {
    "consistent": ({"a": site(0, 2, m=5), "b": site(0, 0, m=2)}, 0, "CONSISTENT", False),
    "unseen": ({"a": site(0, 2, m=5), "b": site(0, 0, m=0)}, 0, "CONSISTENT_WHERE_SEEN", False),
    "no mistakes within noise": ({"a": site(0, 2, m=5)}, 0.1, "CONSISTENT", False),
    "one mistake of each": ({"a": site(0, 1, m=5), "b": site(1, 0, m=5)}, 0, "REFUTED", True),
    "explained by noise": ({"a": site(1, 1, m=5)}, "1/5", "WITHIN_NOISE", False),
    "not explained by noise": ({"a": site(5, 4, m=5)}, "1/10", "REFUTED", True),
    "one site alone": ({"a": site(6, m=6), "b": site(0, m=300)}, "1/10", "REFUTED", True),
    "no samples": ({"a": site(0, 0, m=0), "b": ([[], []], [])}, 0, "NO_SAMPLES", False),
}


@pytest.mark.parametrize(("contributions", "noise", "status", "is_refuted"), CASES.values(), ids=CASES)
def test_what_is_found(contributions, noise, status, is_refuted):
    seen = fp.realizability(contributions, noise=noise)
    assert (seen.status.name, seen.is_refuted) == (status, is_refuted)


def test_without_noise_a_mistake_of_each_is_proof():
    assert fp.realizability({"a": site(1, 1, m=1000)}, false_alarm_rate=1e-300).p_value == 0
    assert fp.realizability({"a": site(1000, 0, m=1000)}, false_alarm_rate=0.999).p_value == 1


def test_without_samples_nothing_is_known():
    seen = fp.realizability({"a": ([[], []], [])})
    assert (seen.best, seen.teacher, seen.p_value, seen.unseen) == (None, None, 1, ("a",))
    assert (seen.error.rate, seen.error_with_teacher, seen.bound(0.1)) == (None, {"a": 1.0}, {"a": 1.0})
    assert seen.excess == 0
    assert explain(seen).sentences == ()


def test_a_label_that_no_candidate_predicts_is_a_mistake_of_all():
    seen = fp.realizability({"a": ([[0, 1], [1, 1]], [0, 7])})
    assert seen.mistakes == {"h1": {"a": 1}, "h2": {"a": 2}}
    assert seen.is_refuted


def test_the_sentences_have_the_numbers():
    found = fp.realizability({"a": site(0, 3, m=4)})
    assert found.excess == 0
    assert "1 of 2 candidates makes no mistake on 4 samples." in explain(found).sentences
    wrong = fp.realizability({"a": site(3, 4, m=10), "b": site(2, 1, m=10)}, noise=0.02)
    assert wrong.excess == wrong.error.low - 0.02 > 0
    said = " ".join(explain(wrong).sentences)
    for part in (
        "The best, 'h1', is wrong on 5 of 20 samples, a rate of 0.25 ",
        f"errs at a rate of {wrong.error.low:.3g} or more, with confidence 0.95, where the noise is 0.02",
        f"by 'h1', whatever agrees with all of them errs at most at epsilon plus the teacher's own rate: "
        f"a {wrong.errors['a'].high:.3g} and b {wrong.errors['b'].high:.3g}",
    ):
        assert part in said
    assert explain(wrong).tables[0].total[:3] == ("all sites", 20, 5)


def test_what_settles_a_target_is_said():
    counts = {"a": ([3, 5], 40), "b": ([0, 9], 30), "c": ([0, 0], 0), "d": ([20, 9], 30), "e": ([1, 9], 10)}
    seen = fp.realizability(counts, epsilon=[0.1, 0.3, 0.1, 0.1, 0.1], chosen="h1")
    said = explain(seen)
    more = seen.targets["a"].more
    assert f"If it goes on to err as often, label {more:,} more at a to settle it." in said.sentences
    assert "Its error is above epsilon at d." in said.sentences
    assert "c has no labelled sample, so nothing is known there." in said.sentences
    assert "At e its rate is on epsilon: no number of labels settles that." in said.sentences
    assert [str(row[7]) for row in said.tables[0].rows] == [
        "unsettled",
        "within",
        "unsettled",
        "above",
        "unsettled",
    ]
    assert [row[8] for row in said.tables[0].rows] == [more, None, None, None, None]


def test_a_run_is_tested_by_what_came_of_it():
    """Labels alternate, so that no candidate is right."""
    fed = fp.examples.alice_bob()
    made = fp.protocol.simulate_sites(fed, seed=1)
    sites = {name: replace(own, labeller=lambda places: np.arange(len(places)) % 2) for name, own in made.items()}
    outcome = fp.protocol.run(fed, sites, method="tree")
    seen = fp.realizability(outcome)
    assert (seen.is_refuted, seen.samples, seen.chosen) == (True, outcome.contributions, outcome.hypothesis)
    assert seen.error.mistakes == outcome.mistakes > 0
    assert list(seen.mistakes) == list(fed.hypotheses)
    assert {site: target.epsilon for site, target in seen.targets.items()} == {"alice": 0.1, "bob": 0.1}
    other = fp.realizability(outcome, epsilon=0.4, chosen="nowhere", noise=0.5)
    assert (other.chosen, other.targets["bob"].epsilon, other.status.name) == ("nowhere", 0.4, "WITHIN_NOISE")
    with pytest.raises(fp.FederationError, match="the run has no labelled samples yet"):
        fp.realizability(replace(outcome, counts=None))


def test_with_a_teacher_errors_add_up():
    seen = fp.realizability({"a": site(1, 30, m=50), "b": site(2, 40, m=40)}, hypotheses=["tree", "stump"])
    assert (seen.is_refuted, seen.teacher) == (True, "tree")
    limits = {name: seen.errors[name].high for name in "ab"}
    assert seen.error_with_teacher == limits
    assert seen.bound("1/10") == {"a": limits["a"] + 0.1, "b": limits["b"] + 0.1}
    assert seen.bound({"b": 0.2, "a": 0}) == {"a": limits["a"], "b": limits["b"] + 0.2}
    assert seen.bound(1) == {"a": 1, "b": 1}


REFUSED = [
    (1.5, "agent 'alice': epsilon must lie between 0 and 1; it is 1.5"),
    ({"alice": 0.1}, "epsilon is given per agent but agent 'bob' has none"),
    ({"alice": 0.1, "bob": 0, "alicia": 0.1}, "epsilon names 'alicia', who is not in the"),
    (float("nan"), "epsilon must be a finite number; it is nan"),
]


def test_bound_refuses():
    for epsilon, message in REFUSED:
        seen = fp.realizability({"alice": site(0, m=3), "bob": site(0, m=3)})
        with pytest.raises(fp.FederationError) as caught:
            seen.bound(epsilon)
        assert message in str(caught.value)


GOOD = site(0, 1, m=3)
BAD = [
    ({}, {}, "contributions must map at least one site to its labelled samples"),
    ([GOOD], {}, "contributions must map at least one site to its labelled samples"),
    ({"a": GOOD[0]}, {}, "site 'a': a contribution must be a pair, (predictions, labels)"),
    (
        {"a": (GOOD[0], [0, np.nan, 1])},
        {},
        "site 'a': labels must be whole numbers or strings that are not empty, all of one kind; at point 2",
    ),
    (
        {"a": ([[0, np.nan]], [0, 1])},
        {},
        "site 'a': predictions: row 1: labels must be whole numbers or strings that are not empty",
    ),
    (
        {"a": (GOOD[0], ["x", "y", "z"])},
        {},
        "site 'a': labels and predictions must be all strings or all whole numbers; labels are strings and "
        "predictions whole numbers",
    ),
    ({"a": (GOOD[0], None)}, {}, "site 'a' must give one label per point; the shape is ()"),
    ({"a": (GOOD[0], [[1, 1, 1]])}, {}, "site 'a' must give one label per point; the shape is (1, 3)"),
    ({"a": ([1, -1], 3)}, {}, "site 'a': mistakes must be whole numbers between 0 and m = 3; hypothesis 2 has -1"),
    ({"a": ([4, 1], 3)}, {}, "site 'a': mistakes must be whole numbers between 0 and m = 3; hypothesis 1 has 4"),
    (
        {"a": ([0.5, 1], 3)},
        {},
        "site 'a': mistakes must be whole numbers between 0 and m = 3; hypothesis 1 has 0.5",
    ),
    ({"a": ([np.nan, 1], 3)}, {}, "between 0 and m = 3; hypothesis 1 has nan"),
    ({"a": ([], 3)}, {}, "site 'a': mistakes must be of at least one hypothesis; there are none"),
    ({"a": ([[0, 1]], 3)}, {}, "site 'a': mistakes must be one whole number per hypothesis; they are [[0, 1]]"),
    ({"a": ("many", 3)}, {}, "site 'a': mistakes must be one whole number per hypothesis; they are 'many'"),
    ({"a": ([0, 1], 2.5)}, {}, "site 'a': m must be a whole number >= 0; it is 2.5"),
    ({"a": ([0, 1], -1)}, {}, "site 'a': m must be a whole number >= 0; it is -1"),
    ({"a": ([0, 1], True)}, {}, "site 'a': m must be a number"),
    ({"a": ([0, 1], 2**41)}, {}, "site 'a': m must lie between 0 and 1,099,511,627,776"),
    (
        {"a": GOOD, "b": ([0, 1, 2], 3)},
        {},
        "every site must predict with the same hypotheses; the numbers of rows differ: {'a': 2, 'b': 3}",
    ),
    ({"a": GOOD}, {"epsilon": {"b": 0.1}}, "epsilon names 'b', who is not in the federation"),
    ({"a": GOOD}, {"epsilon": 2}, "agent 'a': epsilon must lie between 0 and 1; it is 2"),
    ({"a": GOOD}, {"chosen": "h1"}, "chosen is the candidate that is held against epsilon; give epsilon"),
    ({"a": GOOD}, {"chosen": "h3", "epsilon": 0.1}, "chosen must be a candidate; 'h3' is none: did you mean"),
    ({"a": ([[0, 1], [0]], [0, 1])}, {}, "site 'a': predictions must be a matrix with one row per hypothesis"),
    ({"a": (np.empty((0, 3)), [1, 1, 1])}, {}, "site 'a': predictions must have at least one"),
    ({"a": (GOOD[0], [1, 1])}, {}, "site 'a': labels must be one for each of the 3 samples"),
    ({"a": ([[], []], [1])}, {}, "one for each of the 0 samples, the columns of predictions"),
    (
        {"a": GOOD, "b": site(0, m=2)},
        {},
        "every site must predict with the same hypotheses; the numbers of rows differ: {'a': 2, 'b': 1}",
    ),
    ({"a": GOOD}, {"hypotheses": ["x"]}, "hypothesis names must be 2 different strings; they are ['x']"),
    ({"a": GOOD}, {"noise": 1}, "noise must be below 1; it is 1"),
    ({"a": GOOD}, {"noise": -0.1}, "noise must be at least 0; it is -0.1"),
    ({"a": GOOD}, {"false_alarm_rate": 5}, "false_alarm_rate must lie strictly between 0 and 1; it is 5"),
    ({"a": GOOD}, {"confidence": 95}, "confidence must lie strictly between 0 and 1; it is 95"),
]


def test_refuses():
    for contributions, options, message in BAD:
        check_refused(message, fp.realizability, contributions, **options)


@pytest.mark.parametrize("truth", [["ill", "well", "odd"], [2, 1, 9]], ids=["strings", "numbers"])
def test_labels_of_predicted_classes_are_compared_by_name(truth):
    """The codes of two classes are 0 and 1, whatever the classes are called; the last label is none of them."""
    ill, well, _ = truth
    models = {"right": lambda points: [ill, well, ill], "wrong": lambda points: [well, well, well]}
    said = fp.sites.predict(models, [0, 1, 2], classes=[well, ill])
    seen = fp.realizability({"alice": (said, truth)}, hypotheses=list(models))
    assert seen.mistakes == {"right": {"alice": 1}, "wrong": {"alice": 2}}


def test_labels_of_predicted_classes_are_checked():
    said = fp.sites.predict({"a": lambda points: ["ill"]}, [0])
    with pytest.raises(fp.FederationError, match=r"site 'alice': labels must be .* at point 1 it is nan"):
        fp.realizability({"alice": (said, [np.nan])})
