"""Noise of the scale that `add_noise` has, and what is kept is what comes out anew."""

import pytest

import fedpact as fp
from reproduction.page import tables_of

EXPERIMENT = "noise"
SMALL = {"candidates": [5], "points": [1000]}


def test_a_row_comes_out_as_it_is_kept(found, kept):
    (row,) = found["results"]["rows"]
    assert row == kept["results"]["rows"][0]
    assert tables_of(found)[0].rows[0][:2] == ("5", "1,000")


def test_the_scale_is_that_of_add_noise(found):
    site = fp.report([[0, 1, 0]] * 4 + [[1, 1, 0]], name="alice", n_classes=2)
    sent = fp.sites.add_noise(site, privacy_epsilon=1, privacy_delta=1e-6)
    assert found["results"]["rows"][0]["scale"] == pytest.approx(sent.noise.scale)


def test_noise_never_makes_a_plan_cheaper_here(kept):
    for row in kept["results"]["rows"]:
        assert row["exact"] <= row["noisy"]["least"] <= row["noisy"]["mean"] <= row["noisy"]["most"]
