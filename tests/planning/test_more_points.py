import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.more_points import FACTORS, forecast

LABELS = (np.random.default_rng(8).random((6, 400)) < np.linspace(0.2, 0.05, 6)[:, None]).astype(int)


def build(labels, **settings):
    site = fp.report(labels, name="a")
    return fp.Federation.from_reports([site], **{"epsilon": 0.1, "delta": 0.05} | settings)


def test_the_forecast_is_what_as_many_points_of_the_same_rates_cost():
    """Rounding to whole samples is all that lies between the forecast and the plan."""
    plan = fp.plan(build(LABELS), "union", confidence=0.95)
    assert [more.factor for more in plan.more_points] == [*FACTORS, None]
    for more in plan.more_points[:-1]:
        grown = fp.plan(build(np.repeat(LABELS, more.factor, axis=1)), "union", confidence=0.95)
        assert more.points == {"a": 400 * more.factor}
        assert more.cost == pytest.approx(grown.cost, abs=1.5)
    certain = plan.more_points[-1]
    assert certain.points is None
    assert certain.cost == pytest.approx(fp.plan(build(LABELS), "union").cost, abs=1.5)


def test_costs_in_another_currency_are_forecast_in_it():
    fed = fp.planning.at_confidence(build(LABELS), 0.95)
    dear = fp.planning.at_confidence(build(LABELS, cost=1000), 0.95)
    expected = [1000 * more.cost for more in forecast(fed, 50.0)]
    assert [more.cost for more in forecast(dear, 50_000.0)] == pytest.approx(expected)


def test_where_capacities_leave_the_program_nothing_there_is_no_forecast():
    assert forecast(fp.planning.at_confidence(build(LABELS, capacity=1), 0.95), 1.0) == ()
