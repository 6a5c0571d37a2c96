"""PyTorch modules trained through the same interface."""

import numpy as np
import pytest

from fedpact.errors import FederationError
from fedpact.sites import from_torch
from fedpact.training import (
    SoftmaxModel,
    TorchModel,
    initial_weights,
    load_weights,
    loss_of,
    predict_labels,
    save_weights,
    train_locally,
)

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
nn = torch.nn

RNG = np.random.default_rng(3)
X = RNG.normal(size=(50, 4))
Y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)


def make_net():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))


def make_linear():
    return nn.Linear(4, 3)


def make_nothing():
    return 3


def make_batch_norm():
    return nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 3))


def model_of(module):
    return TorchModel(module=module, classes=(0, 1, 2))


def test_a_linear_module_takes_the_steps_of_softmax_regression():
    model, softmax = model_of(make_linear().double()), SoftmaxModel(classes=(0, 1, 2), features=4)
    start = initial_weights(model)
    same = initial_weights(softmax).replace({"W": start["weight"].T.copy(), "b": start["bias"]})
    options = {"epochs": 3, "learning_rate": 0.2, "batch": 16, "rng": 8}
    net, regression = (
        train_locally(one, weights, X, Y, **options) for one, weights in ((model, start), (softmax, same))
    )
    assert np.abs(net["weight"].T - regression["W"]).max() < 1e-13
    assert np.abs(net["bias"] - regression["b"]).max() < 1e-13
    assert loss_of(model, net, X, Y) == pytest.approx(loss_of(softmax, regression, X, Y), abs=1e-13)
    assert (predict_labels(model, net, X) == predict_labels(softmax, regression, X)).all()


def test_training_learns_and_leaves_everything_else_as_it_was():
    module = make_net().train()
    model = model_of(module)
    before, state, threads = initial_weights(model), torch.random.get_rng_state(), torch.get_num_threads()
    trained = train_locally(model, before, X, Y, epochs=200, learning_rate=0.2, batch=10)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.get_num_threads() == threads
    assert initial_weights(model) == before
    assert module.training
    assert all(array.dtype == np.float32 for array in trained.arrays.values())
    assert loss_of(model, trained, X, Y) < 0.4 < loss_of(model, before, X, Y)
    assert (predict_labels(model, trained, X) == Y).mean() > 0.85


def test_the_same_seed_trains_the_same_weights_though_it_drops_out():
    model = model_of(make_net())
    start = initial_weights(model)
    one, again, other = (train_locally(model, start, X, Y, epochs=2, batch=9, rng=seed) for seed in (4, 4, 5))
    assert one == again != other


def test_a_factory_by_name_makes_the_same_module_everywhere():
    named, made = (model_of(module) for module in (f"{__name__}:make_net", make_net))
    assert initial_weights(named) == initial_weights(made)


def test_running_means_travel_and_whole_numbers_stay():
    model = model_of(make_batch_norm())
    start = initial_weights(model)
    assert start.names == ("0.weight", "0.bias", "0.running_mean", "0.running_var", "1.weight", "1.bias")
    trained = train_locally(model, start, X + 3, Y, epochs=60)
    assert np.abs(trained["0.running_mean"] - (X + 3).mean(axis=0)).max() < 0.05


def test_weights_are_saved_for_candidates(tmp_path):
    model = model_of(make_batch_norm())
    trained = train_locally(model, initial_weights(model), X, Y, epochs=20)
    file = save_weights(model, trained, tmp_path / "trained.safetensors")
    seen = from_torch(make_batch_norm, {"trained": file}, X.astype(np.float32), classes=(0, 1, 2))
    assert (seen.decode()[0] == predict_labels(model, trained, X)).all()
    assert np.array_equal(load_weights(model, trained)[1].bias.detach().numpy(), trained["1.bias"])
    for bad, said in (("trained.pt", "must end in .safetensors"), ("no/where.safetensors", "cannot be written")):
        with pytest.raises(FederationError, match=said):
            save_weights(model, trained, tmp_path / bad)


def test_images_keep_their_shape():
    module = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(8, 2))
    model = TorchModel(module=module, classes=("a", "b"))
    images = RNG.normal(size=(6, 1, 4, 4))
    trained = train_locally(model, initial_weights(model), images, list("ababab"), epochs=2)
    assert predict_labels(model, trained, images).shape == (6,)


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("no.such.place:make", "cannot be imported: No module named 'no'"),
        (f"{__name__}:no_such", "cannot be imported"),
        ("just-a-word", "cannot be imported"),
        (f"{__name__}:X", "must be a function; it is a ndarray"),
        (make_nothing, "must be a torch.nn.Module or a function that makes one; it is a int"),
        (nn.ReLU(), "module must have weights to train"),
        (nn.Linear(2, 2).half(), "module must hold float32 or float64; 'weight' is torch.float16"),
    ],
)
def test_modules_that_cannot_be_trained_are_refused(module, message):
    with pytest.raises(FederationError, match=message):
        model_of(module)


@pytest.mark.parametrize(
    ("module", "points", "message"),
    [
        (make_linear, X[:, :3], "module cannot take these points; Linear says: mat1 and mat2"),
        (
            lambda: nn.Linear(4, 2),
            X,
            r"must give 3 scores per point, one per class; Linear gives the shape \(50, 2\)",
        ),
        (lambda: nn.LSTM(4, 3), X, "must give 3 scores per point, one per class; LSTM gives a tuple"),
    ],
)
def test_what_does_not_fit_is_said(module, points, message):
    model = model_of(module)
    for act in (train_locally, loss_of):
        with pytest.raises(FederationError, match=message):
            act(model, initial_weights(model), points, Y)


def test_a_batch_norm_that_sees_one_sample_says_so():
    model = model_of(make_batch_norm())
    with pytest.raises(FederationError, match="Expected more than 1 value per channel"):
        train_locally(model, initial_weights(model), X[:1], Y[:1])


def test_what_diverges_is_said():
    model = model_of(make_linear)
    with pytest.raises(FederationError, match="grew without bounds"):
        train_locally(model, initial_weights(model), 1e3 * X, Y, epochs=5, learning_rate=1e38)


def test_weights_of_another_module_are_refused():
    one, other = model_of(make_linear), model_of(make_net)
    with pytest.raises(FederationError, match="weights must be those of"):
        train_locally(one, initial_weights(other), X, Y)
    with pytest.raises(FederationError, match=r"weights must be those of Linear: '0.weight' stands where"):
        load_weights(one, initial_weights(other))
