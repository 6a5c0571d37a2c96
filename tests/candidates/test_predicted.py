import numpy as np
import pytest

import fedpact as fp
from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList
from fedpact.errors import FederationError

TWO = CandidateList.from_names(["a", "b"])


def test_labels_are_small_and_cannot_be_changed():
    given = np.array([[0, 1, 2], [2, 1, 0]])
    found = Predicted(labels=given, candidates=TWO, classes=("x", "y", "z"))
    given[0, 0] = 2
    assert found.labels.dtype == np.uint8
    assert found.labels[0, 0] == 0
    assert (found.H, found.n) == (2, 3)
    assert found.decode().tolist() == [["x", "y", "z"], ["z", "y", "x"]]
    with pytest.raises(ValueError, match="read-only"):
        found.labels[0, 0] = 1


def test_a_federation_is_made_of_the_labels():
    found = Predicted(labels=np.array([[0, 1, 1, 1], [0, 0, 1, 1]]), candidates=TWO, classes=(0, 1))
    fed = fp.Federation.from_predictions({"clinic": found.labels}, cost=1, epsilon=0.1, delta=0.05)
    assert fp.planning.disagreement(fed)[0].tolist() == [[0, 0.25], [0.25, 0]]


@pytest.mark.parametrize(
    ("labels", "classes", "message"),
    [
        ([0, 1], (0, 1), r"shape \(2,\)"),
        ([[], []], (0, 1), r"shape \(2, 0\)"),
        ([[0.0], [1.0]], (0, 1), "float64"),
        ([[0]], (0, 1), "1 rows for 2 candidates"),
        ([[0], [2]], (0, 1), "codes from 0 to 1, one for each class; they reach from 0 to 2"),
        ([[0], [-1]], (0, 1), "reach from -1 to 0"),
        ([[0], [1]], ("x", "x"), "classes must be different"),
    ],
)
def test_predictions_are_checked(labels, classes, message):
    with pytest.raises(FederationError, match=message):
        Predicted(labels=np.array(labels), candidates=TWO, classes=classes)
