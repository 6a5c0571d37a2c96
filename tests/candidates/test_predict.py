import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.candidate_list import digest_of
from fedpact.errors import FederationError
from fedpact.sites import predict

POINTS = np.arange(10.0)[:, None]


def parity(points):
    return np.where(points[:, 0] % 2 == 0, "even", "odd")


@given(batch=st.integers(1, 12), n=st.integers(1, 10))
def test_batches_change_nothing(batch, n):
    asked, told = [], []

    def watched(points):
        asked.append(len(points))
        return parity(points)

    both = {"a": watched, "b": parity}
    found = predict(both, POINTS[:n], batch=batch, progress=lambda *seen: told.append(seen))
    assert found.decode().tolist() == [parity(POINTS[:n]).tolist()] * 2
    assert sum(asked) == n
    assert max(asked) <= batch
    assert told[-1] == (2 * n, 2 * n)
    assert [done for done, _ in told] == np.cumsum(asked + asked).tolist()


def test_a_function_is_known_by_its_name():
    found = predict({"parity": parity}, POINTS)
    assert found.candidates.digests == (digest_of("parity"),)


def test_points_may_be_a_list_or_a_table():
    class Table:
        """As much of a data frame as is needed: rows are taken by place, not by label."""

        def __init__(self, rows):
            self.rows, self.shape = rows, (len(rows), 1)

        @property
        def iloc(self):
            return self.rows

    as_list = predict({"a": lambda points: [point > 2 for point in points]}, [1, 2, 3])
    as_table = predict({"a": lambda points: [point > 2 for point in points]}, Table([1, 2, 3]))
    assert as_list.labels.tolist() == as_table.labels.tolist() == [[0, 0, 1]]


def test_declared_classes_number_the_codes():
    found = predict({"parity": parity}, POINTS[:2], classes=["odd", "even", "neither"])
    assert found.classes == ("odd", "even", "neither")
    assert found.labels.tolist() == [[1, 0]]


class Module:
    """Is called like a module of PyTorch, and known by the same method."""

    def __call__(self, points):
        raise TypeError("linear(): argument 'input' must be Tensor")

    def state_dict(self):
        return {}


@pytest.mark.parametrize(
    ("candidate", "message"),
    [
        (
            lambda points: [0] * 3,
            "candidate 'f' must give one prediction per point; it gave 3 predictions for the 4",
        ),
        (lambda points: 0, "it gave a single value for the 4 points from point 1 on"),
        (lambda points: np.full(len(points), np.nan), "candidate 'f': .* at point 1 it is nan"),
        (lambda points: points[:, 0] / 4, "at point 2 it is 0.25"),
        (lambda points: np.zeros((4, 2)), "candidate 'f' must give one label per point; the shape is"),
        (lambda points: None, "a single value"),
        (lambda points: [[0], [0, 1]], r"'f' must give one label per point; it is \[\[0\], \[0, 1\]\]"),
        (parity, "candidate 'f' predicts 'even', which is not among the declared classes"),
        (3.5, "candidate 'f' must be a fitted estimator, .*; it is 3.5"),
        (dict, "candidate 'f' must be a fitted model; it is the class dict itself"),
        ("model.txt", "candidate 'f': a model file must end in .onnx; it is 'model.txt'"),
        ("predictions.csv", "for fedpact.sites.read_predictions"),
        (
            "net.pt",
            "'net.pt'; a pickle can run any program when it is read; export the model, or give a function",
        ),
        ("folder/MODEL.PKL", "a pickle can run any program"),
        ("net.safetensors", "'net.safetensors'; export the model, or give a function"),
        (Module(), "candidate 'f' is a PyTorch module; give a function that asks it, or an .onnx file"),
    ],
)
def test_a_candidate_that_will_not_do_is_refused(candidate, message):
    with pytest.raises(FederationError, match=message):
        predict({"f": candidate}, POINTS[:8], batch=4, classes=[0, 1])


def test_the_point_is_counted_over_all_batches():
    with pytest.raises(FederationError, match="at point 8 it is nan"):
        predict({"f": lambda points: np.where(points[:, 0] == 7, np.nan, 0)}, POINTS, batch=3)


@pytest.mark.parametrize("points", [[], np.zeros((0, 3)), 3, np.array(3), {"a": 1}])
def test_there_must_be_points(points):
    with pytest.raises(FederationError, match="points must be"):
        predict({"f": parity}, points)


@pytest.mark.parametrize("candidates", [{}, [parity], None])
def test_there_must_be_candidates(candidates):
    with pytest.raises(FederationError, match="candidates must be names and models"):
        predict(candidates, POINTS)


@pytest.mark.parametrize("batch", [0, -1, 1.5, "many"])
def test_a_batch_is_some_points(batch):
    with pytest.raises(FederationError, match="batch must be"):
        predict({"f": parity}, POINTS, batch=batch)


@pytest.mark.parametrize("name", ["", 3])
def test_names_are_checked_before_anything_is_predicted(name):
    with pytest.raises(FederationError, match=r"candidates' names must (be some different strings|not be empty)"):
        predict({"f": lambda points: pytest.fail("predicted"), name: parity}, POINTS)


def test_a_threshold_is_a_number():
    with pytest.raises(FederationError, match="threshold must be a number"):
        predict({"f": parity}, POINTS, threshold="half")


def test_what_a_function_raises_is_raised():
    def broken(points):
        raise KeyError("my own mistake")

    with pytest.raises(KeyError, match="my own mistake"):
        predict({"f": broken}, POINTS)


def test_optional_packages_are_not_imported_before_they_are_used():
    code = (
        "import sys, fedpact as fp; fp.sites.predict({'f': lambda x: [0]}, [1]); "
        "print({'sklearn', 'torch', 'onnxruntime', 'pyarrow'} & set(sys.modules))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == "set()\n"
