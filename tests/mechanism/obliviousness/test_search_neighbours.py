import math

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.audit.misreports import list_grid
from fedpact.mechanism.obliviousness.search_neighbours import draw_reports


def test_the_grid_is_every_composition():
    grid = np.array(list(list_grid(4, 24)))
    assert len(grid) == math.comb(27, 3) == 2925
    assert len(np.unique(grid, axis=0)) == 2925
    assert grid.sum(axis=1) == pytest.approx(np.ones(2925))


def test_drawn_reports_are_distributions_of_all_sizes_of_change():
    row = np.array([0.5, 0.3, 0.2, 0.0])
    drawn = np.array(list(draw_reports(row, 200, np.random.default_rng(0))))
    assert drawn.sum(axis=1) == pytest.approx(np.ones(200))
    assert (drawn >= 0).all()
    change = np.abs(drawn - row).max(axis=1)
    assert change.min() < 1e-3
    assert change.max() > 0.3


@pytest.mark.slow
def test_a_search_finds_the_union_planner_oblivious_too():
    """The example's own distributions: not only the paper's program is steered by reports."""
    found = fp.mechanism.obliviousness(fp.examples.singletons(), method="union", rng=np.random.default_rng(0))
    assert found.is_oblivious
    assert found.contributions == {"agent-1": 37, "agent-2": 37}
    assert found.reports_tried <= 400


def test_a_search_that_ends_says_so():
    found = fp.mechanism.obliviousness(fp.examples.alice_bob(), n_misreports=20)
    assert found.status is fp.mechanism.ObliviousnessStatus.NOT_FOUND
    assert found.reports_tried == 40
    assert len(found.neighbours) == 4
