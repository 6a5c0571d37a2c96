"""The codec: what a dataclass holds comes back, and what does not fit is refused in one line that says where."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fedpact.errors import FormatError
from fedpact.plain import from_plain, read_fields, to_plain


class Colour(StrEnum):
    RED = "red"
    DARK_BLUE = "dark-blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    DERIVED: ClassVar = ("double",)

    count: int
    names: tuple[str, ...] = ()

    @property
    def double(self) -> int:
        return 2 * self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    is_right: bool = field(metadata={"key": "right"})
    rate: float
    limit: float | None
    colour: Colour
    part: Part
    parts: dict[str, Part]
    pair: tuple[int, str] | None
    by_count: dict[int, float]
    kind: Literal["this", "that"]
    chosen: frozenset[str]
    note: str | None = field(default=None, metadata={"is_optional": True})


numbers = st.floats(allow_nan=False) | st.just(math.inf)
parts = st.builds(Part, count=st.integers(), names=st.lists(st.text()).map(tuple))
wholes = st.builds(
    Whole,
    is_right=st.booleans(),
    rate=numbers.map(abs),
    limit=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    colour=st.sampled_from(Colour),
    part=parts,
    parts=st.dictionaries(st.text(), parts),
    pair=st.none() | st.tuples(st.integers(), st.text()),
    by_count=st.dictionaries(st.integers(0, 99), numbers.map(abs)),
    kind=st.sampled_from(["this", "that"]),
    chosen=st.frozensets(st.text()),
    note=st.none() | st.text(),
)


@given(wholes)
def test_what_was_written_is_read_back(whole):
    entry = json.loads(json.dumps(to_plain(whole), allow_nan=False))
    assert from_plain(Whole, entry, "whole") == whole
    assert ("note" in entry) == (whole.note is not None)
    assert "right" in entry


GOOD = Whole(
    is_right=True, rate=0.5, limit=None, colour=Colour.RED, part=Part(count=1), parts={"a": Part(count=2)},
    pair=(1, "x"), by_count={3: 0.5}, kind="this", chosen=frozenset({"b", "a"}),
)  # fmt: skip


def test_derived_values_are_written_and_must_fit():
    entry = to_plain(GOOD)
    assert entry["part"] == {"count": 1, "names": [], "double": 2}
    assert from_plain(Whole, entry, "whole") == GOOD
    entry["part"]["double"] = "nonsense"
    with pytest.raises(FormatError, match=r"^whole\.part\.double must be a whole number; it is 'nonsense'$"):
        from_plain(Whole, entry, "whole")
    del entry["part"]["double"]
    with pytest.raises(FormatError, match=r"^whole\.part: 'double' is missing$"):
        from_plain(Whole, entry, "whole")


def test_sets_are_written_in_order():
    assert to_plain(GOOD)["chosen"] == ["a", "b"]


REFUSED = [
    ({"surplus": 1}, "whole: 'surplus' is not a key; the keys are"),
    ({"colours": 1}, "whole: 'colours' is not a key; did you mean 'colour'?"),
    ({"rate": "0.5"}, "whole.rate must be a number; it is '0.5'"),
    ({"rate": True}, "whole.rate must be a number; it is True"),
    ({"right": 1}, "whole.right must be true or false; it is 1"),
    ({"colour": "green"}, "whole.colour must be one of 'red', 'dark-blue'; it is 'green'"),
    ({"colour": ["red"]}, "whole.colour must be one of"),
    ({"kind": "other"}, "whole.kind must be one of 'this', 'that'; it is 'other'"),
    ({"part": 3}, "whole.part must be a dictionary; it is 3"),
    ({"part": {"names": []}}, "whole.part: 'count' is missing"),
    ({"part": {"count": 1.0}}, "whole.part.count must be a whole number; it is 1.0"),
    ({"parts": {"a": {"count": 1, "names": "b"}}}, "whole.parts.a.names must be a list; it is 'b'"),
    ({"parts": {"a": {"count": 1, "names": [1]}}}, "whole.parts.a.names[0] must be a text; it is 1"),
    ({"pair": [1]}, "whole.pair must be a list of 2; it is [1]"),
    ({"by_count": {"x": 1}}, "whole.by_count: a key must be a whole number; it is 'x'"),
    ({"by_count": []}, "whole.by_count must be a dictionary; it is []"),
    ({"note": "x" * 99}, None),
    ({"limit": "x" * 99}, "..."),
]


def test_what_does_not_fit_is_refused_in_one_line():
    for changed, said in REFUSED:
        entry = to_plain(GOOD) | changed
        if said is None:
            assert from_plain(Whole, entry, "whole").note == "x" * 99
            continue
        with pytest.raises(FormatError) as caught:
            from_plain(Whole, entry, "whole")
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 250


def test_what_is_no_dictionary_has_no_fields():
    with pytest.raises(FormatError, match=r"^part must be a dictionary; it is \[1\]$"):
        read_fields(Part, [1], "part")


@pytest.mark.parametrize(
    "array", [np.array([[0.5, math.inf]]), np.arange(3), np.array([True, False]), np.zeros((0,))], ids=str
)
def test_arrays_come_back_read_only(array):
    hint = NDArray[array.dtype.type]
    again = from_plain(hint, json.loads(json.dumps(to_plain(array))), "values")
    np.testing.assert_array_equal(again, array)
    assert again.dtype == array.dtype
    assert not again.flags.writeable


WRONG = [
    (np.float64, [["1"]]),
    (np.float64, [[1.0], [2.0, 3.0]]),
    (np.float64, "12"),
    (np.float64, 3.0),
    (np.int64, [1.5]),
    (np.int64, [None]),
    (np.integer, [True]),
    (np.bool_, [1]),
]


def test_an_array_of_something_else_is_refused():
    for kind, value in WRONG:
        with pytest.raises(
            FormatError, match=r"^values must be an array of (truth values|whole numbers|numbers); it is"
        ):
            from_plain(NDArray[kind], value, "values")


def test_a_union_reads_what_fits_and_says_what_the_last_would_have():
    assert from_plain(int | str, "x", "value") == "x"
    assert from_plain(Part | None, None, "value") is None
    with pytest.raises(FormatError, match=r"value must be a text; it is 1\.5"):
        from_plain(int | str, 1.5, "value")


def test_anything_is_left_as_it_is():
    assert from_plain(Any, {"a": [1]}, "value") == {"a": [1]}
    assert from_plain(Mapping[str, Any], {"a": [1]}, "value") == {"a": [1]}


def test_what_has_no_plain_form_is_our_own_mistake():
    with pytest.raises(TypeError, match="object has no plain form"):
        to_plain({"a": object()})
