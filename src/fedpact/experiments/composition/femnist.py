"""Composition of handwriting: models trained on mixtures of two writers' characters, tested on each writer.

The paper's first study (appendix, effect of data composition): for m samples, a share lambda of them agent 1's, a
lightweight CNN is trained with cross entropy and SOAP, and tested on both agents. Agents are the two writers with
most images; in the variant "five others" agent 2 is a random convex combination of five writers, drawn anew for
every seed.

What differs from the paper. Its writers f0261_06 and f0289_10 are not in the data that can be had; the two largest
there have 355 and 315 images, so m ends at 250, not 450. Images are halved to 14 by 14 pixels, and batches hold
ten, as in LEAF; the paper states neither. The test images are drawn anew for every seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.adapt_torch import import_torch
from fedpact.describe.numbers import read_number, read_whole_number
from fedpact.errors import FederationError
from fedpact.experiments.composition.boxes import sum_up_boxes
from fedpact.experiments.composition.samples import Draw, draw_samples
from fedpact.experiments.composition.show_boxes import conclude_boxes, draw_composition, tabulate_boxes
from fedpact.experiments.data.femnist_images import load_writers, resize
from fedpact.experiments.data.writers import Writers
from fedpact.experiments.sweep.experiment import Answer, Arrays, Experiment, Settings, Stage, Task

TWO = "two writers"
FIVE = "five others"
COMBINED = {TWO: 1, FIVE: 5}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Data:
    """The images of agent 1, of agent 2, and of everybody else."""

    source: str
    classes: int
    names: tuple[str, str]
    sizes: tuple[int, ...]
    """Images of agent 1, agent 2, and each of the others."""
    arrays: Mapping[str, Arrays]
    """Variant -> images, labels and whose they are, from agent 1 on."""


def _pick_writers(writers: Writers, named: Sequence[str]) -> tuple[str, str]:
    if len(named) not in (0, 2) or len(set(named)) < len(named):
        raise FederationError(
            f"writers must be two different names, or none for the two largest; they are {named}"
        )
    first, second = named or list(writers.sizes)[:2]
    return first, second


def _take(writers: Writers, names: Sequence[str], side: int) -> Arrays:
    places = [writers.places(name) for name in names]
    at = np.concatenate(places)
    return {
        "images": resize(writers.images[at], side),
        "labels": writers.labels[at],
        "writer": np.repeat(np.arange(len(names)), [len(own) for own in places]),
    }


def _prepare(settings: Settings, data: str | None) -> _Data:
    import_torch()
    from fedpact.experiments.networks.small_cnn import SIDE

    writers = load_writers(data, settings)
    first, second = _pick_writers(writers, settings["writers"])
    others = [name for name in writers.names if name != first]
    arrays = {TWO: _take(writers, [first, second], SIDE), FIVE: _take(writers, [first, *others], SIDE)}
    return _Data(
        source=writers.source,
        classes=writers.classes,
        names=(first, second),
        sizes=tuple(len(writers.places(name)) for name in (first, second)),
        arrays={variant: arrays[variant] for variant in settings["variants"] if variant in arrays},
    )


def _check(settings: Settings, data: _Data) -> None:
    """Refuse what cannot be trained."""
    unknown = [variant for variant in settings["variants"] if variant not in COMBINED]
    if unknown or not settings["variants"]:
        raise FederationError(f"variants must be some of {', '.join(COMBINED)}; they are {settings['variants']}")
    for key in ("epochs", "batch", "seeds_per_cell"):
        read_whole_number(settings[key], key, least=1)
    share = read_number(settings["test_share"], "test_share")
    if not 0 < share < 1:
        raise FederationError(f"test_share must lie strictly between 0 and 1; it is {share:g}")
    if not settings["m"] or not settings["lambdas"]:
        raise FederationError("m and lambdas must hold at least one value each; one is empty")
    if any(not 0 <= read_number(one, "lambdas") <= 1 for one in settings["lambdas"]):
        raise FederationError(f"lambdas must lie between 0 and 1; they are {settings['lambdas']}")
    for m in settings["m"]:
        read_whole_number(m, "m", least=1)
        for name, size in zip(data.names, data.sizes, strict=True):
            left = size - max(1, round(share * size))
            if m > left:
                raise FederationError(
                    f"m = {m} is more than the {left} images that writer {name} has for training "
                    f"({size}, of which {size - left} are held out); take a smaller m or another writer"
                )


def _cut(settings: Settings, data: _Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    _check(settings, data)
    seeds, step = range(settings["seeds"]), settings["seeds_per_cell"]
    shared = {key: settings[key] for key in ("lambdas", "epochs", "batch", "learning_rate", "test_share")}
    return [
        Task(
            {"variant": variant, "m": m, "seeds": list(seeds[first : first + step]), "classes": data.classes}
            | shared,
            data.arrays[variant],
        )
        for variant in settings["variants"]
        for m in settings["m"]
        for first in range(0, len(seeds), step)
    ]


def _draw(cell: Mapping[str, Any], arrays: Arrays, seed: int) -> Draw:
    writer = np.asarray(arrays["writer"])
    sources = [np.flatnonzero(writer == one) for one in range(writer.max() + 1)]
    rng = np.random.default_rng([seed, COMBINED[cell["variant"]]])
    return draw_samples(sources, COMBINED[cell["variant"]], cell["test_share"], rng)


def _draw_orders(cell: Mapping[str, Any], seed: int) -> NDArray[np.int64]:
    """(epochs, m), the same for all mixtures of a seed."""
    rng = np.random.default_rng([seed, cell["m"]])
    return np.stack([rng.permutation(cell["m"]) for _ in range(cell["epochs"])])


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Train one model for every seed and lambda of the cell, all at once, and test them."""
    import torch

    from fedpact.experiments.networks.measure import measure
    from fedpact.experiments.networks.small_cnn import cut_windows, draw_parameters, score_many
    from fedpact.experiments.networks.train_many import one_thread, train_many

    shares, seeds = cell["lambdas"], cell["seeds"]
    draws = [_draw(cell, arrays, seed) for seed in seeds]
    samples = np.stack([draw.mix(cell["m"], share) for draw in draws for share in shares])
    orders = np.stack([_draw_orders(cell, seed) for seed in seeds for _ in shares])
    with one_thread():
        windows = cut_windows(np.asarray(arrays["images"], dtype=np.float32))
        labels = torch.from_numpy(np.asarray(arrays["labels"], dtype=np.int64))
        starts = [np.random.default_rng([seed, 1]) for seed in seeds for _ in shares]
        parameters = draw_parameters(cell["classes"], starts)
        training = {"learning_rate": cell["learning_rate"], "batch": cell["batch"]}
        train_many(score_many, parameters, windows, labels, samples, orders, **training)
        values = []
        for place, draw in enumerate(draws):
            own = [parameter[place * len(shares) : (place + 1) * len(shares)] for parameter in parameters]
            tests = np.stack([measure(score_many, own, windows, labels, test) for test in draw.tests])
            # (lambdas, agents, metrics): agent 2 is the weighted mean of its sources.
            both = np.stack([tests[0], np.tensordot(draw.weights, tests[1:], axes=1)], axis=1)
            values.append(both.tolist())
    return {"variant": cell["variant"], "m": cell["m"], "seeds": seeds, "values": values}


def _sum_up(settings: Settings, data: _Data, answers: Sequence[Sequence[Answer]]) -> Answer:
    return {"agents": list(data.names)} | sum_up_boxes(settings["lambdas"], answers[0])


COMPOSITION_FEMNIST = Experiment(
    name="composition-femnist",
    about="Models trained on mixtures of two writers' characters, tested on each: whose samples help whom.",
    prepare=_prepare,
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate_boxes,
    conclude=conclude_boxes,
    draw=draw_composition,
    reads_data=True,
    packages=("torch",),
)
