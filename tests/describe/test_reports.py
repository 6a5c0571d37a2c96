import io
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.describe.reports import Report, read_report
from fedpact.errors import FederationError


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("reports")


def site(**changes):
    return Report(**{"name": "alice", "n": 10, "n_classes": 2, "counts": np.array([2, 5, 3]), **changes})


@given(st.integers(1, 6), st.data())
def test_a_report_is_read_back(scratch, H, data):
    counts = data.draw(st.lists(st.integers(0, 7), min_size=H * (H - 1) // 2, max_size=H * (H - 1) // 2))
    sent = Report(name="Zürich", n=7, n_classes=3, counts=np.array(counts, dtype=np.uint8))
    sent.save(scratch / "site.npz")
    got = read_report(scratch / "site.npz")
    assert (got.name, got.n, got.n_classes, got.H) == ("Zürich", 7, 3, H)
    np.testing.assert_array_equal(got.counts, counts)


def test_square_has_every_pair_twice():
    assert site().square().tolist() == [[0, 2, 5], [2, 0, 3], [5, 3, 0]]
    assert site(counts=np.array([], dtype=int)).square().tolist() == [[0]]


def test_counts_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        site().counts[0] = 1


BAD = {
    "no-points": ({"n": 0}, "report 'alice': n must lie between 1 and 2^53; it is 0"),
    "too-many-points": ({"n": 10**40}, "report 'alice': n must lie between 1 and 2^53; it is 1000"),
    "a-count-beyond-numbers": ({"n": 10**400}, "report 'alice': n must be a finite number; it is 1000"),
    "points-in-a-word": ({"n": "many"}, "report 'alice': n must be a number"),
    "no-classes": ({"n_classes": 0}, "report 'alice': n_classes must lie between 1 and 2^53; it is 0"),
    "not-triangular": (
        {"counts": np.array([1, 2])},
        "counts must have H(H-1)/2 entries for some H; there are 2",
    ),
    "negative": ({"counts": np.array([-1])}, "counts must lie between 0 and n = 10; they run from -1 to -1"),
    "above-n": ({"counts": np.array([11])}, "counts must lie between 0 and n = 10; they run from 11 to 11"),
    "rates": ({"counts": np.array([0.5])}, "report 'alice': counts must be one row of whole numbers"),
    "square": ({"counts": np.array([[1]])}, "report 'alice': counts must be one row of whole numbers"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_refuses(changes, message):
    with pytest.raises(FederationError) as caught:
        site(**changes)
    assert message in str(caught.value)


FIELDS = {"format": 1, "name": "alice", "n": 10, "n_classes": 2, "counts": [2, 5, 3]}


def archive(**changes):
    buffer = io.BytesIO()
    fields = {key: value for key, value in {**FIELDS, **changes}.items() if value is not None}
    np.savez_compressed(buffer, **{key: np.asarray(value) for key, value in fields.items()})
    return buffer.getvalue()


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def array():
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    return buffer.getvalue()


FILES = {
    "empty": (b"", "not a fedpact report"),
    "text": (b"hello", "not a fedpact report"),
    "pickle": (pickle.dumps({"name": "alice"}), "not a fedpact report"),
    "array": (array(), "not a fedpact report"),
    "truncated": (archive()[:-30], "not a fedpact report"),
    "pickled-field": (archive(name=np.array([{}], dtype=object)), "not a fedpact report"),
    "empty-zip": (zipped({}), "not a fedpact report; it lacks format, name, n, n_classes, counts"),
    "no-arrays-in-zip": (zipped(dict.fromkeys(FIELDS, "1")), "report format must be 1; it is b'1'"),
    "lacks-a-field": (archive(n=None), "not a fedpact report; it lacks n"),
    "other-format": (archive(format=2), "report format must be 1; it is 2"),
    "many-formats": (archive(format=[1] * 99), "report format must be 1; it is [1, 1, 1"),
    "n-is-no-number": (archive(n="ten"), "n must be a number or a fraction like \"1/3\"; it is 'ten'"),
    "n-is-fractional": (archive(n=2.5), "n must be a whole number >= 0; it is 2.5"),
    "n-is-huge": (archive(n=1e300), "n must lie between 1 and 2^53; it is 1000"),
    "counts-too-large": (archive(counts=[2, 5, 11]), "counts must lie between 0 and n = 10"),
}


@pytest.mark.parametrize(("content", "message"), FILES.values(), ids=FILES)
def test_refuses_files(tmp_path, content, message):
    (tmp_path / "x.npz").write_bytes(content)
    with pytest.raises(FederationError) as caught:
        read_report(tmp_path / "x.npz")
    assert str(caught.value).startswith(f"{tmp_path / 'x.npz'}: ")
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(FederationError, match=r"x\.npz: no such file"):
        read_report(tmp_path / "x.npz")
    with pytest.raises(FederationError, match="not a fedpact report"):
        read_report(tmp_path)


def problems_of(path):
    try:
        read_report(path)
    except FederationError as error:
        return error.problems
    return ()


@given(st.integers(0, len(archive()) - 1), st.binary(max_size=6), st.integers(0, 6))
@settings(max_examples=300, deadline=None)
def test_a_damaged_file_is_a_report_or_an_error(scratch, at, patch, cut):
    whole = archive()
    (scratch / "damaged.npz").write_bytes(whole[:at] + patch + whole[at + cut :])
    problems = problems_of(scratch / "damaged.npz")
    assert all(len(problem.splitlines()) == 1 for problem in problems)


def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path):
    with pytest.raises(FederationError, match="the report cannot be written"):
        site().save(tmp_path / "no-folder" / "alice.npz")
