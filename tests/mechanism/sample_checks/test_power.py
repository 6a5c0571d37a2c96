"""Chances of being caught against fractions and against all samples counted out."""

import io
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedpact as fp
from binomials import chance_of_samples, largest_cutoff, mass, region
from refusals import check_refused

RATES = {
    "one-pair": ["1/10"],
    "half": ["1/2"],
    "never-and-always": ["0", "1", "1/3"],
    "three": ["1/10", "1/2", "2/5"],
}


def square(rates):
    H = {1: 2, 3: 3}[len(rates)]
    out = np.zeros((H, H))
    out[np.triu_indices(H, k=1)] = [float(Fraction(rate)) for rate in rates]
    return out + out.T


def chances(rates, m, false_alarm_rate, lie, tolerance=0):
    """Every pair's own chance of catching the lie, upwards by large counts and downwards by small ones."""
    cutoff = largest_cutoff(m, rates, false_alarm_rate, tolerance)
    out = []
    for rate in rates:
        bad = region(m, rate, cutoff, tolerance)
        large, small = {x for x in bad if x > m * rate}, {x for x in bad if x < m * rate}
        out += [sum(mass(m, x, rate + lie) for x in large)] if rate + lie <= 1 else []
        out += [sum(mass(m, x, rate - lie) for x in small)] if rate - lie >= 0 else []
    return out


@pytest.mark.parametrize("tolerance", [Fraction(0), Fraction(1, 20)], ids=str)
@pytest.mark.parametrize("rates", RATES.values(), ids=RATES)
@pytest.mark.parametrize("m", [0, 3, 9])
def test_chances_are_those_counted_out(rates, m, tolerance):
    rates, lies = [Fraction(rate) for rate in rates], [Fraction(step, 8) for step in range(5)]
    curve = fp.mechanism.contribution_power(
        square(rates), m, false_alarm_rate=0.07, lies=[float(lie) for lie in lies], tolerance=float(tolerance)
    )
    exact = [chances(rates, m, 0.07, lie, tolerance) for lie in lies]
    (row,) = curve.rows
    assert row.caught == pytest.approx([float(min(each)) for each in exact], abs=1e-12)
    assert row.caught_at_best == pytest.approx([float(max(each)) for each in exact], abs=1e-12)


def test_a_site_is_caught_at_least_as_often_as_the_curve_says():
    """Alice mixes in Bob's data; all samples of the mixture are counted out."""
    fed, m = fp.examples.alice_bob(), 8
    labels, reported = fed.evidence.labels, fp.planning.disagreement(fed)[0]
    for share in (Fraction(1, 2), Fraction(1)):
        masses = [Fraction(4, 5) - share * Fraction(3, 5), Fraction(1, 5) + share * Fraction(3, 5)]
        caught = chance_of_samples(
            masses,
            m,
            lambda drawn: fp.check_contribution(reported, labels[:, drawn], false_alarm_rate=0.1).is_flagged,
        )
        lie = float(share * Fraction(3, 5))  # two pairs' rates move by that much
        (row,) = fp.mechanism.contribution_power(reported, m, false_alarm_rate=0.1, lies=[lie]).rows
        assert 0 < row.caught[0] <= caught


def test_chances_rise_with_the_lie_and_what_is_detectable_falls_with_the_quota():
    curve = fp.mechanism.contribution_power(
        fp.planning.disagreement(fp.examples.arizona_hospitals())[0], [30, 100, 300]
    )
    assert curve.lies[0] == 0
    assert curve.lies[-1] == 1
    for row in curve.rows:
        assert (np.diff(row.caught) >= 0).all()
        assert row.caught[0] <= row.false_alarm <= curve.false_alarm_rate
    detectable = [row.detectable for row in curve.rows]
    assert detectable == sorted(detectable, reverse=True)
    assert detectable[0] < 0.5


