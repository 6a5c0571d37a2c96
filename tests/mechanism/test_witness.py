"""A witness adds up, and survives JSON, whoever found it."""

import json

import pytest

import fedpact as fp

FOUND = {
    "audit": lambda: fp.audit(fp.examples.pwyc_not_dominant(), n_misreports=60).witness,
    "theorem": lambda: (
        fp.mechanism.refute_payment(fp.examples.singletons(epsilon=0.01), lambda m: [200, 200], [130, 130]).witness
    ),
}


@pytest.mark.parametrize("find", FOUND.values(), ids=FOUND)
def test_a_witness_survives_json_and_its_gain_is_what_the_lie_brings(find):
    lie = find()
    entry = json.loads(json.dumps(lie.to_dict()))
    assert fp.mechanism.Witness.from_dict(entry) == lie
    assert entry["gain"] == entry["utility_lying"] - entry["utility_truthful"] == pytest.approx(1)
