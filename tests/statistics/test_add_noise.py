import itertools
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, norm

import fedpact as fp
from fedpact.statistics.add_noise import account, count_changes, find_scale, sensitivity_of
from fedpact.statistics.confidence import limits_of
from refusals import check_refused

# Chance with which a test of a distribution fails though nothing is wrong.
FALSE_ALARM = 1e-9


def site(**changes):
    return fp.Report(
        **{"name": "alice", "n": 1000, "n_classes": 2, "counts": np.array([200, 500, 300]), **changes}
    )


def cut(column):
    return np.array([a != b for a, b in itertools.combinations(column, 2)], dtype=int)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4])
@pytest.mark.parametrize("H", [1, 2, 3, 4, 5])
def test_no_exchange_of_a_point_changes_more_pairs_and_one_changes_as_many(H, n_classes):
    cuts = {tuple(cut(column)) for column in itertools.product(range(n_classes), repeat=H)}
    most = max(sum(map(abs, np.subtract(x, y))) for x in cuts for y in cuts)
    assert most == count_changes(H, n_classes)
    assert most <= sensitivity_of(H, n_classes) ** 2


def test_pairs_that_change_of_many_hypotheses():
    for H in range(1, 60):
        assert count_changes(H, 2) == H * H // 4
        assert count_changes(H, H) == count_changes(H, H + 7) == H * (H - 1) // 2
        assert all(count_changes(H, C) <= count_changes(H, C + 1) for C in range(1, H))


def test_exchanging_a_persons_rows_moves_reports_at_most_that_far():
    rng = np.random.default_rng(5)
    for _ in range(200):
        H, n_classes, rows = rng.integers(2, 9), rng.integers(2, 5), rng.integers(1, 4)
        before = rng.integers(0, n_classes, (H, 12))
        after = before.copy()
        after[:, :rows] = rng.integers(0, n_classes, (H, rows))
        counts = [
            fp.report(labels, name="a", n_classes=n_classes).counts.astype(int) for labels in (before, after)
        ]
        assert np.linalg.norm(counts[0] - counts[1]) <= sensitivity_of(H, n_classes, rows)


def test_the_sensitivity_is_rounded_up():
    for H in range(2, 300):
        assert 1 <= Fraction(sensitivity_of(H, 3)) ** 2 / count_changes(H, 3) < 1 + 1e-14
    assert sensitivity_of(4, 2, rows_per_person=3) == 6.0


BUDGETS = [(0.1, 1e-6), (1.0, 1e-6), (1.0, 1e-9), (5.0, 1e-5), (100.0, 1e-6), (1e-6, 1e-6), (0.5, 0.3)]


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_the_scale_is_enough_and_hardly_less_would_be(epsilon, delta):
    scale = find_scale(2.5, epsilon, delta)
    assert account(scale, 2.5, delta) <= epsilon
    assert account(scale * 0.999, 2.5, delta) > epsilon


def test_less_noise_or_more_sensitivity_is_less_private():
    said = [account(scale, 2.0, 1e-6) for scale in (20.0, 10.0, 5.0, 2.5)]
    assert said == sorted(set(said))
    assert account(10.0, 2.0, 1e-6) < account(10.0, 4.0, 1e-6) == pytest.approx(account(5.0, 2.0, 1e-6))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (2.0, 1e-4)])
def test_the_exact_privacy_loss_is_within_the_budget(epsilon, delta):
    """Sum over outcomes of max(0, p - e^epsilon q) for a count that moves by the sensitivity, by hand."""
    scale = find_scale(2.0, epsilon, delta)
    z = np.arange(-int(40 * scale), int(40 * scale) + 1)
    p, q = (np.exp(-((z - centre) ** 2) / (2 * scale**2)) for centre in (0, 2))
    loss = np.maximum(p / p.sum() - math.exp(epsilon) * q / q.sum(), 0).sum()
    assert delta / 50 < loss <= delta


