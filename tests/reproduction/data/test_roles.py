"""Texts as windows of 80 characters with the one after."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedpact as fp
from reproduction.data.roles import Roles


def make(**texts):
    return Roles(name="play", texts=texts, source="a play")


@given(st.text(min_size=81, max_size=200, alphabet="ab c\n.é"), st.text(max_size=90, alphabet="xyz"))
def test_windows_spell_the_text(first, second):
    roles = make(first=first, second=second)
    samples = roles.windows("first")
    spelt = np.array(list(roles.alphabet))
    assert roles.sizes["first"] == len(samples.following) == len(first) - 80
    for place in (0, len(first) - 81):
        assert "".join(spelt[samples.before[place]]) == first[place : place + 80]
        assert spelt[samples.following[place]] == first[place + 80]
    assert list(roles.alphabet) == sorted(set(first + second))


def test_codes_are_bytes_that_cannot_be_written_to():
    codes = make(a="b" * 81).codes("a")
    assert codes.dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        codes[0] = 1


def test_refuses():
    for roles, said in (
        (make(a="x" * 100), "role 'hamlet' is not in a play; it has a (20)"),
        (make(hamlet="x" * 80), "role 'hamlet' must have more than 80 characters; it has 80"),
        (make(hamlet="".join(map(chr, range(300)))), "a play must have 256 characters at most; it has 300"),
    ):
        with pytest.raises(fp.FederationError) as caught:
            roles.windows("hamlet")
        assert str(caught.value) == said
