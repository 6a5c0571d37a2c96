"""FEMNIST's images and labels, whatever file they come from: 28 by 28 pixels, ten digits and 52 letters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

import fedpact as fp
from reproduction.data.writers import Writers
from reproduction.values import shorten

SIDE = 28
PIXELS = SIDE * SIDE
CLASSES = 62


def read_labels(labels: ArrayLike, where: str) -> NDArray[np.int64]:
    """(n,) labels from 0 to 61: the digits, the capital letters, the small letters.

    Examples
    --------
    >>> read_labels([3, 61], "letters.json").tolist()
    [3, 61]
    >>> read_labels([3, 62], "letters.json")
    Traceback (most recent call last):
    fedpact.errors.FederationError: letters.json: labels must be whole numbers from 0 to 61; label 2 is 62
    """
    try:
        given = np.asarray(labels)
    except ValueError:
        given = np.array(0)
    if given.ndim != 1:
        raise fp.FederationError(f"{where}: labels must be one list of whole numbers from 0 to 61; they are not")
    if not len(given):
        return np.empty(0, dtype=np.int64)
    is_sound = np.isin(given, np.arange(CLASSES)) & (given.dtype.kind in "iu")
    if not is_sound.all():
        wrong = int(is_sound.argmin())
        said = f"label {wrong + 1} is {shorten(given.tolist()[wrong])}"
        raise fp.FederationError(f"{where}: labels must be whole numbers from 0 to 61; {said}")
    return given.astype(np.int64)


def make_femnist(
    ink: NDArray[np.float32],
    labels: NDArray[np.int64],
    writer: NDArray[np.int64],
    names: tuple[str, ...],
    source: str,
) -> Writers:
    """Put FEMNIST together from (n, 784) images in which 0 is paper and 1 is ink.

    Examples
    --------
    >>> ink = np.ones((1, PIXELS), dtype=np.float32)
    >>> make_femnist(ink, np.array([9]), np.array([0]), ("f0000_14",), "a black sheet").images.shape
    (1, 28, 28)
    """
    if not len(ink):
        raise fp.FederationError(f"{source} must hold one image or more; it holds none")
    return Writers(
        name="femnist",
        images=ink.reshape(-1, SIDE, SIDE),
        labels=labels,
        writer=writer,
        names=names,
        classes=CLASSES,
        source=source,
    )
