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

import fedpact as fp
from reproduction.composition.boxes import sum_up_boxes
from reproduction.composition.mixtures import (
    Stock,
    check_sizes,
    cut_cells,
    pick_agents,
    read_mixtures,
    train_mixtures,
)
from reproduction.composition.samples import Draw, draw_samples
from reproduction.composition.show_boxes import conclude_boxes, draw_composition, tabulate_boxes
from reproduction.data.femnist_images import load_writers, resize
from reproduction.data.writers import Writers
from reproduction.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.values import read_chance, shorten

TWO = "two writers"
FIVE = "five others"
COMBINED = {TWO: 1, FIVE: 5}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Data:
    """The images of agent 1, of agent 2, and of everybody else."""

    source: str
    classes: int
    sizes: Mapping[str, int]
    """Images of agent 1 and agent 2, by their names."""
    arrays: Mapping[str, Arrays]
    """Variant -> images, labels and whose they are, from agent 1 on."""


def _take(writers: Writers, names: Sequence[str], side: int) -> Arrays:
    places = [writers.places(name) for name in names]
    at = np.concatenate(places)
    return {
        "images": resize(writers.images[at], side),
        "labels": writers.labels[at],
        "writer": np.repeat(np.arange(len(names)), [len(own) for own in places]),
    }


def _read_variants(settings: Settings) -> list[str]:
    variants: list[str] = settings["variants"]
    if not variants or any(variant not in list(COMBINED) for variant in variants):
        raise fp.FederationError(f"variants must be some of {', '.join(COMBINED)}; they are {shorten(variants)}")
    return variants


def _prepare(settings: Settings, data: str | None) -> _Data:
    from reproduction.networks.small_cnn import SIDE

    variants = _read_variants(settings)
    writers = load_writers(data, settings)
    first, second = pick_agents(settings["writers"], list(writers.sizes), "writer")
    sizes = writers.sizes
    others = [name for name in writers.names if name != first and sizes[name]]
    arrays = {TWO: _take(writers, [first, second], SIDE), FIVE: _take(writers, [first, *others], SIDE)}
    return _Data(
        source=writers.source,
        classes=writers.classes,
        sizes={name: sizes[name] for name in (first, second)},
        arrays={variant: arrays[variant] for variant in variants},
    )


def _check_images(data: _Data, variant: str) -> None:
    """Refuse agents of whom there is nothing to test on."""
    names = list(data.sizes)[: 1 if variant == FIVE else 2]
    empty = [name for name in names if not data.sizes[name]]
    if empty:
        raise fp.FederationError(f"writers must have images; {empty[0]} has none in {data.source}: name another")
    others = len(np.unique(data.arrays[variant]["writer"])) - 1
    if others < COMBINED[variant]:
        raise fp.FederationError(
            f"variants: {variant!r} takes at least {COMBINED[variant]} writers with images beside agent 1; "
            f"{data.source} has {others}; leave that variant out"
        )


def _draw(cell: Mapping[str, Any], arrays: Arrays, seed: int) -> Draw:
    writer = np.asarray(arrays["writer"])
    sources = [np.flatnonzero(writer == one) for one in range(writer.max() + 1)]
    rng = np.random.default_rng([seed, COMBINED[cell["variant"]]])
    return draw_samples(sources, COMBINED[cell["variant"]], cell["test_share"], rng)


def _count_images(settings: Settings, data: _Data, variant: str) -> tuple[Stock, Stock]:
    """Count what both agents have; five others are drawn anew for every seed, and those with fewest count.

    All that a draw holds for training can be taken, whatever the weights: a writer that is used up is passed over.
    """
    cell = {"variant": variant, "test_share": settings["test_share"]}
    draws = [_draw(cell, data.arrays[variant], seed) for seed in range(settings["seeds"])]
    seed = min(range(len(draws)), key=lambda one: len(draws[one].second))
    draw, (first, second) = draws[seed], data.sizes
    tested, *others = (len(test) for test in draw.tests)
    return (
        Stock(f"writer {first}", tested + len(draw.first), len(draw.first)),
        Stock(
            f"the group of five that seed {seed} draws" if variant == FIVE else f"writer {second}",
            sum(others) + len(draw.second),
            len(draw.second),
        ),
    )


def _cut(settings: Settings, data: _Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    share = read_chance(settings["test_share"], "test_share")
    settings = {**read_mixtures(settings), "test_share": share}
    for variant in data.arrays:
        _check_images(data, variant)
        check_sizes(settings, _count_images(settings, data, variant), "images")
    return cut_cells(settings, data.arrays, classes=data.classes, test_share=share)


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    import torch

    from reproduction.networks import small_cnn

    windows = small_cnn.cut_windows(np.asarray(arrays["images"], dtype=np.float32))
    labels = torch.from_numpy(np.asarray(arrays["labels"], dtype=np.int64))
    draws = [_draw(cell, arrays, seed) for seed in cell["seeds"]]
    return train_mixtures(cell, draws, small_cnn, windows, labels)


def _sum_up(settings: Settings, data: _Data, answers: Sequence[Sequence[Answer]]) -> Answer:
    return {"agents": list(data.sizes)} | sum_up_boxes(read_mixtures(settings)["lambdas"], answers[0])


COMPOSITION_FEMNIST = Experiment(
    name="composition-femnist",
    about="Models trained on mixtures of two writers' characters, tested on each: whose samples help whom.",
    prepare=_prepare,
    stages=(Stage(cut=_cut, compute=_compute, is_training=True),),
    sum_up=_sum_up,
    tabulate=tabulate_boxes,
    conclude=conclude_boxes,
    draw=draw_composition,
    reads_data=True,
    packages=("torch",),
)
