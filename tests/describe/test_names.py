import pytest

from fedpact.describe.names import nearest, read_choice
from fedpact.errors import FederationError

METHODS = ("lp", "union", "exact")


def test_the_nearest_name_is_suggested_and_only_a_near_one():
    assert nearest("exakt", METHODS) == "did you mean 'exact'?"
    assert nearest("zzz", METHODS) == "known: 'lp', 'union', 'exact'"


def test_of_many_names_ten_are_listed():
    assert nearest("?", map(str, range(100))) == f"known: {', '.join(repr(str(n)) for n in range(10))}"


@pytest.mark.parametrize("known", [METHODS, dict.fromkeys(METHODS)], ids=["tuple", "mapping"])
def test_a_known_name_is_read(known):
    assert read_choice("union", "method", known) == "union"


@pytest.mark.parametrize("value", ["Union", "", "lp, union", None, 1, ["lp"]])
def test_anything_else_is_refused_with_what_is_known(value):
    with pytest.raises(FederationError) as caught:
        read_choice(value, "method", dict.fromkeys(METHODS))
    assert str(caught.value) == f"method must be one of lp, union, exact; it is {value!r}"
