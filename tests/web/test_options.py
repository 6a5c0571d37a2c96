import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.web.options import Options, list_options, read_options


def test_without_anything_the_usual():
    assert read_options([]) == (Options(), {})
    assert list_options(Options()) == []


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("method", "union", "union"),
        ("order", "simultaneous", "simultaneous"),
        ("seconds", "2.5", 2.5),
        ("fee", "-3", -3.0),
        ("ceiling", "10", 10.0),
        ("audit", "50", 50),
    ],
)
def test_an_option_comes_back_from_its_address(field, text, value):
    found, problems = read_options([(field, text)])
    assert problems == {}
    assert getattr(found, field) == value
    assert read_options(list_options(found)) == (found, {})


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("method", "magic"),
        ("order", "last"),
        ("seconds", "1e9"),
        ("seconds", "nan"),
        ("fee", "inf"),
        ("ceiling", "-1"),
        ("audit", "0"),
        ("audit", "2001"),
        ("audit", "²"),
    ],
)
def test_a_wrong_option_is_said_beside_its_field(field, text):
    found, problems = read_options([(field, text)])
    assert found == Options()
    assert problems[field].startswith(f"{field} must be ")
    assert repr(text) in problems[field]


@given(st.lists(st.tuples(st.sampled_from(["method", "seconds", "fee", "audit"]), st.text(max_size=20))))
def test_no_address_breaks_it(parameters):
    found, _ = read_options(parameters)
    assert read_options(list_options(found)) == (found, {})
