"""Mixtures of two agents' samples, whatever the samples are: checked, cut into cells, trained and tested.

A cell holds one m and some seeds, with all lambdas. Its models, one for every seed and lambda, are trained at
once with cross entropy and SOAP. With one seed all mixtures have the same samples to take from, the same start
and the same order, so that they differ in lambda alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.composition.samples import Draw, count_own
from reproduction.experiment import Answer, Arrays, Settings, Task
from reproduction.values import read_positive, read_rising, read_share, read_whole_number, shorten

if TYPE_CHECKING:
    from torch import Tensor

_SHARED = ("lambdas", "epochs", "batch", "learning_rate")


class Networks(Protocol):
    """Many networks at once, as a module has them."""

    def draw_parameters(self, classes: int, rngs: Sequence[np.random.Generator]) -> list[Tensor]:
        """Draw parameters for one model per generator."""

    def score_many(self, parameters: Sequence[Tensor], inputs: Tensor, /) -> Tensor:
        """(models, n, ...) -> (models, n, classes)."""


def pick_agents(named: Sequence[str], largest: Sequence[str], kind: str) -> tuple[str, str]:
    """Take agent 1 and agent 2 by their names, or the two largest if none are named.

    Examples
    --------
    >>> pick_agents([], ["hamlet", "iago", "othello"], "role")
    ('hamlet', 'iago')
    """
    if named and (len(named) != 2 or named[0] == named[1]):
        raise fp.FederationError(
            f"{kind}s must be two different names, or none for the two largest; they are {shorten(named)}"
        )
    if len(largest) < 2:
        raise fp.FederationError(
            f"data must have two {kind}s or more, to be mixed; there is {', '.join(largest) or 'none'}"
        )
    first, second = named or largest[:2]
    return first, second


def read_mixtures(settings: Settings) -> Settings:
    """Read what agents are mixed and trained with; what else there is stays as it is."""
    counts = ("epochs", "batch", "seeds_per_cell")
    return {
        **settings,
        **{key: read_whole_number(settings[key], key, least=1) for key in counts},
        "m": read_rising(settings, "m", partial(read_whole_number, least=1)),
        "lambdas": read_rising(settings, "lambdas", read_share),
        "learning_rate": read_positive(settings["learning_rate"], "learning_rate"),
    }


class Stock(NamedTuple):
    """What an agent has."""

    who: str
    size: int
    """Samples."""
    left: int
    """Those of them that are not held out."""


def check_sizes(settings: Settings, agents: tuple[Stock, Stock], samples: str) -> None:
    """Refuse a mixture that takes more of an agent than it has; ``samples`` is what they are called."""
    for m, share in product(settings["m"], settings["lambdas"]):
        own = count_own(m, share)
        for (who, size, left), taken in zip(agents, (own, m - own), strict=True):
            if taken > left:
                raise fp.FederationError(
                    f"m = {m} with lambda = {share:g} takes {taken} {samples} of {who}, which has {left} for "
                    f"training ({size}, of which {size - left} are held out); take a smaller m, or lambdas that "
                    "take fewer of them"
                )


def cut_cells(settings: Settings, arrays: Mapping[str, Arrays], **own: Any) -> list[Task]:
    """Cut every variant, by its arrays, and every m into cells of some seeds; ``own`` goes into every cell."""
    seeds, step = range(settings["seeds"]), settings["seeds_per_cell"]
    shared = {key: settings[key] for key in _SHARED} | own
    return [
        Task({"variant": variant, "m": m, "seeds": list(seeds[first : first + step])} | shared, arrays[variant])
        for variant in arrays
        for m in settings["m"]
        for first in range(0, len(seeds), step)
    ]


def _draw_orders(cell: Mapping[str, Any], seed: int) -> NDArray[np.int64]:
    """(epochs, m), the same for all mixtures of a seed."""
    rng = np.random.default_rng([seed, cell["m"]])
    return np.stack([rng.permutation(cell["m"]) for _ in range(cell["epochs"])])


def _test(
    networks: Networks, parameters: Sequence[Tensor], inputs: Tensor, labels: Tensor, draw: Draw
) -> list[Any]:
    """(lambdas, agents, metrics) of the models of one seed."""
    from reproduction.networks.measure import measure

    tests = np.stack([measure(networks.score_many, parameters, inputs, labels, test) for test in draw.tests])
    # Agent 2 is the weighted mean of its sources.
    both = np.stack([tests[0], np.tensordot(draw.weights, tests[1:], axes=1)], axis=1)
    values: list[Any] = both.tolist()
    return values


def train_mixtures(
    cell: Mapping[str, Any],
    draws: Sequence[Draw],
    networks: Networks,
    inputs: Tensor,
    labels: Tensor,
    *,
    apart: bool = False,
) -> Answer:
    """Train one model for every seed and lambda of a cell, all at once, and test them.

    Parameters
    ----------
    draws
        The samples of every seed.
    inputs, labels
        (n, ...) and (n,), which the draws are about.
    apart
        Whether gradients are computed model by model.
    """
    from reproduction.networks.train_many import one_thread, train_many

    shares, seeds = cell["lambdas"], cell["seeds"]
    samples = np.stack([draw.mix(cell["m"], share) for draw in draws for share in shares])
    orders = np.stack([_draw_orders(cell, seed) for seed in seeds for _ in shares])
    starts = [np.random.default_rng([seed, 1]) for seed in seeds for _ in shares]
    training = {"learning_rate": cell["learning_rate"], "batch": cell["batch"]}
    with one_thread():
        parameters = networks.draw_parameters(cell["classes"], starts)
        train_many(networks.score_many, parameters, inputs, labels, samples, orders, apart=apart, **training)
        by_seed = zip(*(parameter.chunk(len(seeds)) for parameter in parameters), strict=True)
        values = [_test(networks, own, inputs, labels, draw) for own, draw in zip(by_seed, draws, strict=True)]
    return {"variant": cell["variant"], "m": cell["m"], "seeds": seeds, "values": values}
