import numpy as np
import pytest

import fedpact as fp
from fedpact.planning import rounding
from fedpact.planning.certificates import prove_by_union
from fedpact.planning.rounding import move, polish, round_up, trim
from fedpact.statistics.request import ask
from noisy import noisy_federation


@pytest.fixture(params=range(4))
def fed(request):
    return noisy_federation(request.param)


def test_a_trimmed_vector_can_spare_no_sample(fed):
    proves = prove_by_union(fed)
    m = trim(fed, np.full(fed.k, 100), proves)
    assert proves(m[None])[0]
    for agent in np.flatnonzero(m):
        less = m.copy()
        less[agent] -= 1
        assert not proves(less[None])[0]


def test_what_is_contributed_already_is_neither_dropped_nor_moved(fed):
    proves = prove_by_union(fed)
    given = np.array([9, 0, 3])
    kept = ask(fed, at_least=dict(zip(fed.names, given.tolist(), strict=True)))
    for m in (trim(kept, np.full(fed.k, 100), proves), polish(kept, np.full(fed.k, 100), proves)):
        assert (m >= given).all()
        assert proves(m[None])[0]
        for agent in np.flatnonzero(m > given):
            assert not proves((m - np.eye(fed.k, dtype=int)[agent])[None])[0]
    enough = ask(fed, at_least=dict.fromkeys(fed.names, 100))
    assert polish(enough, np.full(fed.k, 120), proves).tolist() == [100] * fed.k


def test_rounding_up_ends_with_a_proof_or_at_the_capacities(fed):
    proves = prove_by_union(fed)
    assert proves(round_up(fed, np.zeros(fed.k), proves)[None])[0]
    capped = noisy_federation(0, capacity=1)
    assert round_up(capped, np.zeros(capped.k), prove_by_union(capped)) is None


def test_moving_and_polishing_never_cost_more_and_keep_the_proof(fed):
    proves = prove_by_union(fed)
    start = np.full(fed.k, 40)
    trimmed = trim(fed, start, proves)
    moved, polished = move(fed, trimmed, proves), polish(fed, start, proves)
    assert fed.cost_of(polished) <= fed.cost_of(moved) <= fed.cost_of(trimmed)
    assert proves(np.stack([moved, polished])).all()


def test_a_dear_sample_is_exchanged_for_cheap_ones():
    fed = fp.Federation.from_table(
        [[0, 0], [1, 1]], [[0.5, 0.5], [0.5, 0.5]], epsilon=0.1, delta=0.1, cost=[10, 1]
    )
    assert move(fed, np.array([1, 0]), prove_by_union(fed)).tolist() == [0, 1]


def test_capacities_hold_in_every_exchange():
    fed = noisy_federation(1, capacity=[None, 3, None], cost=[3, 1, 3])
    assert polish(fed, np.array([60, 0, 60]), prove_by_union(fed))[1] <= 3


@pytest.mark.parametrize(
    ("limit", "value"), [("_MOVE_AGENTS", 0), ("_MOST_MOVES", 1), ("_MANY_RATES", 0)], ids=lambda limit: str(limit)
)
def test_where_work_is_limited_plans_are_proved_and_no_cheaper(fed, monkeypatch, limit, value):
    proves, start = prove_by_union(fed), np.full(fed.k, 40)
    unlimited = polish(fed, start, proves)
    monkeypatch.setattr(rounding, limit, value)
    m = polish(fed, start, proves)
    assert proves(m[None])[0]
    assert fed.cost_of(unlimited) <= fed.cost_of(m) <= fed.cost_of(start)
