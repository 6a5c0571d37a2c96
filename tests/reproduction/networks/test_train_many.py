"""A model that is trained among others is the model that is trained alone."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytorch_optimizer = pytest.importorskip("pytorch_optimizer")

from reproduction.networks.measure import measure  # noqa: E402
from reproduction.networks.small_cnn import cut_windows, draw_parameters, make_network, score_many  # noqa: E402
from reproduction.networks.train_many import one_thread, train_many  # noqa: E402

M, EPOCHS, BATCH, CLASSES = 23, 4, 10, 7


@pytest.fixture
def images():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, CLASSES, 60)
    return (rng.random((60, 14, 14)) * (0.3 + labels[:, None, None] / CLASSES)).astype(np.float32), labels


@pytest.fixture
def plans():
    """Samples and orders of three models."""
    rng = np.random.default_rng(2)
    samples = np.stack([rng.permutation(60)[:M] for _ in range(3)])
    return samples, np.stack([[rng.permutation(M) for _ in range(EPOCHS)] for _ in range(3)])


def start(models=3):
    return draw_parameters(CLASSES, [np.random.default_rng(seed) for seed in range(models)])


def test_scores_are_those_of_an_ordinary_network(images):
    points, _ = images
    parameters, windows = start(), cut_windows(points)
    scores = score_many(parameters, torch.stack([windows[:20], windows[20:40], windows[40:]]))
    for model in range(3):
        alone = make_network(parameters, model)(torch.from_numpy(points[20 * model : 20 * model + 20])[:, None])
        assert torch.allclose(scores[model], alone, atol=1e-6)


def test_gradients_are_those_of_an_ordinary_network(images):
    points, labels = images
    parameters, windows, wanted = start(), cut_windows(points), torch.from_numpy(labels)
    stacked = [parameter.clone().requires_grad_() for parameter in parameters]
    scores = score_many(stacked, windows.expand(3, *windows.shape))
    loss = sum(torch.nn.functional.cross_entropy(own, wanted) for own in scores)
    found = torch.autograd.grad(loss, stacked)
    network = make_network(parameters, 1)
    torch.nn.functional.cross_entropy(network(torch.from_numpy(points)[:, None]), wanted).backward()
    for ours, own in zip(found, network.parameters(), strict=True):
        assert torch.allclose(ours[1], own.grad, atol=1e-6)


def train_alone(points, labels, parameters, model, samples, orders):
    """The same training with PyTorch's layers and the package's optimizer."""
    network = make_network(parameters, model)
    optimizer = pytorch_optimizer.SOAP(network.parameters(), lr=0.01)
    inputs, wanted = torch.from_numpy(points)[:, None], torch.from_numpy(labels)
    for order in orders:
        for first in range(0, M, BATCH):
            seen = samples[order][first : first + BATCH]
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(inputs[seen]), wanted[seen]).backward()
            optimizer.step()
    return network(inputs).detach()


def test_a_model_learns_among_others_what_it_learns_alone(images, plans, monkeypatch):
    # Directions that the first gradient does not show have no basis of their own: rounding alone decides, and two
    # runs part. With plain axes to start from, both optimizers have the same.
    monkeypatch.setattr(torch.linalg, "eigh", lambda of: (None, torch.eye(of.shape[-1]).expand_as(of).flip(-1)))
    points, labels = images
    samples, orders = plans
    parameters, windows = start(), cut_windows(points)
    before = [parameter.clone() for parameter in parameters]
    with one_thread():
        wanted = torch.from_numpy(labels)
        train_many(score_many, parameters, windows, wanted, samples, orders, learning_rate=0.01, batch=BATCH)
        learnt = [train_alone(points, labels, before, model, samples[model], orders[model]) for model in range(3)]
    together = score_many(parameters, windows.expand(3, *windows.shape))
    for model, alone in enumerate(learnt):
        untrained = make_network(before, model)(torch.from_numpy(points)[:, None]).detach()
        assert (together[model] - alone).abs().max() < 0.01 * (alone - untrained).abs().max()


def test_one_thread_is_given_back():
    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_loss_and_accuracy_are_means_over_the_test_samples(images):
    points, labels = images
    parameters, windows, wanted = start(), cut_windows(points), torch.from_numpy(labels)
    found = measure(score_many, parameters, windows, wanted, np.arange(5, 30))
    scores = make_network(parameters, 2)(torch.from_numpy(points[5:30])[:, None])
    assert found[2, 0] == pytest.approx(torch.nn.functional.cross_entropy(scores, wanted[5:30]).item(), rel=1e-5)
    assert found[2, 1] == (scores.argmax(dim=1) == wanted[5:30]).double().mean().item()
