import sys

import numpy as np
import pytest

from fedpact.describe.candidate_list import digest_of
from fedpact.errors import FederationError, MissingExtraError
from fedpact.sites import predict

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
TensorProto, helper, numpy_helper = onnx.TensorProto, onnx.helper, onnx.numpy_helper

POINTS = np.random.default_rng(0).normal(size=(20, 3))
WEIGHTS = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)
SCORES = POINTS.astype(np.float32) @ WEIGHTS


def save(path, nodes, output, *, inputs=(("x", TensorProto.FLOAT, ["n", 3]),), weights=WEIGHTS):
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info(*given) for given in inputs],
        [helper.make_tensor_value_info("y", output, None)],
        [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array([2]), "i")],
    )
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(helper.make_model(graph, opset_imports=sets, ir_version=9), path)
    return path


@pytest.fixture
def linear(tmp_path):
    return save(tmp_path / "linear.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])], TensorProto.FLOAT)


def test_the_largest_score_decides(linear):
    found = predict({"linear": str(linear), "again": linear}, POINTS, classes=list("abcd"), batch=7)
    expected = np.array(list("abcd"))[SCORES.argmax(axis=1)].tolist()
    assert len(set(expected)) > 1
    assert found.decode().tolist() == [expected] * 2
    assert found.candidates.digests == (digest_of(linear.read_bytes()),) * 2


def test_one_logit_is_read_by_its_sign(tmp_path):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    path = save(tmp_path / "one.onnx", nodes, TensorProto.FLOAT, weights=WEIGHTS[:, :1])
    flat = save(tmp_path / "flat.onnx", nodes, TensorProto.FLOAT, weights=WEIGHTS[:, 0])
    expected = (SCORES[:, 0] > 0).astype(int).tolist()
    assert predict({"one": path, "flat": flat}, POINTS).labels.tolist() == [expected] * 2


def test_probabilities_are_not_taken_for_logits(tmp_path):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["logit"]), helper.make_node("Sigmoid", ["logit"], ["y"])]
    path = save(tmp_path / "one.onnx", nodes, TensorProto.FLOAT, weights=WEIGHTS[:, :1])
    with pytest.raises(FederationError, match=r"candidate 'one' gives one score per point.*threshold=0.5"):
        predict({"one": path}, POINTS)
    found = predict({"one": path}, POINTS, threshold=0.5)
    assert found.labels[0].tolist() == (SCORES[:, 0] > 0).astype(int).tolist()


def test_scores_are_finite_and_one_for_each_declared_class(linear):
    with pytest.raises(FederationError, match="'linear' must give finite scores; at point 1 one is not"):
        predict({"linear": linear}, np.full((2, 3), np.nan))
    with pytest.raises(FederationError, match="'linear' scores 4 classes and 2 are declared"):
        predict({"linear": linear}, POINTS, classes=["a", "b"])


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([("Unsqueeze", "xi", "y")], r"one score per point and class; .* \(7, 3, 1\)"),
        ([("Transpose", "x", "y")], "it gave 3 predictions for the 7 points from point 1 on"),
        ([("Transpose", "x", "a"), ("MatMul", "xa", "y")], r"same classes in every batch; it scored \[6, 7\]"),
    ],
)
def test_scores_of_another_shape_are_refused(tmp_path, nodes, message):
    path = save(tmp_path / "net.onnx", [helper.make_node(*node) for node in nodes], TensorProto.FLOAT)
    with pytest.raises(FederationError, match=message):
        predict({"net": path}, POINTS, batch=7)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ({"classlabels_strings": list("abcd")}, TensorProto.STRING),
        ({"classlabels_ints": [5, 6, 7, 9]}, TensorProto.INT64),
    ],
)
def test_labels_are_taken_as_they_are(tmp_path, labels, kind):
    node = helper.make_node(
        "LinearClassifier",
        ["x"],
        ["y", "scores"],
        domain="ai.onnx.ml",
        coefficients=WEIGHTS.T.ravel().tolist(),
        intercepts=[0.0] * 4,
        post_transform="NONE",
        **labels,
    )
    (names,) = labels.values()
    found = predict({"labelled": save(tmp_path / "labelled.onnx", [node], kind)}, POINTS)
    assert found.decode()[0].tolist() == [names[best] for best in SCORES.argmax(axis=1)]


@pytest.mark.parametrize("content", [b"", b"no model", b"\x80\x04K\x00."])
def test_a_damaged_file_is_named(tmp_path, content, capfd):
    path = tmp_path / "bad.onnx"
    path.write_bytes(content)
    with pytest.raises(FederationError, match=r"bad.onnx: not an .onnx model"):
        predict({"bad": path}, POINTS)
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FederationError, match=r"absent.onnx: no such file"):
        predict({"absent": tmp_path / "absent.onnx"}, POINTS)


def test_points_of_another_shape_are_refused_with_the_name(linear, capfd):
    with pytest.raises(FederationError, match=r"candidate 'linear' cannot predict these points; linear.onnx"):
        predict({"linear": linear}, POINTS[:, :2])
    with pytest.raises(
        FederationError, match=r"candidate 'linear' cannot predict these points; .*could not convert"
    ):
        predict({"linear": linear}, [["a", "b", "c"]])
    assert capfd.readouterr() == ("", "")


def test_a_model_of_two_inputs_is_refused(tmp_path):
    inputs = [(name, TensorProto.FLOAT, ["n", 3]) for name in ("left", "right")]
    nodes = [helper.make_node("Add", ["left", "right"], ["y"])]
    path = save(tmp_path / "two.onnx", nodes, TensorProto.FLOAT, inputs=inputs)
    with pytest.raises(FederationError, match=r"must have one input.*left tensor\(float\), right"):
        predict({"two": path}, POINTS)


def test_a_missing_extra_is_named(linear, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r'pip install "fedpact\[onnx\]"'):
        predict({"linear": linear}, POINTS)
