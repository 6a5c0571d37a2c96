"""Collections are read as they are, and what is malformed is refused in one line."""

import numpy as np
import pytest

import fedpact as fp
from reproduction.data.public_predictions import FOLDER, load_collection

SAID = [[0, 1, 1], [1, 1, 0]]


@pytest.fixture
def keep(tmp_path):
    (tmp_path / FOLDER).mkdir()

    def keep(**arrays):
        np.savez(tmp_path / FOLDER / "small.npz", **arrays)
        return str(tmp_path)

    return keep


def test_sites_have_their_names_or_numbers(keep):
    two = {"p0": SAID, "y0": [0, 1, 1], "p1": [[2], [3]], "y1": [3]}
    assert list(load_collection(keep(**two), "small")) == ["site-1", "site-2"]
    found = load_collection(keep(**two, sites=["north", "south"]), "small")
    assert found["north"].said.tolist() == SAID
    assert found["north"].regret.tolist() == [0, 2 / 3]
    assert found["south"].regret.tolist() == [1, 0]
    assert list(load_collection(keep(p0=SAID, y0=[0, 0, 0]), "small")) == ["small"]


REFUSED = [
    ({"x": [1]}, "must hold p0"),
    ({"p0": [0, 1], "y0": [0, 1]}, "p0 must be whole numbers, a row for each candidate"),
    ({"p0": [[0.5]], "y0": [0]}, "p0 must be whole numbers"),
    ({"p0": SAID, "y0": [0, 1]}, "y0 must be a whole number for each of 3 points"),
    ({"p0": SAID}, "y0 must be a whole number for each of 3 points"),
    ({"p0": SAID, "y0": [0, 1, 1], "p1": [[1]], "y1": [1]}, "p1 must be whole numbers, a row for each candidate"),
    ({"p0": SAID, "y0": [0, 1, 1], "sites": ["a", "b"]}, "sites must be 1 different names"),
]


@pytest.mark.parametrize(("arrays", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_malformed_collections_are_refused(keep, arrays, said):
    folder = keep(**arrays)
    with pytest.raises(fp.FederationError, match=said) as caught:
        load_collection(folder, "small")
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there_or_broken_are_named(tmp_path, keep):
    folder = keep(p0=SAID, y0=[0, 1, 1])
    with pytest.raises(fp.FederationError, match=r"must be a folder that holds selection/large\.npz; it does not"):
        load_collection(folder, "large")
    (tmp_path / FOLDER / "small.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(fp.FederationError, match=r"must be a whole \.npz file"):
        load_collection(folder, "small")
    (tmp_path / FOLDER / "small.npz").unlink()
    (tmp_path / FOLDER / "small.npz").mkdir()
    with pytest.raises(fp.FederationError, match="cannot be read"):
        load_collection(folder, "small")
