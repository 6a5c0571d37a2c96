import json
from pathlib import Path

import pytest

import fedpact as fp
from reproduction.page import plot_of
from reproduction.sweep import reproduce

KEPT = Path(__file__).parents[2] / "docs" / "results" / "price-of-stability.json"
PRICES = [1, 1.176, 1.545, 1.836, 2.164, 2.502, 2.839, 3.176]


@pytest.fixture
def compute(tmp_path):
    def compute(*epsilon, **changes):
        changes["epsilon"] = list(epsilon)
        return reproduce("price-of-stability", changes=changes, store=tmp_path, workers=1)

    return compute


def column(found, name):
    return [row[name] for row in found["results"]["rows"]]


@pytest.mark.slow
def test_the_first_rows_are_computed_and_the_formula_is_three_times_too_large(compute):
    curve = compute("1/8", "1/16", "1/32", "1/64")
    assert column(curve, "price") == pytest.approx(PRICES[:4], abs=5e-4)
    assert column(curve, "printed") == pytest.approx([4, 5, 6, 7])
    assert column(curve, "equilibrium")[1] == {"alice": 20, "bob": 0}


def test_what_is_kept_is_what_the_command_computes(compute):
    kept = json.loads(KEPT.read_text())
    assert column(kept, "price") == pytest.approx(PRICES, abs=5e-4)
    assert compute("1/128")["results"]["rows"] == [kept["results"]["rows"][4]]


def test_for_a_smaller_delta_the_equilibrium_is_optimal(compute):
    curve = compute("1/8", "1/16", delta=0.1)
    assert column(curve, "price") == [1, 1]
    assert column(curve, "printed") == pytest.approx([1.903, 2.204], abs=5e-4)


def test_the_drawing_sets_both_side_by_side(compute):
    axes = plot_of(compute("1/8", "1/16")).axes[0]
    assert [line.get_label() for line in axes.lines] == [
        "computed", "as the paper prints it", "corrected asymptote",
    ]  # fmt: skip
    assert axes.lines[1].get_ydata() == pytest.approx([4, 5])


@pytest.mark.parametrize(("epsilon", "delta"), [([], 0.5), (["1/2"], 0.5), (["1/8"], 1.0), (["no"], 0.5)])
def test_bad_parameters_are_refused(compute, epsilon, delta):
    with pytest.raises(fp.FederationError, match=r"epsilon|delta"):
        compute(*epsilon, delta=delta)
