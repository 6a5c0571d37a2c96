"""The paper's construction for the expected objective: what it solves, where it ends, what it cannot do."""

import math

import numpy as np
import pytest

import fedpact as fp
from pair_program import satisfies
from reproduction.own_points import (
    give_distributions,
    list_reached,
    place_own_points,
    singletons_with_common_point,
    solve_own,
)
from reproduction.tallies import list_grid


def test_the_masses_solve_the_paper_s_equation():
    for m in (4, 7, 25, 40):
        mass = solve_own(singletons_with_common_point(), m)
        assert (1 - mass) ** (m - 0.5) * mass == pytest.approx(0.1 / 16, rel=1e-9)


def test_they_end_below_the_stated_end_and_begin_above_one():
    fed = singletons_with_common_point()
    end = math.log(8) / -math.log(0.95)
    assert end == pytest.approx(40.54, abs=5e-3)
    exists = [place_own_points(fed, [m, 20]) is not None for m in range(45)]
    assert exists == [2.5 <= m - 0.5 < end for m in range(45)]
    assert list_reached(fed, [42, 20]) == []


def test_with_three_hypotheses_no_report_raises_the_other_s_entry():
    """There is no trace of mass on other points then: the proof's condition, and all 153 reports in sixteenths."""
    fed = singletons_with_common_point(3)
    masses, c = place_own_points(fed, [7, 7]), solve_own(fed, 7)
    assert all(7 * -math.log1p(-p) >= math.log(p / c) for p in np.linspace(1e-4, 1 - 1e-9, 20_000))
    targets = {"epsilon": 0.1, "delta": 0.5, "objective": "expected"}
    for report in list_grid(3, (0, 1, 2), 16):
        profile = np.array([report, masses[1]])
        assert fp.plan(give_distributions(fed, profile), "lp").m[1] <= 7
        raised, kept = (satisfies(m, fed.evidence.labels, profile, **targets) for m in ((7, 8), (7, 7)))
        assert kept or not raised
