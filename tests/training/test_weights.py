"""Weights arrive bit for bit, or are refused."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from fedpact.errors import FederationError
from fedpact.training import Weights

FLOATS = st.sampled_from([np.float32, np.float64]).flatmap(
    lambda kind: arrays.arrays(
        kind,
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
        elements=st.floats(allow_nan=False, allow_infinity=False, width=np.dtype(kind).itemsize * 8),
    )
)


@given(st.dictionaries(st.text(min_size=1, max_size=5), FLOATS, min_size=1, max_size=4))
def test_every_bit_arrives_in_order(given_arrays):
    weights = Weights(given_arrays)
    back = Weights.from_dict(json.loads(json.dumps(weights.to_dict())))
    assert back == weights
    assert back.names == tuple(given_arrays)
    for name, array in given_arrays.items():
        assert (back[name].dtype, back[name].shape) == (array.dtype, array.shape)
        assert back[name].tobytes() == array.tobytes()


def test_bytes_are_little_endian():
    sent = Weights({"a": np.array([1.0], dtype=">f4")}).to_dict()
    assert base64.b64decode(sent["arrays"][0]["data"]) == b"\x00\x00\x80\x3f"


def test_one_bit_makes_others():
    a = Weights({"a": np.array([1.0])})
    assert a == Weights({"a": np.array([1.0])})
    assert a != Weights({"a": np.array([np.nextafter(1.0, 2)])})
    assert a != Weights({"b": np.array([1.0])})
    assert a != Weights({"a": np.array([1.0])}, ("a",))
    assert a != Weights({"a": np.array([1.0], dtype=np.float32)})
    assert a != "a"


def test_nothing_can_be_written_to():
    own = np.zeros(2)
    weights = Weights({"a": own})
    own[0] = 9
    assert weights["a"].tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        weights["a"][0] = 1
    with pytest.raises(TypeError):
        weights.arrays["b"] = own


BAD = {
    "nothing": ({}, (), "weights must be 1 to 10,000 arrays"),
    "list": ([1.0], (), "weights must be 1 to 10,000 arrays"),
    "whole": ({"a": np.array([1])}, (), "weights 'a' must be float32 or float64"),
    "half": ({"a": np.zeros(2, np.float16)}, (), "weights 'a' must be float32 or float64"),
    "nan": ({"a": np.array([np.nan])}, (), "weights 'a' must be finite"),
    "infinite": ({"a": np.array([[np.inf]])}, (), "weights 'a' must be finite"),
    "axes": ({"a": np.zeros((1,) * 9)}, (), "at most 8 axes"),
    "name": ({"": np.zeros(1)}, (), "1 to 200 characters"),
    "long": ({"a" * 201: np.zeros(1)}, (), "1 to 200 characters"),
    "fixed": ({"a": np.zeros(1)}, ("b",), "fixed must be different names"),
    "fixed-twice": ({"a": np.zeros(1)}, ("a", "a"), "fixed must be different names"),
}


@pytest.mark.parametrize(("values", "fixed", "message"), BAD.values(), ids=BAD)
def test_refuses(values, fixed, message):
    with pytest.raises(FederationError, match=message):
        Weights(values, fixed)


def entry(**changes):
    data = base64.b64encode(np.zeros(2).tobytes()).decode()
    return {"name": "a", "kind": "float64", "shape": [2], "data": data} | changes


def of(*entries, fixed=()):
    return {"arrays": list(entries), "fixed": list(fixed)}


NAN = base64.b64encode(np.array([np.nan, 0]).tobytes()).decode()
GARBAGE = {
    "none": (None, "must have the keys"),
    "more-keys": (of() | {"code": "x"}, "must have the keys"),
    "text": ({"arrays": "abc", "fixed": []}, "arrays must be a list"),
    "empty": (of(), "weights must be 1 to"),
    "not-a-table": (of(3), "an array must have"),
    "a-key-more": (of(entry(pickle="")), "an array must have"),
    "bytes": (of(entry(data=b"AA")), "an array must have"),
    "kind": (of(entry(kind="object")), "kind must be one of float32, float64"),
    "kind-list": (of(entry(kind=["float32"])), "kind must be one of"),
    "shape": (of(entry(shape=[2.0])), "shape must be whole numbers"),
    "negative": (of(entry(shape=[-2])), "shape must be whole numbers"),
    "true": (of(entry(shape=[True, 2])), "shape must be whole numbers"),
    "shape-number": (of(entry(shape=2)), "shape must be whole numbers"),
    "huge": (of(entry(shape=[2**26, 2**26])), "at most 67,108,864 bytes"),
    "shape-lies": (of(entry(shape=[3])), "base64 of 24 bytes"),
    "not-base64": (of(entry(data="*" * 24)), "base64 of 16 bytes"),
    "padding-inside": (of(entry(data="AA==" * 6)), "base64 of 16 bytes"),
    "not-ascii": (of(entry(data="ä" * 24)), "base64 of 16 bytes"),
    "nan": (of(entry(data=NAN)), "must be finite"),
    "twice": (of(entry(), entry()), "given twice"),
    "name": (of(entry(name=3)), "1 to 200 characters"),
    "fixed": (of(entry(), fixed=["b"]), "fixed must be different names"),
    "fixed-number": (of(entry(), fixed=[3]), "1 to 200 characters"),
}


@pytest.mark.parametrize(("values", "message"), GARBAGE.values(), ids=GARBAGE)
def test_what_a_stranger_sends_is_refused_in_one_line(values, message):
    with pytest.raises(FederationError, match=message) as caught:
        Weights.from_dict(values)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_the_bound_counts_all_arrays_together():
    sent = of(entry(), entry(name="b"))
    assert Weights.from_dict(sent, most_bytes=32).names == ("a", "b")
    with pytest.raises(FederationError, match="at most 31 bytes of numbers; they have 32"):
        Weights.from_dict(sent, most_bytes=31)


def test_differences_are_said():
    own = Weights({"a": np.zeros(2), "b": np.zeros(())})
    assert own.difference(own.replace({"a": np.ones(2)})) is None
    assert own.difference(Weights({"a": np.zeros(2)})) == "there are 2 arrays where 1 should be"
    assert own.difference(Weights({"b": np.zeros(2)})) == "'a' stands where 'b' should"
    other = Weights({"a": np.zeros((2, 1)), "b": np.zeros(())})
    assert own.difference(other) == "'a' is float64 (2,) and should be float64 (2, 1)"
