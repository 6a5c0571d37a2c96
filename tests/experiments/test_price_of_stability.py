import json
from pathlib import Path

import pytest

import fedpact as fp

KEPT = Path(__file__).parents[2] / "docs" / "results" / "price-of-stability.json"
PRICES = [1, 1.176, 1.545, 1.836, 2.164, 2.502, 2.839, 3.176]


def test_the_first_rows_are_computed_and_the_formula_is_three_times_too_large():
    curve = fp.experiments.reproduce_price_of_stability(["1/8", "1/16", "1/32", "1/64"])
    assert [row.price for row in curve.rows] == pytest.approx(PRICES[:4], abs=5e-4)
    assert [row.printed for row in curve.rows] == pytest.approx([4, 5, 6, 7])
    assert [row.equilibrium for row in curve.rows][1] == {"alice": 20, "bob": 0}
    assert fp.experiments.StabilityCurve.from_dict(json.loads(json.dumps(curve.to_dict()))) == curve


def test_what_is_kept_is_what_the_command_computes():
    kept = fp.experiments.StabilityCurve.from_dict(json.loads(KEPT.read_text()))
    assert [row.price for row in kept.rows] == pytest.approx(PRICES, abs=5e-4)
    again = fp.experiments.reproduce_price_of_stability(["1/128"])
    assert again.rows[0] == kept.rows[4]


def test_for_a_smaller_delta_the_equilibrium_is_optimal():
    curve = fp.experiments.reproduce_price_of_stability(["1/8", "1/16"], delta="1/10")
    assert [row.price for row in curve.rows] == [1, 1]
    assert [row.printed for row in curve.rows] == pytest.approx([1.903, 2.204], abs=5e-4)


def test_the_drawing_sets_both_side_by_side():
    axes = fp.experiments.reproduce_price_of_stability(["1/8", "1/16"]).plot().axes[0]
    assert [line.get_label() for line in axes.lines] == [
        "computed", "as the paper prints it", "corrected asymptote",
    ]  # fmt: skip
    assert axes.lines[1].get_ydata() == pytest.approx([4, 5])


@pytest.mark.parametrize(("epsilon", "delta"), [([], 0.5), (["1/2"], 0.5), (["1/8"], 1), (["no"], 0.5)])
def test_bad_parameters_are_refused(epsilon, delta):
    with pytest.raises(fp.FederationError, match=r"epsilon|delta"):
        fp.experiments.reproduce_price_of_stability(epsilon, delta)
