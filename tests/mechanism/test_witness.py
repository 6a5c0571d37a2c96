"""A witness adds up."""

import pytest

import fedpact as fp


def test_the_gain_of_a_witness_is_what_the_lie_brings():
    lie = fp.audit(fp.examples.pwyc_not_dominant(), n_misreports=60).witness
    assert lie.to_dict()["gain"] == lie.utility_lying - lie.utility_truthful == pytest.approx(1)
