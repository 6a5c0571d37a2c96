import numpy as np
import pytest

import fedpact as fp
from fedpact.statistics.per_agent_split import parts_of, set_aside
from fedpact.statistics.rates import rates_of

SEEN = {"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]}


def build(**settings):
    return fp.Federation.from_predictions(SEEN, **{"epsilon": 0.3, "delta": 0.1} | settings)


def test_certain_rates_are_not_taken_apart():
    fed = build()
    assert parts_of(fed) == [fed]


def test_every_part_has_one_target_and_the_counts_of_all():
    estimated = fp.planning.at_confidence(build(), 0.9)
    parts = parts_of(estimated)
    assert [part.epsilon.tolist() for part in parts] == [[0.3, 1.0], [1.0, 0.3]]
    assert all(rates_of(part).places is rates_of(estimated).places for part in parts)


def test_who_asks_for_nothing_has_no_part():
    parts = parts_of(fp.planning.at_confidence(build(epsilon=[0.3, 1.0]), 0.9))
    assert [part.epsilon.tolist() for part in parts] == [[0.3, 1.0]]


@pytest.mark.parametrize(("guarantee", "delta"), [("per-agent", 0.1), ("joint", 0.05)])
def test_the_joint_guarantee_shares_delta(guarantee, delta):
    parts = parts_of(fp.planning.at_confidence(build(guarantee=guarantee), 0.9))
    assert [(part.delta, part.guarantee) for part in parts] == [(delta, "per-agent")] * 2


@pytest.mark.parametrize(("objective", "least"), [("pac", 0.3), ("expected", 0.15)])
def test_only_whose_target_it_is_meets_what_hurts_at_least_that_often(objective, least):
    """Two points tell next to nothing: without it all rates would be below 1/1000."""
    estimated = fp.planning.at_confidence(build(objective=objective), 0.999)
    low = rates_of(estimated).below.rows(slice(None))[:, 0, 1]
    assert (low < 0.001).all()
    for agent, part in enumerate(parts_of(estimated)):
        expected = np.where(np.arange(2) == agent, least, low)
        assert rates_of(part).below.rows(slice(None))[:, 0, 1].tolist() == expected.tolist()
    assert set_aside(estimated, 0) == (0 if objective == "pac" else 0.15)
