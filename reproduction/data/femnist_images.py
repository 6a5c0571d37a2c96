"""Handwriting for an experiment: FEMNIST from a folder or the hub, or the embedded digits in a quick run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import zoom

import fedpact as fp
from reproduction.data.digit_writers import load_digit_writers
from reproduction.data.femnist import load_femnist
from reproduction.data.writers import Writers
from reproduction.experiment import Settings
from reproduction.read_settings import LEAVES_OUT


def load_writers(data: str | None, settings: Settings) -> Writers:
    """Load FEMNIST from where the data are; without them a quick run takes the embedded digits."""
    if data is not None:
        return load_femnist(data)
    if settings[LEAVES_OUT]:
        return load_digit_writers()
    raise fp.FederationError(
        'data must be a folder with FEMNIST (femnist_writers.npz, or LEAF\'s JSON files), or "hub" to fetch it; '
        "without data there is only --quick, on embedded digits"
    )


def resize(images: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    """(n, s, s) -> (n, side, side), by the means of blocks where they fit, else by interpolation.

    Examples
    --------
    >>> resize(np.ones((1, 28, 28), dtype=np.float32), 14).shape
    (1, 14, 14)
    """
    n, before = images.shape[:2]
    if before % side == 0:
        block = before // side
        blocks = images.reshape(n, side, block, side, block)
        return np.asarray(blocks.mean(axis=(2, 4)), dtype=np.float32)
    return np.asarray(zoom(images, (1, side / before, side / before), order=1), dtype=np.float32)
