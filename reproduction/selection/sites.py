"""The hospitals and writers of the experiment, and the candidates that are trained for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.candidate_families import FAMILIES, PLAIN
from reproduction.data.femnist_images import load_writers, resize
from reproduction.data.private_points import FILE as HOSPITALS_FILE
from reproduction.data.private_points import Labelled as SitePoints
from reproduction.data.private_points import SiteData, load_digit_sites, load_hospitals
from reproduction.data.public_predictions import FOLDER, Collection, Labelled, load_collection
from reproduction.data.writers import Writers
from reproduction.experiment import Answer, Arrays, Settings, Task
from reproduction.private_sites import DIGITS_SOURCE, HOSPITALS_SOURCE, pack_sites, unpack_sites
from reproduction.read_settings import LEAVES_OUT
from reproduction.selection.parameters import ARIZONA, HOSPITALS, WRITERS, read_parameters
from reproduction.train_candidates import predict, train


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Data:
    """All that is read."""

    source: str
    collections: dict[str, Collection]
    has_stand_in: bool
    """Whether the first class that is trained stands in for collections."""
    patients: dict[str, list[SiteData]]
    """Hospitals and writers, as far as they are asked for: one draw of who is public per seed."""


def _make_writers(writers: Writers, asked: Mapping[str, Any], seed: int) -> SiteData:
    """Take the largest writers for sites, and draw public images of the others."""
    names = list(writers.sizes)[: asked["writers"]]
    if len(names) == len(writers.names):
        raise fp.FederationError(
            f"writers: {asked['writers']} sites leave nobody public; {writers.source} has {len(writers.names)}"
        )
    images = resize(writers.images, asked["side"]).reshape(len(writers.labels), -1).astype(np.float64)
    places = {name: writers.places(name) for name in names}
    others = np.setdiff1d(np.arange(len(images)), np.concatenate(list(places.values())))
    if asked["public_images"] > len(others):
        raise fp.FederationError(
            f"public_images = {asked['public_images']} is more than the {len(others)} images of public writers"
        )
    public = np.random.default_rng(seed).permutation(others)[: asked["public_images"]]
    return SiteData(
        name=WRITERS,
        public=SitePoints(images[public], writers.labels[public]),
        private={name: SitePoints(images[own], writers.labels[own]) for name, own in places.items()},
    )


def _load_patients(settings: Settings, data: str | None) -> list[SiteData]:
    rngs = [np.random.default_rng(seed) for seed in range(settings["seeds"])]
    return [load_digit_sites(rng) if data is None else load_hospitals(data, rng) for rng in rngs]


def prepare(settings: Settings, data: str | None) -> Data:
    """Check the parameters and load what is asked for."""
    asked = read_parameters(settings)
    if data is None and not settings[LEAVES_OUT] and (asked.collections or set(asked.federations) - {ARIZONA}):
        raise fp.FederationError(
            f"data must be a folder that holds {FOLDER}/*.npz, {HOSPITALS_FILE} and FEMNIST; without data there "
            "is only --quick, on digits"
        )
    collections: dict[str, Collection] = {}
    patients, sources = {}, []
    if data is not None and asked.collections:
        collections = {name: load_collection(data, name) for name in asked.collections}
        sources.append(f"public predictions ({', '.join(collections)})")
    if HOSPITALS in asked.federations:
        patients[HOSPITALS] = _load_patients(settings, data)
        sources.append(DIGITS_SOURCE if data is None else HOSPITALS_SOURCE)
    if WRITERS in asked.federations:
        writers = load_writers(data, settings)
        patients[WRITERS] = [_make_writers(writers, asked.training, seed) for seed in range(settings["seeds"])]
        sources.append(writers.source)
    return Data(
        source="; ".join(sources) or "none",
        collections=collections,
        has_stand_in=data is None and bool(asked.collections),
        patients=patients,
    )


def cut_training(settings: Settings, data: Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """Train a class in every cell."""
    asked = read_parameters(settings)
    return [
        Task(
            {
                "H": asked.training["H"],
                "federation": name,
                "name": drawn.name,
                "sites": list(drawn.private),
                "seed": seed,
            },
            pack_sites(drawn),
        )
        for name, draws in data.patients.items()
        for seed, drawn in enumerate(draws)
    ]


def train_class(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Train candidates from the public points; gives what they say of every site's own."""
    drawn = unpack_sites(arrays, cell["sites"], cell["name"])
    families = PLAIN if cell["federation"] == WRITERS else FAMILIES
    trained = train(
        drawn.public.points, drawn.public.labels, count=cell["H"], seed=cell["seed"], families=families
    )
    said = {site: predict(trained, own.points).decode().astype(int) for site, own in drawn.private.items()}
    about = {key: cell[key] for key in ("federation", "name", "seed", "sites")}
    return about | {
        "candidates": len(trained),
        "said": [own.tolist() for own in said.values()],
        "labels": [own.labels.tolist() for own in drawn.private.values()],
    }


def read_class(trained: Answer) -> Collection:
    """Read what a class says, with the labels."""
    rows = zip(trained["sites"], trained["said"], trained["labels"], strict=True)
    return {site: Labelled(np.array(said), np.array(labels)) for site, said, labels in rows}


def pack_collection(collection: Collection) -> Arrays:
    """Name the arrays of every site."""
    return {
        f"{kind} {place}": values
        for place, own in enumerate(collection.values())
        for kind, values in own._asdict().items()
    }


def unpack_collection(arrays: Arrays, sites: Sequence[str]) -> Collection:
    """Put the arrays of every site together again.

    Examples
    --------
    >>> one = {"north": Labelled(np.array([[0, 1]]), np.array([0, 0]))}
    >>> unpack_collection(pack_collection(one), ["north"])["north"].said.tolist()
    [[0, 1]]
    """
    read = (
        Labelled(*(np.asarray(arrays[f"{kind} {place}"], dtype=np.int64) for kind in Labelled._fields))
        for place in range(len(sites))
    )
    return dict(zip(sites, read, strict=True))


def federate(collection: Collection, **terms: Any) -> fp.Federation:
    """Make a federation of what the candidates say, called c0, c1, ..."""
    H = len(next(iter(collection.values())).said)
    said = {site: own.said for site, own in collection.items()}
    return fp.Federation.from_predictions(said, hypotheses=[f"c{h}" for h in range(H)], **terms)


def row_of(name: str) -> int:
    """Find the row of a candidate.

    Examples
    --------
    >>> row_of("c12")
    12
    """
    return int(name[1:])
