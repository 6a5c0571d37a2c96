"""Forecasts: plans as they are, adaptive labelling as it turns out, bounds that hold."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.errors import FederationError
from fedpact.selection.forecast import simulate_labels


def three_sites(**settings):
    rng = np.random.default_rng(0)
    truth = {site: rng.integers(0, 2, 60) for site in ("a", "b", "c")}
    rates = (0.05, 0.1, 0.2, 0.3, 0.4)
    says = {site: [np.where(rng.random(60) < rate, 1 - own, own) for rate in rates] for site, own in truth.items()}
    return fp.Federation.from_predictions(says, epsilon=0.1, delta=0.1, **settings)


def test_rows_are_what_their_questions_answer():
    fed = three_sites(cost=[1, 2, 3])
    seen = fp.forecast(fed, assume="realizable", batch=(1, 5))
    assert [(row.how, row.batch) for row in seen.rows] == [
        ("alone", None),
        ("fixed", None),
        ("adaptive", 1),
        ("adaptive", 5),
    ]
    plan, alone = fp.plan(fed), fp.game.standalone(fed)
    assert seen.row("realizable", "fixed").labels == sum(plan.contributions.values())
    assert seen.row("realizable", "fixed").cost == plan.cost
    assert seen.row("realizable", "alone").labels == sum(alone.values())
    asked = [fp.select(fed, truth, batch=5) for truth in fed.hypotheses]
    row = seen.row("realizable", "adaptive", 5)
    assert (row.runs, row.is_bound, row.certified) == (fed.H, True, 1.0)
    assert row.labels == pytest.approx(np.mean([one.labels for one in asked]))
    assert row.labels_worst == max(one.labels for one in asked)
    assert row.cost == pytest.approx(np.mean([one.cost for one in asked]))
    assert row.rounds == pytest.approx(np.mean([one.rounds for one in asked]))
    assert row.labels_worst <= fed.H - 1 + 5


def test_the_federations_own_assumption_comes_first_with_its_noise():
    seen = fp.forecast(three_sites(noise=0.2), batch=9, runs=1)
    assert (seen.noise, seen.rows[0].assume, seen.rows[0].noise) == (0.2, "noisy", 0.2)
    assert seen.row("noisy", "fixed").labels == sum(fp.plan(three_sites(noise=0.2)).contributions.values())


def test_simulated_labels_are_wrong_as_often_as_is_said():
    fed = three_sites()
    answer = simulate_labels(fed, 0, 0.2, np.random.default_rng(1))
    said = fed.labels["a"]
    can_err = (said != said[0]).any(axis=0)
    points = np.arange(60)
    seen = answer("a", points)
    assert np.array_equal(answer("a", points[::-1])[::-1], seen)
    assert np.array_equal(seen[~can_err], said[0][~can_err])
    shares = [
        (simulate_labels(fed, 0, 0.2, np.random.default_rng(run))("a", points) != said[0])[can_err].mean()
        for run in range(200)
    ]
    assert np.mean(shares) == pytest.approx(0.2, abs=0.01)


def test_from_reports_adaptive_labelling_cannot_be_simulated():
    fed = three_sites()
    reports = [fp.report(own, name=site) for site, own in fed.labels.items()]
    seen = fp.forecast(fp.Federation.from_reports(reports, epsilon=0.1, delta=0.1), assume="realizable")
    assert [row.how for row in seen.rows] == ["alone", "fixed"]


def test_what_cannot_be_met_is_said_row_by_row():
    seen = fp.forecast(three_sites(capacity=1), assume="realizable", batch=1, runs=5)
    assert seen.row("realizable", "alone").refusal.code == "not-alone"
    assert seen.row("realizable", "fixed").refusal is not None
    assert seen.row("realizable", "fixed").labels is None
    assert 0 <= seen.row("realizable", "adaptive").certified <= 1


def test_time_ends_simulation_after_a_run_of_every_row():
    seen = fp.forecast(three_sites(), assume="realizable", batch=1, runs=50, time_limit=0)
    assert (seen.row("realizable", "adaptive").runs, seen.row("realizable", "adaptive").is_bound) == (1, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"assume": "all"}, "assume must be one of realizable, noisy, agnostic; it is 'all'"),
        ({"assume": ()}, "assume must name at least one"),
        ({"noise": 0.5}, "noise must be below 0.5"),
        ({"batch": 0}, "batch"),
        ({"runs": 0}, "runs"),
        ({"rng": -1}, "rng"),
        ({"time_limit": -1}, "time_limit"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(FederationError) as caught:
        fp.forecast(three_sites(), **options)
    assert message in str(caught.value)


def test_a_forecast_reads_back():
    seen = fp.forecast(three_sites(), assume="realizable", batch=1)
    assert fp.read_result(seen.to_dict()) == seen
    assert seen.plot().axes[0].get_yticklabels()[0].get_text() == "realizable: alone"
