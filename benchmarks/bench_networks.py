"""Training many small networks at once, against one by one with PyTorch's layers and pytorch-optimizer's SOAP.

The setting is that of `make reproduce NAME=composition-femnist`: 62 classes, batches of ten, the network of
`networks/small_cnn.py` with the same start and the same order of samples. The first row compares what one thread
does; the second what the machine does: all processors each training many at once, as the sweep does, against one
model after another with as many threads as PyTorch likes.
"""

from __future__ import annotations

import time

import joblib
import numpy as np
import pytorch_optimizer
import torch

from reproduction.networks.small_cnn import cut_windows, draw_parameters, make_network, score_many
from reproduction.networks.train_many import one_thread, train_many

M, EPOCHS, BATCH, CLASSES, MODELS = 150, 10, 10, 62, 33
_ALONE = 3


def draw_images() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.random((600, 14, 14)).astype(np.float32), rng.integers(0, CLASSES, 600)


def draw_plan(models: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    samples = np.stack([rng.permutation(600)[:M] for _ in range(models)])
    return samples, np.stack([[rng.permutation(M) for _ in range(EPOCHS)] for _ in range(models)])


def train_together(models: int = MODELS) -> float:
    """Seconds per model."""
    images, labels = draw_images()
    samples, orders = draw_plan(models)
    start = time.perf_counter()
    with one_thread():
        parameters = draw_parameters(CLASSES, [np.random.default_rng(seed) for seed in range(models)])
        windows, wanted = cut_windows(images), torch.from_numpy(labels)
        train_many(score_many, parameters, windows, wanted, samples, orders, learning_rate=0.01, batch=BATCH)
    return (time.perf_counter() - start) / models


def train_one_by_one(models: int = _ALONE) -> float:
    """Seconds per model."""
    images, labels = draw_images()
    samples, orders = draw_plan(models)
    parameters = draw_parameters(CLASSES, [np.random.default_rng(seed) for seed in range(models)])
    inputs, wanted = torch.from_numpy(images)[:, None], torch.from_numpy(labels)
    start = time.perf_counter()
    for model in range(models):
        network = make_network(parameters, model)
        optimizer = pytorch_optimizer.SOAP(network.parameters(), lr=0.01)
        for order in orders[model]:
            for first in range(0, M, BATCH):
                seen = torch.from_numpy(samples[model][order][first : first + BATCH])
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(network(inputs[seen]), wanted[seen]).backward()
                optimizer.step()
    return (time.perf_counter() - start) / models


def test_one_thread(compare):
    train_together(2), train_one_by_one(1)
    with one_thread():
        alone = min(train_one_by_one() for _ in range(3))
    compare(
        "small networks, 33 at once, one thread",
        unit="seconds per model",
        ours=min(train_together() for _ in range(3)),
        competitor="one by one, PyTorch's layers and pytorch-optimizer's SOAP",
        theirs=alone,
        at_least=3.5,
    )


def test_the_machine(compare):
    train_one_by_one(1)
    cores = joblib.cpu_count()
    with joblib.Parallel(n_jobs=cores) as parallel:
        parallel(joblib.delayed(train_together)(2) for _ in range(cores))
        found = []
        for _ in range(3):
            start = time.perf_counter()
            parallel(joblib.delayed(train_together)() for _ in range(2 * cores))
            found.append((time.perf_counter() - start) / (2 * cores * MODELS))
    compare(
        "small networks, 33 at once on every processor",
        unit="seconds per model",
        ours=min(found),
        competitor="one by one with PyTorch's own threads",
        theirs=min(train_one_by_one() for _ in range(3)),
        at_least=5,
    )
