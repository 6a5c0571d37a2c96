"""Values for all agents: one, one each in order, or one each by name."""

import numpy as np
import pytest

from fedpact.describe.numbers import read_number
from fedpact.describe.settings import read_capacity, read_per_agent, read_settings
from fedpact.errors import FederationError

NAMES = ("alice", "bob")
SPREAD = {
    "one": (0.5, [0.5, 0.5]),
    "list": ([0.5, "1/4"], [0.5, 0.25]),
    "array": (np.array([0.5, 0.25]), [0.5, 0.25]),
    "by-name-in-any-order": ({"bob": 1, "alice": 2}, [2, 1]),
}


def spread(value):
    return read_per_agent(NAMES, value, "fee", lambda entry: read_number(entry, "fee"))


@pytest.mark.parametrize(("value", "found"), SPREAD.values(), ids=SPREAD)
def test_is_spread(value, found):
    assert spread(value) == found


REFUSED = [
    ([1, 2, 3], "fee must be one value or one per agent; 3 for 2 agents"),
    ({"alice": 1, "bobb": 2}, "fee names 'bobb', who is not in the federation; did you mean 'bob'?"),
    ({"alice": 1}, "fee is given per agent but agent 'bob' has none"),
    ([1, "x"], "agent 'bob': fee must be a number or a fraction like \"1/3\"; it is 'x'"),
]


def test_is_refused():
    for value, message in REFUSED:
        with pytest.raises(FederationError) as caught:
            spread(value)
        assert str(caught.value) == message


def test_every_problem_is_noted_and_a_bad_delta_is_one_of_them():
    with pytest.raises(FederationError) as caught:
        read_settings(("a", "a"), 1, [0.5, 2], -1, 1, "pace", "joint")
    assert caught.value.problems == (
        "agent names must differ; 'a' is used twice",
        "agent 'a': epsilon must lie between 0 and 1; it is 2",
        "agent 'a': capacity must be a whole number >= 0; it is -1",
        "objective must be one of pac, expected; it is 'pace'",
        "delta must lie strictly between 0 and 1; it is 1",
    )


def test_no_capacity_is_no_limit():
    assert read_capacity(None) is None
    assert read_capacity("12") == 12


def test_one_string_is_no_list_of_names():
    with pytest.raises(
        FederationError, match="names must be one string per agent; it is the single string 'alice'"
    ):
        read_settings("alice", 1, 0.1, None, 0.1, "pac", "joint")


@pytest.mark.parametrize(
    ("assume", "noise", "message"),
    [
        ("noisy", None, "assume 'noisy' needs noise, how often a label is wrong at most, such as 0.05"),
        ("agnostic", 0.1, "noise is for assume 'noisy'; with assume 'agnostic' leave it out"),
        ("realizable", 0.1, "noise is for assume 'noisy'; with assume 'realizable' leave it out"),
        ("real", None, "assume must be one of realizable, noisy, agnostic; it is 'real'"),
        (None, 0.5, "noise must be below 0.5; it is 0.5"),
        ("noisy", -0.1, "noise must be at least 0; it is -0.1"),
    ],
)
def test_an_assumption_that_makes_no_sense_is_refused(assume, noise, message):
    with pytest.raises(FederationError) as caught:
        read_settings(NAMES, 1, 0.1, None, 0.05, "pac", "joint", assume, noise)
    assert str(caught.value) == message


def test_the_expected_objective_is_for_realizable_labels():
    with pytest.raises(FederationError, match="objective 'expected' needs assume 'realizable'"):
        read_settings(NAMES, 1, 0.1, None, 0.05, "expected", "joint", "agnostic")
