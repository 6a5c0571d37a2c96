"""A witness adds up, whoever found it."""

import pytest

import fedpact as fp

FOUND = {
    "audit": lambda: fp.audit(fp.examples.pwyc_not_dominant(), n_misreports=60).witness,
    "theorem": lambda: (
        fp.mechanism.refute_payment(fp.examples.singletons(epsilon=0.01), lambda m: [200, 200], [130, 130]).witness
    ),
}


@pytest.mark.parametrize("find", FOUND.values(), ids=FOUND)
def test_the_gain_of_a_witness_is_what_the_lie_brings(find):
    lie = find()
    assert lie.to_dict()["gain"] == lie.utility_lying - lie.utility_truthful == pytest.approx(1)
