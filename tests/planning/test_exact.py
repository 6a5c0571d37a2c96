import itertools

import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.certificates import Judge
from fedpact.planning.exact import search
from fedpact.planning.plan import plan


def run(fed, incumbent, *, proves=None, is_possible=None, **budget):
    judge = Judge(fed)
    return search(
        fed,
        np.array(incumbent),
        proves=judge.proves if proves is None else proves,
        is_possible=judge.cannot_refute if is_possible is None else is_possible,
        bound=lambda low, high: 0.0,
        **({"max_nodes": 10_000} | budget),
    )


def test_without_any_bound_it_still_finds_the_optimum():
    found = run(fp.examples.alice_bob(), [9, 9])
    assert (found.m.sum(), found.lower_bound) == (5, 5)


@pytest.mark.parametrize("after", [0, 1, 3, 6])
def test_an_interrupted_search_returns_its_incumbent_and_a_true_bound(after):
    boxes = itertools.count()

    def interrupt(low, high):
        if next(boxes) == after:
            raise KeyboardInterrupt

    found = run(fp.examples.alice_bob(), [9, 9], progress=interrupt)
    assert found.nodes == after
    assert found.lower_bound <= 5 <= found.m.sum()
    assert found.lower_bound < found.m.sum()
    assert after or (found.m.tolist(), found.lower_bound) == ([9, 9], 0)


def test_a_plan_whose_search_is_interrupted_says_so():
    def interrupt(low, high):
        raise KeyboardInterrupt

    fed = fp.examples.singletons()
    found = plan(fed, "exact", progress=interrupt)
    assert found.status is fp.planning.PlanStatus.INTERRUPTED
    assert found.lower_bound < 66 <= found.cost
    assert fp.verify(fed, found.m).is_feasible


def test_a_floor_that_the_incumbent_reaches_ends_the_search():
    assert run(fp.examples.alice_bob(), [2, 3], floor=5.0).nodes == 0


def test_what_can_neither_be_proved_nor_refuted_bounds_the_optimum():
    fed = fp.examples.alice_bob()
    found = run(fed, [9, 9], proves=lambda m: m.sum(axis=1) >= 8, is_possible=lambda m: m.sum(axis=1) >= 6)
    assert (found.m.sum(), found.lower_bound) == (8, 6)
