import sys

import numpy as np
import pytest

from fedpact.describe.candidate_list import digest_of
from fedpact.errors import FederationError, MissingExtraError
from fedpact.sites import TorchWeights, from_torch, predict

torch = pytest.importorskip("torch")
save_file = pytest.importorskip("safetensors.torch").save_file
nn = torch.nn

POINTS = np.random.default_rng(0).normal(size=(20, 3))


def make(seed=0, outputs=4, *, dropout=False):
    generator = torch.Generator().manual_seed(seed)
    module = nn.Sequential(
        nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.9 if dropout else 0), nn.Linear(8, outputs)
    )
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return module


def scores_of(module, points=POINTS):
    module.eval()
    with torch.no_grad():
        return module(torch.tensor(points, dtype=torch.float32)).numpy()


@pytest.fixture
def files(tmp_path):
    paths = {}
    for seed in range(3):
        paths[f"seed {seed}"] = tmp_path / f"{seed}.safetensors"
        save_file(make(seed).state_dict(), paths[f"seed {seed}"])
    return paths


def test_a_module_predicts_the_class_with_the_largest_score():
    module = make(dropout=True).train()
    found = predict({"net": module}, POINTS, classes=["a", "b", "c", "d"], batch=7)
    assert module.training
    assert all(part.training for part in module.modules())
    expected = np.array(list("abcd"))[scores_of(module).argmax(axis=1)]
    assert len(set(expected)) > 1
    assert found.decode()[0].tolist() == expected.tolist()


def test_points_may_be_tensors():
    module = make()
    as_tensor = predict({"net": module}, torch.tensor(POINTS), classes=range(4))
    assert np.array_equal(as_tensor.labels, predict({"net": module}, POINTS, classes=range(4)).labels)


def test_one_logit_is_read_by_its_sign():
    module = make(1, outputs=1)
    flat = nn.Sequential(module, nn.Flatten(0))
    found = predict({"net": module, "flat": flat}, POINTS)
    expected = (scores_of(module)[:, 0] > 0).astype(int)
    assert 0 < expected.sum() < len(expected)
    assert found.labels.tolist() == [expected.tolist()] * 2


def test_probabilities_are_not_taken_for_logits():
    module = nn.Sequential(make(1, outputs=1), nn.Sigmoid())
    with pytest.raises(FederationError, match=r"candidate 'net' gives one score per point.*threshold=0.5"):
        predict({"net": module}, POINTS)
    found = predict({"net": module}, POINTS, threshold=0.5)
    assert found.labels[0].tolist() == (scores_of(module[0])[:, 0] > 0).astype(int).tolist()


def test_whole_numbers_are_labels():
    class Embedded(nn.Module):
        def forward(self, points):
            return points[:, 0] + 5

    found = predict({"net": Embedded()}, np.array([[1], [3]]))
    assert found.classes == (6, 8)
    assert found.candidates.digests == (digest_of("net"),)


def test_weights_come_from_files(files):
    module = make(9)
    own = {key: value.clone() for key, value in module.state_dict().items()}
    found = from_torch(module, files, POINTS, classes=range(4), batch=6)
    made = from_torch(make, files, POINTS, classes=range(4))
    expected = [scores_of(make(seed)).argmax(axis=1).tolist() for seed in range(3)]
    assert found.labels.tolist() == made.labels.tolist() == expected
    assert expected[0] != expected[1]
    assert found.candidates.digests == tuple(digest_of(path.read_bytes()) for path in files.values())
    assert all(torch.equal(own[key], value) for key, value in module.state_dict().items())


def test_files_and_modules_go_together(files):
    found = predict({"file": TorchWeights(make, files["seed 1"]), "module": make(1)}, POINTS, classes=range(4))
    assert np.array_equal(*found.labels)


def test_the_digest_is_that_of_the_weights():
    digests = [
        predict({"net": module}, POINTS, classes=range(4)).candidates.digests[0]
        for module in (make(0), make(0).double(), make(0), make(1))
    ]
    assert digests[0] == digests[2]
    assert len(set(digests)) == 3


@pytest.mark.parametrize("suffix", [".pt", ".pth", ".bin", ".pkl", ".PT"])
def test_pickles_are_refused_unread(tmp_path, suffix):
    path = tmp_path / f"net{suffix}"
    torch.save(make().state_dict(), path)
    with pytest.raises(FederationError, match=r"a pickle can run any program .* fedpact.sites.from_torch"):
        from_torch(make, {"net": path}, POINTS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "damaged"),
        (b"\x08\0\0\0\0\0\0\0{}", "damaged"),
        (b"\x80\x04K\x00.", "damaged"),
        (None, "no such file"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, content, message):
    path = tmp_path / "net.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FederationError, match=f"net.safetensors: .*{message}"):
        from_torch(make, {"net": path}, POINTS)


def test_weights_of_another_architecture_are_named(files, tmp_path):
    with pytest.raises(FederationError, match=r"'3.bias' is \(4,\) in the file and \(2,\) in the module"):
        from_torch(make(outputs=2), files, POINTS)
    with pytest.raises(FederationError, match=r"'1.bias' is \(8,\) in the file and missing in the module"):
        from_torch(nn.Sequential(nn.Linear(3, 8)), files, POINTS)
    with pytest.raises(FederationError, match=r"weights must be in a file that ends in .safetensors"):
        from_torch(make, {"net": tmp_path / "net.npz"}, POINTS)


@pytest.mark.parametrize("module", [dict, 3, None])
def test_what_is_no_module_is_named(files, module):
    with pytest.raises(
        FederationError, match=r"candidate 'seed 0': module must be a torch.nn.Module or a function"
    ):
        from_torch(module, files, POINTS)


def test_files_must_be_named(files):
    with pytest.raises(FederationError, match="files must be names and files of weights"):
        from_torch(make, list(files.values()), POINTS)


@pytest.mark.parametrize(
    ("module", "points", "classes", "message"),
    [
        (
            make(),
            POINTS[:, :2],
            None,
            "candidate 'net' cannot predict these points; Sequential says: mat1 and mat2",
        ),
        (make(), np.full((2, 3), np.nan), None, "'net' must give finite scores; at point 1 one is not"),
        (
            make(),
            POINTS,
            ["a", "b"],
            "candidate 'net' scores 4 classes and 2 are declared",
        ),
        (
            nn.Sequential(make(), nn.Unflatten(1, (2, 2))),
            POINTS,
            None,
            r"one score per point and class; .* \(20, 2, 2\)",
        ),
        (nn.LSTM(3, 2), POINTS, None, "must return one tensor; it returned a tuple"),
        (nn.Flatten(0), POINTS, None, "it gave 60 predictions for the 20 points"),
    ],
)
def test_what_a_module_cannot_do_is_said_with_its_name(module, points, classes, message):
    with pytest.raises(FederationError, match=message):
        predict({"net": module}, points, classes=classes)


@pytest.mark.parametrize("package", ["torch", "safetensors.torch"])
def test_a_missing_extra_is_named(files, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r'pip install "fedpact\[torch\]"'):
        from_torch(make, files, POINTS)
