import string

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.describe.candidate_list import CandidateList
from fedpact.errors import FederationError
from fedpact.sites import Predicted, read_predictions, write_predictions

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=8)
CLASSES = st.lists(NAMES, min_size=1, max_size=5, unique=True) | st.lists(
    st.integers(-(10**17), 10**17), min_size=1, max_size=5, unique=True
)
SUFFIXES = [".npy", ".csv", ".parquet"]


@st.composite
def predictions(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    classes = tuple(draw(CLASSES))
    n = draw(st.integers(1, 6))
    codes = st.lists(st.integers(0, len(classes) - 1), min_size=n, max_size=n)
    labels = draw(st.lists(codes, min_size=len(names), max_size=len(names)))
    return Predicted(labels=np.array(labels), candidates=CandidateList.from_names(names), classes=classes)


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8", newline="")
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            np.save(path, content, allow_pickle=True)
        return path

    return write_file


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given_=predictions())
def test_what_is_written_reads_back(tmp_path, suffix, given_):
    path = tmp_path / f"round trip{suffix}"
    write_predictions(given_, path)
    found = read_predictions(path, classes=given_.classes)
    assert found.labels.tolist() == given_.labels.tolist()
    assert found.classes == given_.classes
    if suffix != ".npy":
        assert found.candidates == given_.candidates


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_without_declared_classes_those_that_occur_are_sorted(tmp_path, suffix):
    candidates = CandidateList.from_names(["a", "b"])
    given_ = Predicted(labels=np.array([[0, 2], [2, 2]]), candidates=candidates, classes=(11, 5, 2))
    write_predictions(given_, tmp_path / f"x{suffix}")
    found = read_predictions(tmp_path / f"x{suffix}")
    assert found.classes == (2, 11)
    assert found.labels.tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([[0, 1], [1, 1]], ("h1", "h2")),
        ([0, 1], ("forest",)),
        ([[0, 1]], ("forest",)),
        ([["a", "b"]], ("forest",)),
    ],
)
def test_names_of_the_candidates_of_an_array(write, labels, names):
    assert read_predictions(write("forest.npy", np.array(labels))).candidates.names == names


def test_several_files_stack_their_candidates(write, tmp_path):
    files = [
        write("one.csv", "tree,forest\n0,1\n2,1\n1,1\n"),
        write("two.npy", np.array([[0, 0, 0], [2, 2, 3]])),
        write("three.npy", np.array([1, 1, 1])),
    ]
    found = read_predictions(files)
    assert found.candidates == CandidateList.from_names(["tree", "forest", "h3", "h4", "three"])
    assert found.classes == (0, 1, 2, 3)
    assert found.labels.tolist() == [[0, 2, 1], [1, 1, 1], [0, 0, 0], [2, 2, 3], [1, 1, 1]]


def test_a_long_table_keeps_its_order(write):
    values = np.random.default_rng(0).integers(0, 300, size=(10_000, 3))
    text = "a,b,c\n" + "\n".join(",".join(map(str, row)) for row in values)
    found = read_predictions(write("long.csv", text))
    assert found.labels.dtype == np.uint16
    assert np.array_equal(found.decode(), values.T)


