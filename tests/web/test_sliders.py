import pytest

import fedpact as fp
from fedpact.web.sliders import STEPS, list_sliders
from web_answers import read


def sliders(*given, fed=None):
    return {one.field: one for one in list_sliders(read(fed or fp.examples.alice_bob(), given))}


def test_a_cost_stands_in_the_middle_and_goes_from_a_quarter_to_four_times():
    one = sliders()["cost[bob]"]
    assert (one.place, one.low, one.high, one.now, one.base, one.shown) == (STEPS / 2, 0.25, 4, 1, "1", "1")


def test_a_cost_that_was_changed_is_measured_by_the_file():
    one = sliders(("cost[bob]", "2"))["cost[bob]"]
    assert (one.now, one.base, one.shown, one.is_file) == (2, "1", "2", True)
    assert one.place == 150


@pytest.mark.parametrize(("value", "place"), [("100", STEPS), ("0.01", 0)])
def test_a_value_beyond_the_ends_stands_at_the_end(value, place):
    assert sliders(("cost[bob]", value))["cost[bob]"].place == place


def test_a_curved_cost_is_scaled():
    fed = fp.examples.alice_bob().replace(cost={"alice": {"quadratic": [1, 0.5]}, "bob": 1})
    one = sliders(("cost[alice]", '{"quadratic": [2, 1]}'), fed=fed)["cost[alice]"]
    assert (one.now, one.base, one.shown) == (2, '{"quadratic": [1.0, 0.5]}', "× 2")


def test_samples_at_which_a_cost_rises_are_not_money():
    fed = fp.examples.alice_bob().replace(cost={"alice": {"breakpoints": [10], "slopes": [1, 3]}, "bob": 1})
    scaled = sliders(("cost[alice]", '{"breakpoints": [10], "slopes": [2, 6]}'), fed=fed)["cost[alice]"]
    moved = sliders(("cost[alice]", '{"breakpoints": [20], "slopes": [2, 6]}'), fed=fed)["cost[alice]"]
    assert (scaled.now, scaled.is_file) == (2, True)
    assert (moved.now, moved.is_file, moved.base) == (1, False, '{"breakpoints": [20.0], "slopes": [2.0, 6.0]}')


def test_a_cost_of_another_kind_is_scaled_from_what_it_is_now():
    one = sliders(("cost[bob]", '{"quadratic": [0, 2]}'))["cost[bob]"]
    assert (one.now, one.base, one.is_file) == (1, '{"quadratic": [0.0, 2.0]}', False)


def test_errors_that_differ_are_said():
    one = sliders(("epsilon[bob]", "0.3"))["epsilon"]
    assert one.shown == "0.1 to 0.3"
    assert one.base == "0.1"


def test_no_error_at_all_stands_at_the_lower_end():
    one = sliders(("epsilon", "0"))["epsilon"]
    assert (one.place, one.low, one.shown) == (0, 0.01, "0")


def test_delta_has_no_slider_where_it_does_not_matter():
    assert "delta" in sliders()
    assert "delta" not in sliders(("objective", "expected"))


@pytest.mark.parametrize("example", fp.examples.CATALOGUE)
def test_what_is_now_lies_on_every_slider(example):
    for one in sliders(fed=fp.examples.build(example)).values():
        assert one.low <= one.now <= one.high
        assert 0 <= one.place <= STEPS


def test_a_cost_near_the_largest_that_there_may_be_has_a_slider():
    for cost in (6e99, {"quadratic": [1, 9e99]}, 1e-99):
        assert sliders(fed=fp.examples.alice_bob().replace(cost=cost))["cost[bob]"].scaled
