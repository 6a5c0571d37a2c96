"""Ways of asking for samples."""

import numpy as np
import pytest

import fedpact as fp
from reproduction.federated import page
from reproduction.federated.quotas import WAYS, ask, share_equally


@pytest.fixture(scope="module")
def fed():
    rng = np.random.default_rng(3)
    said = {
        name: rng.random((6, n)) < share for name, n, share in (("a", 40, 0.15), ("b", 30, 0.5), ("c", 25, 0.3))
    }
    return fp.Federation.from_predictions(said, epsilon=0.1, delta=0.05)


@pytest.mark.parametrize(("total", "k"), [(0, 3), (2, 5), (11, 4), (12, 4)])
def test_equal_shares_are_equal_and_grow_with_the_total(total, k):
    shares = share_equally(total, k)
    assert shares.sum() == total
    assert shares.max() - shares.min() <= 1
    assert (share_equally(total + 1, k) >= shares).all()


def test_ways_are_named_in_one_place(fed):
    assert page.WAYS is WAYS
    assert list(ask(fed, "tree").ways) == list(WAYS)


def test_all_ways_cost_what_the_plan_costs(fed):
    asked = ask(fed, "tree")
    found = fp.plan(fed, "tree")
    assert asked.ways["plan"].m.tolist() == found.m.tolist()
    assert {int(way.m.sum()) for way in asked.ways.values()} == {int(found.m.sum())}
    assert asked.needs == list(fp.game.standalone(fed).values())
    assert asked.ways["alone"].quotas_of((1,)).tolist() == [0, int(asked.ways["equal"].m[1]), 0]


def test_equal_shares_are_enough_from_there_on_and_not_before(fed):
    enough = ask(fed, "tree").enough
    assert fp.verify(fed, share_equally(enough, fed.k)).is_feasible
    assert not fp.verify(fed, share_equally(enough - 1, fed.k)).is_feasible


def test_nothing_is_asked_for_where_nothing_is_needed(fed):
    asked = ask(fed.replace(epsilon=1.0), "tree")
    assert asked.to_dict() == {"cost": 0, "lower_bound": 0, "needs": [0, 0, 0], "enough": 0}