@pytest.mark.parametrize(
    ("text", "classes", "labels"),
    [
        ("a,b\n1,0\n1.0,-2\n", None, [[1, 1], [0, -2]]),
        ("a , b\r\n cat,dog \r\n\r\n", None, [["cat"], ["dog"]]),
        ("\ufeffa,b\n1,unknown\n", None, [["1"], ["unknown"]]),
        ("a\n007\n7\n", None, [["007", "7"]]),
        ("a\n1\n0.5\n", ["1", "0.5"], [["1", "0.5"]]),
        ('a\n"x, y"\n', None, [["x, y"]]),
    ],
    ids=["numbers", "spaces", "mixed", "zeros in front", "declared", "quoted"],
)
def test_cells_of_text(write, text, classes, labels):
    assert read_predictions(write("a.csv", text), classes=classes).decode().tolist() == labels


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: every column must have the name of a candidate"),
        ("a,b\n", "must be a point"),
        ("a,b\n\n\n", "must be a point"),
        ("a,b\n0,1\n0\n", "line 3 must have 2 labels, one per candidate; it has 1"),
        ("a,b\n0,1\n\n0,1\n", "line 3 is empty"),
        ("a,b\n0,1\n0,\n", "line 3: the label of 'b' is empty"),
        ("a,b\n0, \n", "line 2: the label of 'b' is empty"),
        ("a,b\nnan,1\n", "line 2: the label of 'a' is 'nan'"),
        ("a,b\n0,1\n1,0.37\n", "line 3: the label of 'b' is '0.37'"),
        ("a,b\n0,inf\n", "line 2: the label of 'b' is 'inf'"),
        (
            "a,a\n0,1\n",
            r"line 1: every column .* all different; they are \['a', 'a'\]",
        ),
        (
            ",a\n0,1\n",
            r"line 1: every column .* all different; they are \['', 'a'\]",
        ),
        ("a;b\n0;1\n", "line 1: names must be separated by commas"),
        ('a\n"x\n', "not a text of values separated by commas"),
        (b"a\n\xff\n", "in UTF-8"),
    ],
)
def test_what_is_wrong_in_a_text_is_said_with_its_line(write, text, message):
    path = write("bad.csv", text)
    with pytest.raises(FederationError, match=f"bad.csv: .*{message}|bad.csv: {message}"):
        read_predictions(path)


SHORT = b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (9, 9)}".ljust(128)


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("code from a file was executed",))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([Bomb()], dtype=object), "without pickle"),
        (np.zeros((2, 0), dtype=int), "one point"),
        (np.zeros((2, 3, 4)), r"its shape is \(2, 3, 4\)"),
        (np.array(3), r"its shape is \(\)"),
        (np.array([[0, 1], [0, np.nan]]), "'h2': .* at point 2 it is nan"),
        (b"PK\x03\x04 no array", "without pickle"),
        (b"", "without pickle"),
        (SHORT, "without pickle"),
    ],
)
def test_what_is_wrong_in_an_array_is_said(write, array, message):
    with pytest.raises(FederationError, match=f"bad.npy: .*{message}"):
        read_predictions(write("bad.npy", array))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [0, None]}, "'a' has no label at point 2"),
        ({"a": [0.0, 0.5]}, "'a': .* at point 2 it is 0.5"),
        ({"a": ["x", ""]}, "'a': .* at point 2 it is ''"),
        ({"a": []}, "at least one point"),
        ({"a": [0], "__index_level_0__": [0]}, "'__index_level_0__' numbers the rows"),
        ({}, "every column must have the name of a candidate"),
    ],
)
def test_what_is_wrong_in_columns_is_said(tmp_path, columns, message):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(columns), tmp_path / "bad.parquet")
    with pytest.raises(FederationError, match=f"bad.parquet: .*{message}"):
        read_predictions(tmp_path / "bad.parquet")


