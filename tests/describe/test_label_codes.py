import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.label_codes import code_labels, code_places, is_text, join, read_classes, stack
from fedpact.errors import FederationError

LABELS = st.lists(st.integers(-(2**62), 2**62), min_size=1) | st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), min_size=1
)


def decode(coded):
    return [coded.values[code] for code in coded.codes]


@given(LABELS)
def test_codes_stand_for_the_labels(labels):
    coded = code_labels(np.array(labels), "candidate 'a'")
    assert decode(coded) == labels
    assert len(coded.values) == len(set(labels))


@given(st.lists(st.lists(st.sampled_from("abcde"), min_size=1), min_size=1))
def test_pieces_join_in_order(pieces):
    joined = join([code_labels(piece, "candidate 'a'") for piece in pieces])
    assert decode(joined) == [label for piece in pieces for label in piece]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([True, False], [1, 0]),
        ([2.0, 0.0], [2, 0]),
        (np.array([[3], [4]]), [3, 4]),
        (np.array(["no", "yes"], dtype=object), ["no", "yes"]),
        (np.array([3, 10**9], dtype=object), [3, 10**9]),
        (np.array(["b", "a"], dtype=np.dtypes.StringDType()), ["b", "a"]),
    ],
    ids=["booleans", "whole floats", "a column", "string objects", "number objects", "numpy strings"],
)
def test_labels_of_many_types(values, labels):
    assert decode(code_labels(values, "candidate 'a'")) == labels


REFUSED = [
    ([1.0, float("nan")], "at point 12 it is nan"),
    ([float("inf"), 1.0], "at point 11 it is inf"),
    ([0.0, 0.37], "at point 12 it is 0.37"),
    (["a", ""], "at point 12 it is ''"),
    (np.array(["a", None], dtype=object), "at point 12 it is None"),
    (np.array(["a", 1], dtype=object), "all of one kind; at point 12 it is 1"),
    (["a", 1], "all of one kind; at point 12 it is 1"),
    ([1, "a"], "all of one kind; at point 11 it is 1"),
    (["a", "a\0"], r"at point 12 it is 'a\\x00'"),
    ([2**70], "at point 11 it is 1180591620717411303424"),
    (np.array([None, None], dtype=object), "at point 11 it is None"),
    (np.array([2**63], dtype=np.uint64), "at point 11 it is 9223372036854775808"),
    (np.array([1j]), "complex128"),
    (np.array(["2026-01-01"], dtype="datetime64[D]"), "datetime64"),
    (np.zeros((4, 3)), r"the shape is \(4, 3\).*argmax"),
]


def test_what_is_no_label_is_refused():
    for values, message in REFUSED:
        with pytest.raises(FederationError, match=f"candidate 'a'.*{message}"):
            code_labels(values, "candidate 'a'", first=11)


@pytest.mark.parametrize("classes", [[], "ab", 3, ["a", "a"], ["a", 1], [True, False], [1.5], [None]])
def test_classes_are_checked(classes):
    with pytest.raises(FederationError, match="classes must be different labels"):
        read_classes(classes)


def test_classes_may_come_from_numpy():
    classes = read_classes(np.array([3, 1]))
    assert classes == (3, 1)
    assert [type(label) for label in classes] == [int, int]
    assert [type(label) for label in read_classes(np.array(["a", "b"]))] == [str, str]


def test_codes_of_all_candidates_have_one_numbering():
    given_ = {"a": [10, 7], "b": [7, 7], "c": [9, 10]}
    rows = {name: code_labels(labels, name) for name, labels in given_.items()}
    labels, classes = stack(rows, None)
    assert classes == (7, 9, 10)
    assert labels.tolist() == [[2, 0], [0, 0], [1, 2]]
    labels, classes = stack(rows, [10, 9, 8, 7])
    assert labels.tolist() == [[0, 3], [3, 3], [1, 0]]


def test_types_are_the_smallest():
    many = code_labels(np.arange(257), "a")
    assert stack({"a": many}, None)[0].dtype == np.uint16
    assert stack({"a": code_labels(np.arange(256), "a")}, None)[0].dtype == np.uint8


WRONG = [
    ({"a": ["x", "z"]}, ["x", "y"], "candidate 'a' predicts 'z', which is not among"),
    ({"a": [0], "b": ["0"]}, None, "those of b are strings and those of a whole numbers"),
    ({"a": [0, 1], "b": [0]}, None, "same points; their numbers are {'a': 2, 'b': 1}"),
]


def test_candidates_that_do_not_go_together_are_refused():
    for rows, classes, message in WRONG:
        with pytest.raises(FederationError, match=message):
            stack({name: code_labels(labels, name) for name, labels in rows.items()}, classes)


def test_places_are_those_among_the_declared_classes():
    places = np.array([0, 2, 2])
    assert decode(code_places(places, 3, (5, 6, 7), "candidate 'net'")) == [5, 7, 7]
    assert code_places(places, 4, None, "candidate 'net'").values == (0, 1, 2, 3)
    with pytest.raises(FederationError, match="'net' scores 3 classes and 2 are declared"):
        code_places(places, 3, ("no", "yes"), "candidate 'net'")


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
