import numpy as np
import pandas as pd
import pytest

from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.label_matrix import decode, read_labels, share_classes
from fedpact.errors import FederationError

WORDS = [["malignant", "benign"], ["benign", "benign"]]


@pytest.mark.parametrize(
    "values",
    [
        WORDS,
        tuple(map(tuple, WORDS)),
        np.array(WORDS),
        np.array(WORDS).astype(">U12"),
        np.array(WORDS, dtype=object),
        np.array(WORDS, dtype=np.dtypes.StringDType()),
        [np.array(row) for row in WORDS],
        [WORDS[0], np.array(WORDS[1])],
        pd.DataFrame(WORDS),
        pd.DataFrame(WORDS, dtype="string"),
        pd.DataFrame(WORDS, dtype="category"),
        [pd.Series(row) for row in WORDS],
    ],
    ids=[
        "lists", "tuples", "fixed-width", "big-endian", "objects", "numpy-strings", "rows", "mixed-rows", "frame",
        "string-frame", "category-frame", "series",
    ],
)  # fmt: skip
def test_strings_of_many_types(values):
    read = read_labels(values, "labels")
    assert read.codes.tolist() == [[1, 0], [0, 0]]
    assert (read.codes.dtype, read.classes) == (np.uint8, ("benign", "malignant"))
    assert [type(label) for label in read.classes] == [str, str]
    assert decode(read.codes, read.classes).tolist() == WORDS


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float64, bool, object])
def test_whole_numbers_stay_whole_numbers(kind):
    read = read_labels(np.array([[1, 0], [1, 1]], dtype=kind), "labels")
    assert (read.codes.dtype, read.classes) == (np.uint8, None)
    assert read.codes.tolist() == [[1, 0], [1, 1]]
    assert decode(read.codes, None) is read.codes
    assert read_labels([[-300, 0]], "labels").codes.dtype == np.int16


ROW = "labels: row 2: labels must be whole numbers or strings that are not empty, all of one kind; at point "
MIXED = "labels must be all strings or all whole numbers; those of row "


REFUSED = [
    ([["a", "b"], ["a", 1]], f"{ROW}2 it is 1"),
    ([["a", "b"], [True, "a"]], f"{ROW}1 it is True"),
    (np.array([["a", "b"], [0, "a"]], dtype=object), f"{ROW}1 it is 0"),
    (pd.DataFrame({"x": ["a", "b"], "y": ["a", None]}), f"{ROW}2 it is "),
    ([["a", "b"], ["a", ""]], f"{ROW}2 it is ''"),
    ([["a", "b"], ["a", None]], f"{ROW}2 it is None"),
    ([["a", "b"], ["a", "b\0"]], rf"{ROW}2 it is 'b\x00'"),
    ([[0, 1], [0, None]], f"{ROW}2 it is None"),
    ([[0, 1], [0, 2**70]], f"{ROW}2 it is 1180591620717411303424"),
    ([["a", "b"], [0, 1]], f"{MIXED}1 are strings and those of row 2 whole numbers"),
    ([[0, 1], np.array(["a", "b"])], f"{MIXED}2 are strings and those of row 1 whole numbers"),
    ([["a", "b"], ["a"]], "labels must be a matrix with one row per hypothesis"),
    (["ab", "cd"], "labels must be a matrix with one row per hypothesis"),
    ([[b"a", b"b"]], "labels: row 1: labels must be whole numbers or strings; they are |S1"),
    (np.array([["a\ud800"]]), "labels: row 1: labels must be texts; one holds what is no character"),
    (np.empty((2, 0), dtype=str), "labels must have at least one hypothesis and one point"),
]


def test_what_is_no_matrix_of_labels_is_refused_in_one_line():
    for values, message in REFUSED:
        with pytest.raises(FederationError) as caught:
            read_labels(values, "labels")
        assert str(caught.value).startswith(message)
        assert len(str(caught.value).splitlines()) == 1


def predicted(labels, classes):
    listed = CandidateList.from_names([f"c{row}" for row in range(len(labels))])
    return read_labels(Predicted(labels=np.array(labels), candidates=listed, classes=classes), "labels")


def test_predictions_of_candidates_keep_their_codes():
    assert predicted([[1, 0]], ("well", "ill")).classes == ("well", "ill")
    assert predicted([[1, 0]], (5, 3)).occurring == (5, 3)
    assert predicted([[1, 0]], (0, 1)).classes is None


def share(*values, classes=None):
    given = {f"site {place}": read_labels(own, "labels") for place, own in enumerate(values, 1)}
    arrays, known = share_classes(given, "labels", classes)
    return [array.tolist() for array in arrays], known


def test_sites_with_different_classes_have_one_numbering():
    assert share([["b", "d"]], [["a", "b"]], [["d", "d"]]) == ([[[1, 2]], [[0, 1]], [[2, 2]]], ("a", "b", "d"))
    assert share([["b"]], [["a"]], classes=("c", "b", "a")) == ([[[1]], [[2]]], ("c", "b", "a"))


def test_whole_numbers_are_coded_only_by_declared_classes():
    assert share([[5, 7]], [[7, 9]]) == ([[[5, 7]], [[7, 9]]], None)
    assert share([[5, 7]], [[7, 9]], classes=(9, 7, 5)) == ([[[2, 1]], [[1, 0]]], (9, 7, 5))
    assert share([[1, 0]], classes=(0, 1, 2)) == ([[[1, 0]]], None)


WRONG = [
    (
        ([["a"]], [[0]]),
        None,
        "labels must be all strings or all whole numbers; site 1 are strings and site 2 whole",
    ),
    (([["a"]], [["b"]]), ("a", "c"), "site 2 must be among the classes, ['a', 'c']; one is 'b'"),
    (([[0]],), ("a",), "site 1 must be among the classes, ['a']; one is 0"),
]


def test_labels_that_do_not_go_together_are_refused():
    for values, classes, message in WRONG:
        with pytest.raises(FederationError) as caught:
            share(*values, classes=classes)
        assert str(caught.value).startswith(message)