def test_columns_of_categories(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    column = pyarrow.array(["no", "yes", "no"]).dictionary_encode()
    parquet.write_table(pyarrow.table({"a": column, "b": column}), tmp_path / "a.parquet")
    found = read_predictions(tmp_path / "a.parquet")
    assert (found.classes, found.labels.tolist()) == (("no", "yes"), [[0, 1, 0]] * 2)


@pytest.mark.parametrize("name", ["absent.npy", "absent.csv", "absent.parquet"])
def test_a_file_that_is_not_there_is_named(tmp_path, name):
    with pytest.raises(FederationError, match=f"{name}: no such file"):
        read_predictions(tmp_path / name)


def test_a_damaged_parquet_file_is_refused(write):
    with pytest.raises(FederationError, match=r"not a .parquet file that can be read"):
        read_predictions(write("bad.parquet", b"PAR1 and nothing more PAR1"))


@pytest.mark.parametrize("suffix", [".pkl", ".npz", ".txt", ""])
def test_other_files_are_refused(tmp_path, suffix):
    with pytest.raises(FederationError, match=r"must end in \.npy, \.csv, \.parquet"):
        read_predictions(tmp_path / f"a{suffix}")


@pytest.mark.parametrize("files", [[], [3], 3.5])
def test_files_must_be_paths(files):
    with pytest.raises(FederationError, match="paths of one or more matrices"):
        read_predictions(files)


def test_files_that_do_not_go_together_are_named(write):
    one, two = write("one.csv", "a\n0\n1\n"), write("two.csv", "b\n0\n")
    again = write("again.csv", "a\n0\n0\n")
    with pytest.raises(FederationError, match=r"same points; their numbers are {'a': 2, 'b': 1}"):
        read_predictions([one, two])
    with pytest.raises(FederationError, match=r"again.csv: candidate 'a' is in an earlier file"):
        read_predictions([one, again])


@pytest.mark.parametrize(
    ("name", "content", "classes", "message"),
    [
        (
            "x.csv",
            "a,b\nyes,no\nno,maybe\n",
            ["yes", "no"],
            "x.csv: line 3: the label of 'b' is 'maybe', which is not among",
        ),
        ("x.csv", "a\n0\n7\n", [0, 1], "x.csv: line 3: the label of 'a' is '7', which is not among"),
        ("x.csv", "a\n0\nno\n", [0, 1], "x.csv: line 3: the label of 'a' is 'no', which is not among"),
        ("x.csv", "a\nno\n1\n", ["yes", "no"], "x.csv: line 3: the label of 'a' is '1', which is not among"),
        ("x.npy", np.array([[0, 0], [0, 7]]), [0, 1], "'h2' predicts 7, which is not among"),
        ("x.npy", np.array([["0", "1"]]), [0, 1], "'x' predicts '0', which is not among"),
    ],
)
def test_labels_that_are_not_declared_are_named(write, name, content, classes, message):
    with pytest.raises(FederationError, match=message):
        read_predictions(write(name, content), classes=classes)


def test_a_missing_extra_is_named(write, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(fp.errors.MissingExtraError, match=r'pip install "fedpact\[parquet\]"'):
        read_predictions(write("a.parquet", b""))


@pytest.mark.parametrize("label", [" x", "x ", "\t"])
def test_a_text_that_would_read_back_differently_is_not_written(tmp_path, label):
    given_ = Predicted(labels=np.array([[0]]), candidates=CandidateList.from_names("a"), classes=(label,))
    with pytest.raises(FederationError, match="would not read back the same"):
        write_predictions(given_, tmp_path / "a.csv")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    given_ = Predicted(labels=np.array([[0]]), candidates=CandidateList.from_names("a"), classes=(0,))
    with pytest.raises(FederationError, match="the predictions cannot be written: No such file"):
        write_predictions(given_, tmp_path / "absent" / "a.csv")


def test_names_of_ascii_letters_need_no_quotes(tmp_path):
    candidates = CandidateList.from_names([string.ascii_letters])
    given_ = Predicted(labels=np.array([[0]]), candidates=candidates, classes=(7,))
    write_predictions(given_, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == f"{string.ascii_letters}\r\n7\r\n".encode()


@pytest.mark.parametrize("point", [0x110000, 0x7F000000, 0xDFFF])
@pytest.mark.parametrize("order", ["C", "F"])
def test_labels_of_what_is_no_character_are_refused(tmp_path, point, order):
    labels = np.array([[65, point], [65, 66]], dtype=np.uint32, order="C").view("U1")
    np.save(tmp_path / "site.npy", np.asarray(labels, order=order))
    with pytest.raises(FederationError, match="one holds what is no character, or half of one"):
        read_predictions(tmp_path / "site.npy")
