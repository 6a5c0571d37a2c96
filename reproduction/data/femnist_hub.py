"""FEMNIST from the hub of Hugging Face, through Flower's ``flwr-datasets``.

The hub's set has some 800,000 images; only those of its largest writers are decoded. What is paper there is
not said, so it is whatever there is more of. ``flwr-datasets`` keeps what it downloads, and tells its makers
that it is used unless ``FLWR_TELEMETRY_ENABLED`` is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.data.femnist_format import PIXELS, make_femnist, read_labels
from reproduction.data.writers import Writers

DATASET = "flwrlabs/femnist"
LARGEST = 100


def _download() -> Any:
    """Everything on the hub, in its order, images not decoded yet."""
    try:
        from flwr_datasets import FederatedDataset
        from flwr_datasets.partitioner import NaturalIdPartitioner
        from httpx import HTTPError
    except ImportError as error:
        raise fp.errors.MissingExtraError(f"{DATASET} from the hub", extra="hub") from error
    partitioner = NaturalIdPartitioner(partition_by="writer_id")
    try:
        data = FederatedDataset(dataset=DATASET, partitioners={"train": partitioner}, shuffle=False)
        return data.load_split("train")
    except (OSError, HTTPError, RuntimeError) as error:  # the last: a client that lost its connection
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise fp.FederationError(
            f"{DATASET} cannot be had from the hub, which needs a network ({why}); name a folder instead"
        ) from None


def _decode(image: Any) -> NDArray[np.uint8]:
    pixels = np.asarray(image.convert("L"), dtype=np.uint8).ravel()
    if len(pixels) != PIXELS:
        raise fp.FederationError(f"{DATASET}: an image must have {PIXELS} pixels; one has {len(pixels)}")
    return pixels


def gather_largest(split: Any, largest: int) -> Writers:
    """Decode the images of the writers with most of them, those of one size by name.

    Parameters
    ----------
    split
        The columns ``image``, ``writer_id`` and ``character``, and ``select(places)``.
    largest
        So many writers are kept.
    """
    ids, writer = np.unique(np.asarray(split["writer_id"][:]), return_inverse=True)
    kept = np.argsort(-np.bincount(writer), kind="stable")[:largest]
    is_kept = np.isin(writer, kept)
    chosen = split.select(np.flatnonzero(is_kept))
    ink = np.stack([_decode(image) for image in chosen["image"]]).astype(np.float32)
    ink /= 255
    rank = np.empty(len(ids), dtype=np.int64)
    rank[kept] = np.arange(len(kept))
    return make_femnist(
        1 - ink if ink.mean() > 0.5 else ink,
        read_labels(np.asarray(chosen["character"][:]), DATASET),
        rank[writer[is_kept]],
        tuple(ids[kept].tolist()),
        f"{DATASET}, its {len(kept)} largest writers",
    )


def read_hub() -> Writers:
    """Download FEMNIST, once, and read its largest writers."""
    return gather_largest(_download(), LARGEST)
