import pytest

from reproduction.page import plot_of

EXPERIMENT, SMALL = "price-of-stability", {}
PRICES = [1, 1.176, 1.545, 1.836, 2.164, 2.502, 2.839, 3.176]


def column(found, name):
    return [row[name] for row in found["results"]["rows"]]


@pytest.mark.slow
def test_the_first_rows_are_computed_and_the_formula_is_three_times_too_large(run):
    curve = run(epsilon=["1/8", "1/16", "1/32", "1/64"])
    assert column(curve, "price") == pytest.approx(PRICES[:4], abs=5e-4)
    assert column(curve, "printed") == pytest.approx([4, 5, 6, 7])
    assert column(curve, "equilibrium")[1] == {"alice": 20, "bob": 0}


def test_what_is_kept_is_what_the_command_computes(run, kept):
    assert column(kept, "price") == pytest.approx(PRICES, abs=5e-4)
    assert run(epsilon=["1/128"])["results"]["rows"] == [kept["results"]["rows"][4]]


def test_for_a_smaller_delta_the_equilibrium_is_optimal(run):
    curve = run(epsilon=["1/8", "1/16"], delta=0.1)
    assert column(curve, "price") == [1, 1]
    assert column(curve, "printed") == pytest.approx([1.903, 2.204], abs=5e-4)


def test_the_drawing_sets_both_side_by_side(run):
    axes = plot_of(run(epsilon=["1/8", "1/16"])).axes[0]
    assert [line.get_label() for line in axes.lines] == [
        "computed", "as the paper prints it", "corrected asymptote",
    ]  # fmt: skip
    assert axes.lines[1].get_ydata() == pytest.approx([4, 5])