def test_noise_has_the_scale_it_says_on_every_count():
    exact = site(n=10**6, counts=np.full(190, 500_000))
    draws = [fp.sites.add_noise(exact, privacy_epsilon=1, privacy_delta=1e-6) for _ in range(20)]
    noise = np.array([draw.counts.astype(np.int64) - 500_000 for draw in draws])
    scale = draws[0].noise.scale
    assert scale == pytest.approx(find_scale(10.0, 1, 1e-6))
    # Sums of 3800 variables, z standard deviations away with chance FALSE_ALARM.
    z = norm.isf(FALSE_ALARM / 2)
    assert abs(noise.mean()) < z * scale / math.sqrt(noise.size)
    assert abs((noise**2).mean() / scale**2 - 1) < z * math.sqrt(2 / noise.size) * 1.1
    beyond = np.abs(noise) > scale
    assert binom.ppf(FALSE_ALARM, noise.size, 0.30) <= beyond.sum() <= binom.isf(FALSE_ALARM, noise.size, 0.34)
    # Neither from count to count nor from draw to draw is it the same.
    for one, other in ((noise[:, :-1], noise[:, 1:]), (noise[:-1], noise[1:])):
        assert abs(np.mean(one * other)) < 1.2 * z * scale**2 / math.sqrt(one.size)


def test_the_rest_of_the_report_is_kept():
    exact = fp.report([[0, 1] * 50, [1, 1] * 50, [0, 0] * 50], name="bob", candidates=list("xyz"), n_classes=2)
    sent = fp.sites.add_noise(exact, privacy_epsilon="1/2", privacy_delta=1e-6)
    for field in ("name", "n", "n_classes", "candidates", "minimum_count"):
        assert getattr(sent, field) == getattr(exact, field)
    assert (sent.noise.mechanism, sent.noise.privacy_epsilon, sent.noise.privacy_delta) == (
        "discrete-gaussian",
        0.5,
        1e-6,
    )
    assert sent.noise.scale == pytest.approx(find_scale(math.sqrt(2), 0.5, 1e-6))
    assert not sent.is_exact
    assert exact.noise is None


def test_several_rows_of_a_person_take_as_many_times_the_noise():
    one, three = (
        fp.sites.add_noise(site(), privacy_epsilon=1, privacy_delta=1e-6, rows_per_person=rows) for rows in (1, 3)
    )
    assert three.noise.scale == pytest.approx(3 * one.noise.scale, rel=2e-4)


def test_counts_stay_between_0_and_n():
    exact = site(n=5, counts=np.tile([0, 5], 95))
    sent = fp.sites.add_noise(exact, privacy_epsilon=0.1, privacy_delta=1e-6)
    # With chance 2^-190 all the noise has one sign, and hardly any is smaller than 5 at this scale.
    assert sent.noise.scale > 300
    assert set(sent.counts.tolist()) >= {0, 5}
    assert sent.counts.max() == 5


def test_little_noise_at_a_large_epsilon_leaves_the_counts():
    sent = fp.sites.add_noise(site(), privacy_epsilon=100, privacy_delta=0.1)
    assert np.abs(sent.counts.astype(int) - site().counts).max() <= 5


def test_small_counts_are_hidden_after_the_noise():
    noisy = fp.sites.add_noise(site(n=10**6, counts=np.arange(0, 1900, 10)), privacy_epsilon=1, privacy_delta=1e-6)
    sent = fp.sites.hide_small_counts(noisy, 400)
    assert sent.noise == noisy.noise
    assert sent.minimum_count == 400
    assert sent.counts.tolist() == np.where(noisy.counts < 400, 0, noisy.counts).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("minimum_count", [0, 8], ids=["plain", "hidden"])
def test_limits_at_a_confidence_hold_for_the_true_rates(minimum_count):
    """Each limit may be wrong with chance 0.05; over many reports not more of them are."""
    rng, rates, n, risk = np.random.default_rng(1), np.array([0.0, 0.01, 0.04, 0.3, 0.5, 0.97]), 300, 0.05
    wrong_low = wrong_high = tries = 0
    for _ in range(60):
        counts = rng.binomial(n, rates)
        exact = site(n=n, counts=counts)
        sent = fp.sites.hide_small_counts(
            fp.sites.add_noise(exact, privacy_epsilon=0.5, privacy_delta=1e-4), minimum_count
        )
        low, high = limits_of(sent, sent.counts, risk)
        wrong_low, wrong_high = wrong_low + (low > rates).sum(), wrong_high + (high < rates).sum()
        tries += len(rates)
    most = binom.isf(FALSE_ALARM, tries, risk)
    assert wrong_low <= most
    assert wrong_high <= most


