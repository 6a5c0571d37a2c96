"""Stacked LSTMs are ordinary ones, and learn among others what they learn alone."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytorch_optimizer = pytest.importorskip("pytorch_optimizer")

from torch.nn.functional import cross_entropy  # noqa: E402

from reproduction.networks.measure import measure  # noqa: E402
from reproduction.networks.small_lstm import draw_parameters, make_network, score_many  # noqa: E402
from reproduction.networks.train_many import one_thread, train_many  # noqa: E402

MODELS, M, EPOCHS, BATCH, CLASSES = 3, 23, 4, 10, 7


@pytest.fixture(autouse=True)
def alone():
    with one_thread():
        yield


@pytest.fixture
def windows():
    """60 windows of 12 characters, each followed by the last but one of them."""
    codes = torch.from_numpy(np.random.default_rng(1).integers(0, CLASSES, (60, 12)).astype(np.uint8))
    return codes, codes[:, -2].long()


@pytest.fixture
def plans():
    """Samples and orders of three models."""
    rng = np.random.default_rng(2)
    samples = np.stack([rng.permutation(60)[:M] for _ in range(MODELS)])
    return samples, np.stack([[rng.permutation(M) for _ in range(EPOCHS)] for _ in range(MODELS)])


def start():
    return draw_parameters(CLASSES, [np.random.default_rng(seed) for seed in range(MODELS)])


def test_scores_are_those_of_an_ordinary_network(windows):
    codes, _ = windows
    parameters = start()
    scores = score_many(parameters, codes.view(MODELS, 20, 12))
    assert scores.shape == (MODELS, 20, CLASSES)
    for model in range(MODELS):
        alone = make_network(parameters, model)(codes[20 * model : 20 * model + 20].long())
        assert torch.allclose(scores[model], alone, atol=1e-6)


def test_gradients_are_those_of_an_ordinary_network(windows):
    codes, labels = windows
    parameters = start()
    stacked = [parameter.clone().requires_grad_() for parameter in parameters]
    loss = sum(cross_entropy(own, labels) for own in score_many(stacked, codes.expand(MODELS, -1, -1)))
    found = torch.autograd.grad(loss, stacked)
    for model in range(MODELS):
        network = make_network(parameters, model)
        cross_entropy(network(codes.long()), labels).backward()
        for ours, own in zip(found, network.parameters(), strict=True):
            assert own.grad.abs().max() > 0
            assert torch.allclose(ours[model], own.grad, atol=1e-6)


def test_a_draw_has_the_spread_that_pytorch_has():
    drawn = draw_parameters(200, [np.random.default_rng(0)])
    ordinary = torch.nn.Embedding(200, 8), torch.nn.LSTM(8, 32), torch.nn.Linear(32, 200)
    expected = [parameter for layer in ordinary for parameter in layer.parameters()]
    for own, usual in zip(drawn, expected, strict=True):
        assert own[0].shape == usual.shape
        assert own.std().item() == pytest.approx(usual.std().item(), rel=0.15)


def train(windows, plans, **options):
    parameters = start()
    train_many(score_many, parameters, *windows, *plans, learning_rate=0.01, batch=BATCH, **options)
    return parameters


def train_alone(windows, model, samples, orders):
    """The same training with PyTorch's layers and the package's optimizer."""
    codes, labels = windows
    network = make_network(start(), model)
    optimizer = pytorch_optimizer.SOAP(network.parameters(), lr=0.01)
    for order in orders:
        for first in range(0, M, BATCH):
            seen = samples[order][first : first + BATCH]
            optimizer.zero_grad()
            cross_entropy(network(codes[seen].long()), labels[seen]).backward()
            optimizer.step()
    return network(codes.long()).detach()


@pytest.mark.parametrize("apart", [False, True])
def test_a_model_learns_among_others_what_it_learns_alone(windows, plans, monkeypatch, apart):
    # As for convolutions: with plain axes to start from, rounding does not decide what the bases are.
    monkeypatch.setattr(torch.linalg, "eigh", lambda of: (None, torch.eye(of.shape[-1]).expand_as(of).flip(-1)))
    codes, _ = windows
    together = score_many(train(windows, plans, apart=apart), codes.expand(MODELS, -1, -1))
    for model in range(MODELS):
        alone = train_alone(windows, model, plans[0][model], plans[1][model])
        untrained = make_network(start(), model)(codes.long()).detach()
        assert (together[model] - alone).abs().max() < 0.01 * (alone - untrained).abs().max()


def test_a_rule_is_learnt(windows):
    codes, labels = windows
    parameters = start()
    samples = np.tile(np.arange(60), (MODELS, 1))
    orders = np.tile(np.arange(60), (MODELS, 30, 1))
    before = measure(score_many, parameters, codes, labels, np.arange(60))
    train_many(score_many, parameters, codes, labels, samples, orders, learning_rate=0.01, batch=20, apart=True)
    after = measure(score_many, parameters, codes, labels, np.arange(60))
    assert (after[:, 1] > 0.9).all()
    assert (after[:, 0] < 0.3 * before[:, 0]).all()
