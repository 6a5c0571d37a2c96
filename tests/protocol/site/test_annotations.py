import numpy as np
import pytest

from fedpact.errors import FederationError, LabelsPendingError
from fedpact.protocol.site.annotations import MISSING, Annotations, read_filled

CLASSES = ("healthy", "ill, or not")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "annotations.csv"


def test_labels_that_are_there_and_those_that_are_not(path):
    labels = Annotations(path, CLASSES, 5)
    places = np.array([4, 0, 2])
    assert labels(places).tolist() == [MISSING] * 3
    assert labels.add({4: "ill, or not", 0: "healthy"}, frozenset({4, 0, 2}), path) == 2
    assert labels(places).tolist() == [1, 0, MISSING]
    assert labels.add({2: "healthy", 0: "healthy"}, frozenset({2}), path) == 1
    assert labels(places).tolist() == [1, 0, 0]
    assert path.read_text().splitlines() == ["point,label", "1,healthy", "3,healthy", '5,"ill, or not"']


def test_classes_that_are_numbers(path):
    path.write_text("point,label\n1,9\n")
    assert Annotations(path, (7, 9), 1)(np.array([0])).tolist() == [1]


def test_classes_with_spaces_around_them(path):
    path.write_text("point,label\n1,ill\n2,WELL\n")
    assert Annotations(path, (" ill", "well "), 2)(np.array([0, 1])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("point,label\n9,healthy\n", "point must be a number from 1 to 5; it is '9'"),
        ("point,label\n1,dead\n", "the label of point 1 must be one of healthy, ill, or not; it is 'dead'"),
        ('point,label\n1,healthy\n1,"ill, or not"\n', "point 1 is labelled both"),
        ("place,label\n1,healthy\n", "point"),
    ],
    ids=["point", "label", "twice", "column"],
)
def test_what_cannot_be_read_is_said_by_line_and_waited_for(path, text, what):
    path.write_text(text)
    with pytest.raises(FederationError, match=what):
        read_filled(path, CLASSES, 5)
    with pytest.raises(LabelsPendingError, match=r"^its labels cannot be read; its own log says why$"):
        Annotations(path, CLASSES, 5)(np.array([0]))


def test_a_label_that_is_kept_is_not_changed(path):
    labels = Annotations(path, CLASSES, 5)
    labels.add({0: "healthy"}, frozenset({0}), path)
    with pytest.raises(FederationError, match="point 1"):
        labels.add({0: "ill, or not"}, frozenset({0}), path)
    assert labels.read() == {0: "healthy"}
