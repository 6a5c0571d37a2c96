"""Stacked networks are ordinary ones, and learn among others what they learn alone."""

from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytorch_optimizer = pytest.importorskip("pytorch_optimizer")

from torch.nn.functional import cross_entropy  # noqa: E402

from reproduction.networks import small_cnn, small_lstm  # noqa: E402
from reproduction.networks.measure import measure  # noqa: E402
from reproduction.networks.train_many import one_thread, train_many  # noqa: E402

MODELS, M, EPOCHS, BATCH, CLASSES = 3, 23, 4, 10, 7


class Kind(NamedTuple):
    """A kind of network, and 60 samples as it takes them: many networks at once, or an ordinary one."""

    module: ModuleType
    stacked: torch.Tensor
    plain: torch.Tensor
    labels: torch.Tensor

    def start(self):
        return self.module.draw_parameters(CLASSES, [np.random.default_rng(seed) for seed in range(MODELS)])

    def score_all(self, parameters):
        return self.module.score_many(parameters, self.stacked.expand(MODELS, *self.stacked.shape))

    def build_network(self, model):
        return self.module.make_network(self.start(), model)


def draw_images():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, CLASSES, 60)
    points = (rng.random((60, 14, 14)) * (0.3 + labels[:, None, None] / CLASSES)).astype(np.float32)
    return Kind(
        small_cnn, small_cnn.cut_windows(points), torch.from_numpy(points)[:, None], torch.from_numpy(labels)
    )


def draw_windows():
    """60 windows of 12 characters, each followed by the last but one of them."""
    codes = torch.from_numpy(np.random.default_rng(1).integers(0, CLASSES, (60, 12)).astype(np.uint8))
    return Kind(small_lstm, codes, codes.long(), codes[:, -2].long())


@pytest.fixture(autouse=True)
def alone():
    with one_thread():
        yield


@pytest.fixture(params=[draw_images, draw_windows], ids=["images", "windows"])
def kind(request):
    return request.param()


@pytest.fixture
def plans():
    """Samples and orders of three models."""
    rng = np.random.default_rng(2)
    samples = np.stack([rng.permutation(60)[:M] for _ in range(MODELS)])
    return samples, np.stack([[rng.permutation(M) for _ in range(EPOCHS)] for _ in range(MODELS)])


def test_scores_are_those_of_an_ordinary_network(kind):
    parts = torch.stack([kind.stacked[20 * model : 20 * model + 20] for model in range(MODELS)])
    scores = kind.module.score_many(kind.start(), parts)
    assert scores.shape == (MODELS, 20, CLASSES)
    for model in range(MODELS):
        alone = kind.build_network(model)(kind.plain[20 * model : 20 * model + 20])
        assert torch.allclose(scores[model], alone, atol=1e-6)


def test_gradients_are_those_of_an_ordinary_network(kind):
    stacked = [parameter.clone().requires_grad_() for parameter in kind.start()]
    loss = sum(cross_entropy(own, kind.labels) for own in kind.score_all(stacked))
    found = torch.autograd.grad(loss, stacked)
    for model in range(MODELS):
        network = kind.build_network(model)
        cross_entropy(network(kind.plain), kind.labels).backward()
        for ours, own in zip(found, network.parameters(), strict=True):
            assert own.grad.abs().max() > 0
            assert torch.allclose(ours[model], own.grad, atol=1e-6)


def train_alone(kind, model, samples, orders):
    """The same training with PyTorch's layers and the package's optimizer."""
    network = kind.build_network(model)
    optimizer = pytorch_optimizer.SOAP(network.parameters(), lr=0.01)
    for order in orders:
        for first in range(0, M, BATCH):
            seen = samples[order][first : first + BATCH]
            optimizer.zero_grad()
            cross_entropy(network(kind.plain[seen]), kind.labels[seen]).backward()
            optimizer.step()
    return network(kind.plain).detach()


@pytest.mark.parametrize("apart", [False, True])
def test_a_model_learns_among_others_what_it_learns_alone(kind, plans, monkeypatch, apart):
    # Directions that the first gradient does not show have no basis of their own: rounding alone decides, and two
    # runs part. With plain axes to start from, both optimizers have the same.
    monkeypatch.setattr(torch.linalg, "eigh", lambda of: (None, torch.eye(of.shape[-1]).expand_as(of).flip(-1)))
    parameters, options = kind.start(), {"learning_rate": 0.01, "batch": BATCH, "apart": apart}
    train_many(kind.module.score_many, parameters, kind.stacked, kind.labels, *plans, **options)
    together = kind.score_all(parameters)
    for model in range(MODELS):
        alone = train_alone(kind, model, plans[0][model], plans[1][model])
        untrained = kind.build_network(model)(kind.plain).detach()
        assert (together[model] - alone).abs().max() < 0.01 * (alone - untrained).abs().max()


def test_a_draw_has_the_spread_that_pytorch_has():
    drawn = small_lstm.draw_parameters(200, [np.random.default_rng(0)])
    ordinary = torch.nn.Embedding(200, 8), torch.nn.LSTM(8, 32), torch.nn.Linear(32, 200)
    expected = [parameter for layer in ordinary for parameter in layer.parameters()]
    for own, usual in zip(drawn, expected, strict=True):
        assert own[0].shape == usual.shape
        assert own.std().item() == pytest.approx(usual.std().item(), rel=0.15)


def test_a_rule_is_learnt():
    kind = draw_windows()
    parameters, about = kind.start(), (kind.stacked, kind.labels, np.arange(60))
    samples, orders = np.tile(np.arange(60), (MODELS, 1)), np.tile(np.arange(60), (MODELS, 30, 1))
    before = measure(small_lstm.score_many, parameters, *about)
    options = {"learning_rate": 0.01, "batch": 20, "apart": True}
    train_many(small_lstm.score_many, parameters, *about[:2], samples, orders, **options)
    after = measure(small_lstm.score_many, parameters, *about)
    assert (after[:, 1] > 0.9).all()
    assert (after[:, 0] < 0.3 * before[:, 0]).all()


def test_one_thread_is_given_back():
    torch.set_num_threads(2)
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2


def test_loss_and_accuracy_are_means_over_the_test_samples(kind):
    found = measure(kind.module.score_many, kind.start(), kind.stacked, kind.labels, np.arange(5, 30))
    scores, wanted = kind.build_network(2)(kind.plain[5:30]), kind.labels[5:30]
    assert found[2, 0] == pytest.approx(cross_entropy(scores, wanted).item(), rel=1e-5)
    assert found[2, 1] == (scores.argmax(dim=1) == wanted).double().mean().item()
