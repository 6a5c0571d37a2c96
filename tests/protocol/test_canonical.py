import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.errors import MessageError
from fedpact.protocol.canonical import digest_of_value, from_canonical, to_canonical

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_what_is_written_is_read_and_is_json(value):
    written = _write(value)
    if written is not None:
        assert from_canonical(written, most=len(written)) == value
        assert json.loads(written) == value


def _write(value):
    """Lone surrogates are no text, and cannot be written."""
    try:
        return to_canonical(value)
    except MessageError:
        assert "\\ud" in json.dumps(value)
        return None


def test_the_order_of_keys_does_not_matter():
    assert digest_of_value({"a": 1, "b": 2}) == digest_of_value({"b": 2, "a": 1})


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":2}',
        b'{ "a":1}',
        b'{"b":1,"a":2}',
        b"1.00",
        b"NaN",
        b"Infinity",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b"",
        b'"\\u00e9"',
    ],
    ids=["twice", "space", "order", "digits", "nan", "infinite", "cut", "bytes", "deep", "empty", "escaped"],
)
def test_anything_else_is_refused(data):
    with pytest.raises(MessageError):
        from_canonical(data, most=1_000_000)


def test_a_message_longer_than_allowed_is_not_parsed():
    with pytest.raises(MessageError, match="at most 3 bytes are read; there are 4"):
        from_canonical(b"[[[[", most=3)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", object()])
def test_what_is_not_plain_cannot_be_written(value):
    with pytest.raises(MessageError, match="plain"):
        to_canonical(value)