@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
def test_beyond_what_is_detectable_every_lie_is_caught_with_the_wanted_chance(power):
    report = fp.planning.disagreement(fp.examples.arizona_hospitals())[3]
    (row,) = fp.mechanism.contribution_power(report, 60, power=power).rows
    lies = [row.detectable - 1e-6, row.detectable + 1e-6]
    before, after = fp.mechanism.contribution_power(report, 60, lies=lies).rows[0].caught
    assert before < power <= after + 1e-9


def test_the_check_and_the_curve_agree():
    fed = fp.examples.arizona_hospitals()
    report, predictions = fp.planning.disagreement(fed)[2], fed.evidence.labels[fed.distinct][:, [0] * 25]
    seen = fp.check_contribution(report, predictions)
    (row,) = fp.mechanism.contribution_power(report, 25).rows
    assert (row.detectable, row.detectable_at_best) == (seen.detectable, seen.detectable_at_best)
    assert (row.false_alarm, row.counted) == (seen.false_alarm, seen.counted)


def test_statuses():
    half = square(["1/2"])
    assert fp.mechanism.contribution_power(half, [20, 2]).status is fp.mechanism.PowerStatus.BLIND
    assert fp.mechanism.contribution_power(half, 20).status is fp.mechanism.PowerStatus.SEES
    assert fp.mechanism.contribution_power(half, 0).rows[0].detectable is None


@given(st.tuples(*[st.floats(0, 1)] * 3), st.integers(0, 30))
def test_where_any_lie_is_caught_every_large_enough_one_is(rates, m):
    (row,) = fp.mechanism.contribution_power(square(rates), m, tolerance=0.05).rows
    assert (row.detectable is None) == (row.detectable_at_best is None) == (row.counted == 0)
    assert row.detectable is None or row.detectable_at_best <= row.detectable


def test_the_curve_is_drawn_one_line_per_quota():
    curve = fp.mechanism.contribution_power(square(["1/10"]), [1, 30], lies=[0, 0.2, 0.4])
    figure = curve.plot()
    (axes,) = figure.axes
    assert [line.get_label() for line in axes.lines] == ["1 sample", "30 samples"]
    assert axes.lines[1].get_xdata().tolist() == [0, 0.2, 0.4]
    assert axes.lines[1].get_ydata().tolist() == list(curve.rows[1].caught)
    assert axes.get_xscale() == "linear"
    figure.savefig(io.BytesIO(), format="svg")


GOOD = {"report": square(["1/4"]), "quota": 10}
BAD = [
    ({"report": [[0]]}, "report must be about at least two hypotheses; it is about 1"),
    ({"quota": 2.5}, "quota must be a whole number >= 0; it is 2.5"),
    ({"quota": [3, -1]}, "quota must be a whole number >= 0; it is -1"),
    ({"quota": []}, "quota must be at least one number of samples; none is given"),
    ({"quota": "many"}, "quota must be a number"),
    ({"quota": 10**7}, "quota must be at most 1,000,000; it is 10,000,000"),
    ({"lies": []}, "lies must be a list of at least one size; it is []"),
    ({"lies": 0.5}, "lies must be a list of at least one size; it is 0.5"),
    ({"lies": [-0.1]}, "lies must lie between 0 and 0.75, as no rate can be off by more; one is -0.1"),
    ({"lies": [0.8]}, "lies must lie between 0 and 0.75, as no rate can be off by more; one is 0.8"),
    ({"lies": [float("nan")]}, "a size in lies must be a finite number; it is nan"),
    ({"false_alarm_rate": 1}, "false_alarm_rate must lie strictly between 0 and 1; it is 1"),
    ({"power": 0}, "power must lie strictly between 0 and 1; it is 0"),
    ({"tolerance": -1}, "tolerance must lie between 0 and 1; it is -1"),
]


def test_refuses():
    for changes, message in BAD:
        check_refused(message, fp.mechanism.contribution_power, **{**GOOD, **changes})
