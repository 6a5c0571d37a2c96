"""Many models at once take the steps that pytorch-optimizer's SOAP takes with each."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytorch_optimizer = pytest.importorskip("pytorch_optimizer")

from reproduction.networks.soap import Soap  # noqa: E402

SHAPES = ((4, 3, 2, 2), (4,), (5, 6), (5,))


def step_alone(start, gradients, **options):
    """Steps of one model by the package."""
    parameters = [torch.nn.Parameter(one.clone()) for one in start]
    optimizer = pytorch_optimizer.SOAP(parameters, **options)
    for step in gradients:
        for parameter, gradient in zip(parameters, step, strict=True):
            parameter.grad = gradient.clone()
        optimizer.step()
    return [parameter.detach() for parameter in parameters]


@pytest.fixture
def runs():
    """Starts and 35 gradients of three models; two of the gradients' directions dominate, so that bases matter."""
    rng = np.random.default_rng(0)
    starts = [[torch.from_numpy(rng.normal(size=shape)) for shape in SHAPES] for _ in range(3)]
    gradients = [
        [[torch.from_numpy(rng.normal(size=shape) + 2 * rng.normal()) for shape in SHAPES] for _ in range(35)]
        for _ in range(3)
    ]
    return starts, gradients


@pytest.mark.parametrize("options", [{"lr": 0.01}, {"lr": 0.1, "weight_decay": 0.0, "precondition_frequency": 3}])
def test_every_model_takes_the_steps_it_would_take_alone(runs, options):
    starts, gradients = runs
    stacked = [torch.stack(same) for same in zip(*starts, strict=True)]
    names = {"lr": "learning_rate", "weight_decay": "weight_decay", "precondition_frequency": "every"}
    soap = Soap(stacked, **{names[key]: value for key, value in options.items()})
    for step in range(35):
        soap.step([torch.stack(same) for same in zip(*(own[step] for own in gradients), strict=True)])
    for model, start in enumerate(starts):
        for ours, theirs in zip(stacked, step_alone(start, gradients[model], **options), strict=True):
            # The package decomposes in single precision whatever it is given; here nothing is rounded.
            assert torch.allclose(ours[model], theirs, atol=2e-5)


def test_the_first_step_only_looks(runs):
    starts, gradients = runs
    stacked = [torch.stack(same) for same in zip(*starts, strict=True)]
    before = [one.clone() for one in stacked]
    Soap(stacked, learning_rate=0.1).step(
        [torch.stack(same) for same in zip(*(g[0] for g in gradients), strict=True)]
    )
    assert all(torch.equal(one, other) for one, other in zip(stacked, before, strict=True))
