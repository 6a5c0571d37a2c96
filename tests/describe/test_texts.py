import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.texts import is_text


@given(st.lists(st.text(), min_size=1))
def test_what_python_holds_as_utf8_is_text(words):
    def has_utf8(word):
        try:
            word.encode()
        except UnicodeEncodeError:
            return False
        return True

    assert is_text(np.array(words)) is all(map(has_utf8, words))


@pytest.mark.parametrize("point", [0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF])
@pytest.mark.parametrize("order", ["<", ">"])
def test_half_a_character_and_none_at_all_are_found_in_either_byte_order(point, order):
    codes = np.array([ord("a"), point], dtype=f"{order}u4")
    assert not is_text(codes.view(f"{order}U1"))
    assert is_text(codes[:1].view(f"{order}U1"))


def test_every_other_column_is_read_as_it_is():
    words = np.array([["a", "b"], ["c", "d"]])
    assert is_text(words[:, ::2])
    assert is_text(np.array(["", ""]))
