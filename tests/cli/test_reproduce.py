"""``fedpact reproduce`` as a user meets it."""

import json

import pytest

import fedpact as fp


def test_reproduce_prints_both_and_what_is_wrong(fedpact, tmp_path):
    words = ("reproduce", "price-of-stability", "--epsilon", "1/8,1/16", "--plot", str(tmp_path / "s.png"))
    code, out, _ = fedpact(*words)
    assert code == 0
    assert ["1/16", "20", "17", "1.176", "5.000", "1.333"] in [line.split() for line in out.splitlines()]
    assert "about three times too large" in out
    assert (tmp_path / "s.png").stat().st_size > 5000
    code, out, _ = fedpact("reproduce", "price-of-stability", "--epsilon", "1/8", "--json")
    assert json.loads(out) == fp.compute_price_of_stability(["1/8"]).to_dict()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("everything",), "must be one of price-of-stability; it is 'everything'"),
        (("price-of-stability", "--epsilon", "0.7"), "epsilon must lie"),
        (("price-of-stability", "--delta", "2"), "delta must lie strictly between 0 and 1"),
    ],
)
def test_what_cannot_be_reproduced_is_said(fedpact, words, said):
    code, _, err = fedpact("reproduce", *words)
    assert code == 1
    assert said in err
