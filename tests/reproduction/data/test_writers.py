"""Images by several writers: who has most, whose is which, who is not there."""

import numpy as np
import pytest

import fedpact as fp
from reproduction.data.writers import Writers


def make(writer, names):
    return Writers(
        name="letters",
        images=np.zeros((len(writer), 2, 2), dtype=np.float32),
        labels=np.zeros(len(writer), dtype=np.int64),
        writer=np.array(writer, dtype=np.int64),
        names=names,
        classes=1,
        source="letters.npz",
    )


DATA = make([2, 0, 2, 1, 2, 0, 3, 3], ("f0001_01", "f0002_02", "f0003_03", "f0000_00", "f0004_04"))


def test_the_largest_come_first_and_those_of_one_size_by_name():
    expected = {"f0003_03": 3, "f0000_00": 2, "f0001_01": 2, "f0002_02": 1, "f0004_04": 0}
    assert list(DATA.sizes.items()) == list(expected.items())


def test_places_are_in_the_order_of_the_file():
    assert DATA.places("f0003_03").tolist() == [0, 2, 4]
    assert DATA.places("f0004_04").tolist() == []
    assert sorted(np.concatenate([DATA.places(name) for name in DATA.names])) == list(range(8))


@pytest.mark.parametrize("array", ["images", "labels", "writer"])
def test_arrays_cannot_be_written_to(array):
    with pytest.raises(ValueError, match="read-only"):
        getattr(DATA, array)[0] = 1


REFUSED = [
    ("x1", "'x1' is not in letters.npz; the largest are f0003_03 (3), f0000_00 (2), f0001_01 (2)"),
    ("f0003_83", "'f0003_83' is not in letters.npz; did you mean f0003_03 (3)?"),
    ("a\nb", "'a\\nb' is not in letters.npz; the largest are f0003_03 (3), f0000_00 (2), f0001_01 (2)"),
]


def test_a_writer_who_is_not_there_is_told_with_those_who_are():
    for name, message in REFUSED:
        with pytest.raises(fp.FederationError) as caught:
            DATA.places(name)
        assert str(caught.value) == f"writer {message}"