def test_a_plan_at_a_confidence_allows_for_the_noise():
    rng = np.random.default_rng(0)
    exact = fp.report(rng.random((4, 20_000)) < 0.3, name="alice", n_classes=2)
    costs = [
        fp.plan(fp.Federation.from_reports([sent], epsilon=0.1, delta=0.05), confidence=0.95).cost
        for sent in (exact, fp.sites.add_noise(exact, privacy_epsilon=0.05, privacy_delta=1e-6))
    ]
    assert costs[0] < costs[1]
    noisy = fp.Federation.from_reports(
        [fp.sites.add_noise(exact, privacy_epsilon=1, privacy_delta=1e-6)], epsilon=0.1, delta=0.05
    )
    with pytest.raises(fp.FederationError, match="known only with some confidence"):
        fp.plan(noisy)


REFUSED = [
    ({"privacy_epsilon": 0}, "privacy_epsilon must lie between 1e-06 and 100; it is 0"),
    ({"privacy_epsilon": math.inf}, "privacy_epsilon must be a finite number; it is inf"),
    ({"privacy_epsilon": 101}, "privacy_epsilon must lie between 1e-06 and 100; it is 101"),
    ({"privacy_delta": 0}, "privacy_delta must lie strictly between 0 and 1; it is 0"),
    ({"privacy_delta": 1.0}, "privacy_delta must lie strictly between 0 and 1; it is 1"),
    ({"rows_per_person": 0}, "rows_per_person must lie between 1 and 1,000; it is 0"),
    ({"rows_per_person": 1.5}, "rows_per_person must be a whole number >= 1; it is 1.5"),
    ({"rows_per_person": 1001}, "rows_per_person must lie between 1 and 1,000; it is 1001"),
]


def test_refuses_a_request():
    for changes, message in REFUSED:
        check_refused(
            message, fp.sites.add_noise, site(), **{"privacy_epsilon": 1, "privacy_delta": 1e-6} | changes
        )


UNFIT = [
    (
        {"noise": fp.sites.Noise(scale=3, privacy_epsilon=1, privacy_delta=1e-6)},
        "has noise already",
        "the budgets add up",
    ),
    ({"minimum_count": 5}, "hides counts below 5", "then hide with hide_small_counts"),
    ({"n_classes": 1, "counts": np.array([0])}, "2 candidates and 1 labels", "n_classes=..."),
    ({"counts": np.array([], dtype=int)}, "1 candidates and 2 labels", "two candidates"),
]


def test_refuses_a_report():
    for changes, what, next_step in UNFIT:
        with pytest.raises(fp.FederationError) as caught:
            fp.sites.add_noise(site(**changes), privacy_epsilon=1, privacy_delta=1e-6)
        assert what in str(caught.value)
        assert next_step in str(caught.value)


def test_hiding_before_noise_would_break_the_promise():
    """Why it is refused: the exchange of one point moves a hidden count by all of minimum_count."""
    before, after = (fp.sites.hide_small_counts(site(counts=np.array([c])), 5).counts.astype(int) for c in (4, 5))
    assert abs(after - before)[0] == 5 > sensitivity_of(2, 2)


def test_a_missing_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(fp.errors.MissingExtraError, match=r'pip install "fedpact\[privacy\]"'):
        fp.sites.add_noise(site(), privacy_epsilon=1, privacy_delta=1e-6)


def test_opendp_is_left_as_it_was_found():
    code = (
        "import sys, numpy as np, fedpact as fp\n"
        "assert 'opendp' not in sys.modules\n"
        "exact = fp.Report(name='a', n=9, n_classes=2, counts=np.array([3]))\n"
        "fp.sites.add_noise(exact, privacy_epsilon=1, privacy_delta=1e-6)\n"
        "from opendp.mod import GLOBAL_FEATURES, enable_features\n"
        "assert 'contrib' not in GLOBAL_FEATURES\n"
        "enable_features('contrib')\n"
        "fp.sites.add_noise(exact, privacy_epsilon=1, privacy_delta=1e-6)\n"
        "assert 'contrib' in GLOBAL_FEATURES\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)
