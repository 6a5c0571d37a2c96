"""Arrays of a stranger: read if they are what their header says."""

import numpy as np
import pytest

from fedpact.describe.npy_files import read_npy


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_an_array_is_read_back(tmp_path, version):
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array(file, np.arange(6).reshape(2, 3), version=version)
    assert read_npy(tmp_path / "a.npy").tolist() == [[0, 1, 2], [3, 4, 5]]


def test_an_array_of_named_fields_is_refused(tmp_path):
    with pytest.warns(UserWarning, match="format 3.0"):
        np.save(tmp_path / "a.npy", np.zeros(2, dtype=[("é北", int)]))
    with pytest.raises(ValueError, match=r"the format is \(3, 0\), which is for arrays of named fields"):
        read_npy(tmp_path / "a.npy")


def test_a_header_that_promises_too_much_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(100))
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-1])
    with pytest.raises(
        ValueError, match=r"the header promises an array of \(100,\), and the file ends before that"
    ):
        read_npy(tmp_path / "a.npy")
