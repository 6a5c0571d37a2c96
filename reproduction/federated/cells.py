"""What is computed where: networks first, a few in every cell, then one federation and seed in every cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import fedpact as fp
from reproduction.data.femnist_images import load_writers
from reproduction.data.private_points import FILE as HOSPITALS_FILE
from reproduction.data.private_points import SiteData, load_digit_sites, load_hospitals
from reproduction.experiment import Answer, Arrays, Settings, Task
from reproduction.federated.parameters import HOSPITALS, WRITERS, read_parameters
from reproduction.planner_table.checkpoints import SiteImages, choose_sites, cut_training, read_checkpoints
from reproduction.planner_table.plans import sample_class
from reproduction.private_sites import DIGITS_SOURCE, HOSPITALS_SOURCE
from reproduction.read_settings import LEAVES_OUT


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Data:
    """Both federations, as far as they are asked for."""

    sources: dict[str, str]
    """Federation -> where its data come from."""
    titles: dict[str, str]
    """Federation -> what it is called: a quick run without data has digits in the place of hospitals."""
    images: SiteImages | None
    patients: tuple[SiteData, ...]
    """One draw of who is public per seed."""

    @property
    def source(self) -> str:
        """Where the data come from."""
        return "; ".join(self.sources.values())


def _load_patients(settings: Settings, data: str | None) -> tuple[str, tuple[SiteData, ...]]:
    rngs = [np.random.default_rng(seed) for seed in range(settings["seeds"])]
    if data is not None:
        return HOSPITALS_SOURCE, tuple(load_hospitals(data, rng) for rng in rngs)
    if settings[LEAVES_OUT]:
        return DIGITS_SOURCE, tuple(load_digit_sites(rng) for rng in rngs)
    raise fp.FederationError(
        f"data must be a folder that holds {HOSPITALS_FILE}; without data there is only --quick, on digits"
    )


def prepare(settings: Settings, data: str | None) -> Data:
    """Check the parameters and load what is asked for."""
    asked = read_parameters(settings)
    sources, titles = {}, {}
    images: SiteImages | None = None
    patients: tuple[SiteData, ...] = ()
    if WRITERS in asked:
        images = choose_sites(load_writers(data, settings), settings, settings["writers"], "writers")
        sources[WRITERS], titles[WRITERS] = images.source, WRITERS
    if HOSPITALS in asked:
        sources[HOSPITALS], patients = _load_patients(settings, data)
        titles[HOSPITALS] = patients[0].name
    return Data(sources=sources, titles=titles, images=images, patients=patients)


def cut_networks(settings: Settings, data: Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """Train a few networks in every cell, if writers are asked for."""
    if data.images is None:
        return []
    return cut_training(settings, data.images, read_parameters(settings)[WRITERS]["H"])


def _cut_writers(settings: Settings, images: SiteImages, trained: Sequence[Answer]) -> Iterator[Task]:
    about = read_parameters(settings)[WRITERS]
    shared = {"sites": list(images.names), "sizes": list(images.sizes)}
    predictions = read_checkpoints(trained)
    for seed in range(settings["seeds"]):
        arrays: Arrays = {"labels": images.site_labels, "predictions": sample_class(predictions, about["H"], seed)}
        yield Task(about | shared | {"seed": seed}, arrays)


def _cut_hospitals(settings: Settings, patients: Sequence[SiteData]) -> Iterator[Task]:
    about = read_parameters(settings)[HOSPITALS]
    for seed, drawn in enumerate(patients):
        points, labels = (np.concatenate(parts) for parts in zip(*drawn.private.values(), strict=True))
        arrays = {
            "public": drawn.public.points,
            "public_labels": drawn.public.labels,
            "points": points,
            "labels": labels,
        }
        shared = {"sites": list(drawn.sizes), "sizes": list(drawn.sizes.values())}
        yield Task(about | shared | {"seed": seed}, arrays)


def cut_runs(settings: Settings, data: Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """Compute a federation with one seed in every cell."""
    tasks: list[Task] = []
    if data.images is not None:
        tasks += _cut_writers(settings, data.images, earlier[0])
    return tasks + list(_cut_hospitals(settings, data.patients)) if data.patients else tasks
