"""The whole check: false alarms counted out over all samples, lies caught, what is said and what is refused."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import fedpact as fp
from binomials import chance_of_samples
from fedpact.describe.candidate_list import CandidateList
from fedpact.mechanism.sample_checks.critical_counts import find_critical_counts, gather_rates
from fedpact.mechanism.sample_checks.reported_rates import read_reported
from refusals import check_refused
from reproduction.simulated_sites import simulate_sites
from strategies import distribution_rows, label_rows, rates_of, report_of

TENTH = fp.Report(name="alice", n=10, n_classes=2, counts=np.array([1]))
NAMED = replace(TENTH, candidates=CandidateList.from_names(["forest", "stump"]))
HALF = [[0, 0.5], [0.5, 0]]


def differing(x, m):
    """Predictions of two hypotheses that differ on x of m samples."""
    return np.array([[0] * m, [1] * x + [0] * (m - x)])


def find(square, m, false_alarm_rate=0.01):
    return find_critical_counts(gather_rates(read_reported(square), 0.0), m, false_alarm_rate)


def flag_probability(reported, labels, masses, m, **options):
    def is_flagged(drawn):
        return fp.check_contribution(reported, np.array(labels)[:, drawn], **options).is_flagged

    return chance_of_samples(masses, m, is_flagged)


DOMAINS = {
    "all-labelings": ([[0, 0], [0, 1], [1, 0], [1, 1]], ["4/5", "1/5"], 6),
    "thresholds": ([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], ["1/2", "1/3", "1/6"], 5),
    "three-classes": ([[0, 1, 2], [0, 2, 1], [2, 2, 2]], ["1/10", "3/10", "6/10"], 5),
}


@pytest.mark.parametrize(("labels", "masses", "m"), DOMAINS.values(), ids=DOMAINS)
@pytest.mark.parametrize("false_alarm_rate", [0.03, 0.2, 0.45])
def test_false_alarms_over_all_samples_stay_within_what_is_certified(labels, masses, m, false_alarm_rate):
    masses = [Fraction(mass) for mass in masses]
    reported = rates_of(labels, masses)
    certified = fp.check_contribution(
        reported, np.array(labels)[:, [0] * m], false_alarm_rate=false_alarm_rate
    ).false_alarm
    actual = flag_probability(reported, labels, masses, m, false_alarm_rate=false_alarm_rate)
    assert 0 < actual <= certified * (1 + 1e-12)
    assert certified <= false_alarm_rate


@st.composite
def honest_sites(draw):
    n = draw(st.integers(1, 3))
    return draw(label_rows(n, 3)), draw(distribution_rows(n)), draw(st.integers(0, 4))


@given(honest_sites(), st.sampled_from([0.05, 0.3, 0.6]))
@settings(max_examples=40)
def test_no_honest_site_is_flagged_more_often_than_the_level(site, false_alarm_rate):
    labels, masses, m = site
    assert flag_probability(
        rates_of(labels, masses), labels, masses, m, false_alarm_rate=false_alarm_rate
    ) <= Fraction(false_alarm_rate)


@pytest.mark.parametrize("truth", ["2/5", "1/2", "3/5"])
def test_the_level_holds_for_every_rate_within_the_tolerance(truth):
    masses = [1 - Fraction(truth), Fraction(truth)]
    assert (
        0
        < flag_probability(HALF, [[0, 0], [0, 1]], masses, 9, false_alarm_rate=0.1, tolerance=0.1)
        <= Fraction(1, 10)
    )


def test_without_tolerance_a_rate_beside_the_reported_one_is_flagged_more_often():
    masses = [Fraction(2, 5), Fraction(3, 5)]
    assert flag_probability(HALF, [[0, 0], [0, 1]], masses, 9, false_alarm_rate=0.05) > Fraction(1, 20)


@pytest.mark.parametrize("m", [10, 100])
def test_ten_thousand_honest_sites_are_flagged_within_the_level(m):
    """More than 1 percent of them would be chance only once in a million."""
    fed = fp.examples.arizona_hospitals()
    drawn = simulate_sites(fed, np.random.default_rng(7))
    for agent in (0, 8, 16):
        counts = drawn.draw_counts(drawn.mass[agent], m, 10_000)
        found = find(fp.planning.disagreement(fed)[agent], m)
        flagged = int(found.are_suspicious(counts).any(axis=1).sum())
        assert flagged <= binom.isf(1e-6, 10_000, 0.01)
        assert flagged > 0


def test_a_site_is_judged_one_by_one_as_many_are_at_once():
    fed = fp.examples.arizona_hospitals()
    rng = np.random.default_rng(1)
    labels, (mine, theirs) = fed.evidence.labels[fed.distinct], fed.evidence.distributions[[0, 5]]
    square = fp.planning.disagreement(fed)[0]
    found, verdicts = find(square, 40), set()
    for masses in [mine] * 5 + [theirs] * 5:
        seen = labels[:, rng.choice(len(masses), 40, p=masses)]
        counts = np.array([(seen[h] != seen[g]).sum() for h, g in itertools.combinations(range(fed.H), 2)])
        check = fp.check_contribution(square, seen)
        assert check.suspicious == found.are_suspicious(counts).sum()
        verdicts.add(check.is_flagged)
    assert verdicts == {True, False}


def test_who_sends_another_site_s_data_is_caught():
    labels, alice, bob = fp.examples.alice_bob().evidence.labels, [0.8, 0.2], [0.2, 0.8]
    rng = np.random.default_rng(0)
    report = report_of("alice", labels[:, rng.choice(2, 1000, p=alice)])
    honest = fp.check_contribution(report, labels[:, rng.choice(2, 60, p=alice)], tolerance=0.05)
    lying = fp.check_contribution(report, labels[:, rng.choice(2, 60, p=bob)], tolerance=0.05)
    assert (honest.is_flagged, honest.status) == (False, fp.mechanism.ContributionStatus.CONSISTENT)
    assert (lying.is_flagged, lying.site, lying.m) == (True, "alice", 60)
    assert lying.suspicious == 4
    assert [pair.is_suspicious for pair in lying.pairs] == [True] * 4 + [False] * 2


def test_what_never_happens_by_report_is_caught_at_once():
    never, always = [[0, 0], [0, 0]], [[0, 1], [1, 0]]
    for reported, x in ((never, 1), (always, 49)):
        seen = fp.check_contribution(reported, differing(x, 50), false_alarm_rate=1e-9)
        assert (seen.is_flagged, seen.false_alarm) == (True, 0)
        assert (seen.pairs[0].p_value, seen.pairs[0].adjusted) == (0, 0)
    assert not fp.check_contribution(never, differing(0, 50)).is_flagged
    assert not fp.check_contribution(always, differing(50, 50)).is_flagged


def test_pairs_come_the_least_likely_first_and_are_named():
    rates = np.full((30, 30), 0.3) - 0.3 * np.eye(30)
    predictions = np.zeros((30, 50), dtype=int)
    predictions[3, :40] = predictions[7, :25] = 1
    names = [f"model {number}" for number in range(30)]
    seen = fp.check_contribution(rates, predictions, hypotheses=names)
    assert len(seen.pairs) == 10
    assert seen.suspicious == 28 + 378  # the others never differ, which at a rate of 0.3 is suspicious too
    assert all("model 3" in pair.pair and pair.observed == 40 for pair in seen.pairs)
    assert [pair.p_value for pair in seen.pairs] == sorted(pair.p_value for pair in seen.pairs)
    assert all(pair.p_value <= pair.adjusted <= seen.false_alarm_rate for pair in seen.pairs)
    assert seen.pairs[0].pair == ("model 0", "model 3")
    assert seen.tested == seen.counted == 435


def test_every_pair_is_named_as_combinations_order_them():
    rates = np.full((5, 5), 0.5) - 0.5 * np.eye(5)
    for h, g in itertools.combinations(range(5), 2):
        predictions = np.arange(5)[:, None].repeat(3, axis=1)
        predictions[g] = h
        (least, *_) = [pair for pair in fp.check_contribution(rates, predictions).pairs if pair.observed == 0]
        assert least.pair == (f"h{h + 1}", f"h{g + 1}")


def test_candidates_are_called_as_the_report_calls_them():
    for hypotheses in (None, ["forest", "stump"]):
        seen = fp.check_contribution(NAMED, differing(1, 3), hypotheses=hypotheses)
        assert seen.pairs[0].pair == ("forest", "stump")


NOTHING = {
    "no-samples": (HALF, np.empty((2, 0)), "NO_SAMPLES"),
    "no-samples-in-lists": (HALF, [[], []], "NO_SAMPLES"),
    "one-hypothesis": ([[0]], [[1, 2, 3]], "NO_PAIRS"),
    "too-few": (HALF, differing(2, 2), "TOO_FEW"),
}


@pytest.mark.parametrize(("report", "predictions", "status"), NOTHING.values(), ids=NOTHING)
def test_nothing_can_be_said(report, predictions, status):
    seen = fp.check_contribution(report, predictions)
    assert (seen.status.name, seen.is_flagged, seen.counted, seen.false_alarm) == (status, False, 0, 0)
    assert (seen.detectable, seen.detectable_at_best, seen.easiest) == (None, None, None)


def test_a_report_and_its_rates_say_the_same():
    report = fp.Report(name="x", n=8, n_classes=2, counts=np.array([4, 2, 6]))
    predictions = [[0] * 9, [1] * 9, [0, 1] * 4 + [0]]
    by_report = fp.check_contribution(report, predictions).to_dict()
    by_rates = fp.check_contribution(report.square() / 8, predictions).to_dict()
    assert by_report | {"site": None} == by_rates


def test_the_pair_that_is_easiest_to_check_is_named():
    seen = fp.check_contribution(TENTH, differing(9, 30), tolerance="1/100")
    assert seen.is_flagged
    assert seen.easiest == ("h1", "h2")


def test_a_thousand_hypotheses_are_checked():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (1000, 400))
    report = fp.Report(name="site", n=400, n_classes=2, counts=count_all(labels))
    seen = fp.check_contribution(report, labels[:, rng.integers(0, 400, 50)])
    assert (seen.tested, seen.is_flagged) == (499_500, False)
    assert fp.check_contribution(report, np.zeros((1000, 200), dtype=int)).is_flagged


def count_all(labels):
    upper = np.triu_indices(len(labels), k=1)
    ones = labels.astype(float)
    same = ones @ ones.T + (1 - ones) @ (1 - ones).T
    return (labels.shape[1] - same[upper]).astype(np.int64)


TWO = differing(1, 3)
BAD = [
    ("alice.npz", TWO, {}, "report must be a fedpact Report or an (H, H) array of rates"),
    ([[0, 1]], TWO, {}, "report must be a fedpact Report or an (H, H) array of rates"),
    ([[0, 1], [1]], TWO, {}, "report must be a fedpact Report or an (H, H) array of rates"),
    (np.empty((0, 0)), TWO, {}, "report must be a fedpact Report or an (H, H) array of rates"),
    ([[0, 1.5], [1.5, 0]], TWO, {}, "report: rates must lie between 0 and 1; one is 1.5"),
    ([[0, -0.5], [-0.5, 0]], TWO, {}, "report: rates must lie between 0 and 1; one is -0.5"),
    ([[0, np.nan], [np.nan, 0]], TWO, {}, "report: rates must lie between 0 and 1; one is nan"),
    ([[0, 0.5], [0.5, 0.1]], TWO, {}, "so the diagonal must be 0; it holds 0.1"),
    (
        [[0, 0.5], [0.4, 0]],
        TWO,
        {},
        "report: rates must be symmetric; those of hypotheses 1 and 2 are 0.5 and 0.4",
    ),
    (TENTH, [[0, 1]], {}, "predictions must have one row for each of the 2 hypotheses of the report; they have 1"),
    (TENTH, [[], [], []], {}, "of the 2 hypotheses of the report; they have 3"),
    (TENTH, [[0, 1], [0]], {}, "predictions must be a matrix with one row per hypothesis"),
    (TENTH, [[np.nan], [1]], {}, "predictions: row 1: labels must be whole numbers or strings"),
    (TENTH, TWO, {"false_alarm_rate": 0}, "false_alarm_rate must lie strictly between 0 and 1; it is 0"),
    (TENTH, TWO, {"power": 80}, "power must lie strictly between 0 and 1; it is 80"),
    (TENTH, TWO, {"tolerance": -0.1}, "tolerance must lie between 0 and 1; it is -0.1"),
    (
        TENTH,
        [[0, 1, 0], [2, 0, 0]],
        {},
        "at most the n_classes = 2 different labels of report 'alice'; they hold 3; "
        "let the site report again with n_classes=3 or more",
    ),
    (
        NAMED,
        TWO,
        {"hypotheses": ["forest", "tree"]},
        "the candidates of report 'alice', in its order; candidate 2 is 'stump' in one and 'tree' in the other",
    ),
    (TENTH, TWO, {"hypotheses": ["a", "a"]}, "hypothesis names must be 2 different strings"),
]


def test_refuses():
    for report, predictions, options, message in BAD:
        check_refused(message, fp.check_contribution, report, predictions, **options)


def test_candidates_of_predictions_are_those_of_the_report():
    own = fp.sites.Predicted(
        labels=differing(1, 20), candidates=CandidateList.from_names(["forest", "stump"]), classes=(0, 1)
    )
    assert {*fp.check_contribution(NAMED, own).pairs[0].pair} == {"forest", "stump"}
    other = replace(own, candidates=CandidateList.from_names(["forest", "tree"]))
    with pytest.raises(fp.FederationError, match="tree"):
        fp.check_contribution(NAMED, other)
