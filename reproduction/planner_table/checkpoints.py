"""Checkpoints of small networks on handwriting: what a finite class is sampled from.

Networks of two convolutional blocks and a linear layer are trained on images of public writers, several at once,
and after every epoch each predicts the images of the sites' writers, who are nobody of the public. The prediction
of a checkpoint is kept as a text, one character per image.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.data.femnist_images import resize
from reproduction.data.writers import Writers
from reproduction.experiment import Answer, Arrays, Settings, Task
from reproduction.values import read_positive, read_whole_number

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SiteImages:
    """Images to train on, and those of the sites."""

    source: str
    names: tuple[str, ...]
    """Writers that are sites, the largest first."""
    sizes: tuple[int, ...]
    arrays: Arrays
    """"images" and "labels" to train on, and "sites", the sites' images, one writer after the other."""
    site_labels: NDArray[np.int64]
    classes: int


def choose_sites(writers: Writers, settings: Settings, count: int, key: str) -> SiteImages:
    """Make so many of the largest writers sites, as parameter ``key`` asks, and draw public images from others."""
    from reproduction.networks.small_cnn import SIDE

    if len(writers.names) <= count:
        raise fp.FederationError(
            f"{key}: {count} sites leave nobody public; {writers.source} has {len(writers.names)} writers"
        )
    names = list(writers.sizes)[:count]
    places = [writers.places(name) for name in names]
    private = np.concatenate(places)
    public = np.setdiff1d(np.arange(len(writers.labels)), private)
    wanted = read_whole_number(settings["public_images"], "public_images", least=1)
    if wanted > len(public):
        raise fp.FederationError(
            f"public_images = {wanted} is more than the {len(public)} images of public writers"
        )
    public = np.random.default_rng(0).permutation(public)[:wanted]
    return SiteImages(
        source=writers.source,
        names=tuple(names),
        sizes=tuple(map(len, places)),
        site_labels=writers.labels[private],
        classes=writers.classes,
        arrays={
            "images": resize(writers.images[public], SIDE),
            "labels": writers.labels[public],
            "sites": resize(writers.images[private], SIDE),
        },
    )


def cut_training(settings: Settings, data: SiteImages, most: int) -> list[Task]:
    """Train a few networks in every cell, so that they leave enough checkpoints for a class of ``most``."""
    networks, step, epochs, batch = (
        read_whole_number(settings[key], key, least=1)
        for key in ("networks", "networks_per_cell", "epochs", "batch")
    )
    rate = read_positive(settings["learning_rate"], "learning_rate")
    if networks * epochs < most:
        raise fp.FederationError(
            f"H = {most} is more than the {networks * epochs} checkpoints that {networks} networks leave "
            f"in {epochs} epochs; train more of them"
        )
    shared = {"epochs": epochs, "batch": batch, "learning_rate": rate, "classes": data.classes}
    return [
        Task({"networks": list(range(networks))[first : first + step]} | shared, data.arrays)
        for first in range(0, networks, step)
    ]


def train_networks(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Train networks and tell what every checkpoint predicts at the sites."""
    import torch

    from reproduction.networks.measure import predict
    from reproduction.networks.small_cnn import cut_windows, draw_parameters, score_many
    from reproduction.networks.train_many import one_thread, train_many

    seeds, n = cell["networks"], len(arrays["labels"])
    rngs = [np.random.default_rng([seed, 2]) for seed in seeds]
    orders = np.stack([[rng.permutation(n) for _ in range(cell["epochs"])] for rng in rngs])
    found: list[list[str]] = [[] for _ in seeds]
    with one_thread():
        parameters = draw_parameters(cell["classes"], [np.random.default_rng([seed, 1]) for seed in seeds])
        sites = cut_windows(np.asarray(arrays["sites"], dtype=np.float32))

        def keep(epoch: int) -> None:
            for own, labels in zip(found, predict(score_many, parameters, sites), strict=True):
                own.append("".join(ALPHABET[label] for label in labels))

        train_many(
            score_many,
            parameters,
            cut_windows(np.asarray(arrays["images"], dtype=np.float32)),
            torch.from_numpy(np.asarray(arrays["labels"], dtype=np.int64)),
            np.tile(np.arange(n), (len(seeds), 1)),
            orders,
            learning_rate=cell["learning_rate"],
            batch=cell["batch"],
            each_epoch=keep,
        )
    return {"predictions": found}


def read_checkpoints(answers: Sequence[Answer]) -> NDArray[np.uint8]:
    """(checkpoints, n) labels; checkpoints that predict alike everywhere count once."""
    texts = dict.fromkeys(text for answer in answers for network in answer["predictions"] for text in network)
    code = {character: place for place, character in enumerate(ALPHABET)}
    return np.array([[code[character] for character in text] for text in texts], dtype=np.uint8)
