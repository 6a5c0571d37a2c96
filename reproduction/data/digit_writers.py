"""Scikit-learn's handwritten digits, as eight writers with hands of their own would have drawn them.

1,797 images of 8 by 8 pixels are dealt to the writers, two of whom get most. A hand is a map of the plane (a
slant, a turn, a size) and a pen. It is applied to all that its writer has, on sheets of 12 by 12 pixels: the
same digits, drawn differently, so that what is learnt from one writer helps another less than itself. The set
stands in for FEMNIST where no file is at hand. It is a constant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.data.writers import Writers

SIDE = 12
_SCANNED = 8
_SEED = 8


class Hand(NamedTuple):
    """How a writer draws."""

    images: int
    slant: float
    """How far the top leans to the right, as a share of the height."""
    turn: float
    """Degrees, counter-clockwise."""
    size: float
    """Height on the sheet of 12 pixels, as a multiple of the scan's 8."""
    pen: float
    """1 leaves the ink as it is; less makes strokes fat, more makes them fine."""


HANDS = {
    "writer-1": Hand(350, slant=0.2, turn=-3, size=1.15, pen=0.8),
    "writer-2": Hand(300, slant=-0.15, turn=4, size=1.15, pen=1.3),
    "writer-3": Hand(260, slant=0.0, turn=15, size=1.1, pen=0.8),
    "writer-4": Hand(230, slant=0.2, turn=0, size=0.9, pen=1.0),
    "writer-5": Hand(200, slant=-0.2, turn=-12, size=1.2, pen=1.2),
    "writer-6": Hand(180, slant=0.1, turn=12, size=1.0, pen=0.7),
    "writer-7": Hand(150, slant=-0.1, turn=0, size=1.3, pen=1.0),
    "writer-8": Hand(127, slant=0.3, turn=5, size=1.1, pen=1.1),
}


def draw(scans: NDArray[np.float64], hand: Hand) -> NDArray[np.float32]:
    """(n, 12, 12) what a hand makes of (n, 8, 8) digits.

    Examples
    --------
    >>> square = np.zeros((1, 8, 8))
    >>> square[:, 2:6, 2:6] = 1
    >>> upright = Hand(1, slant=0.0, turn=0.0, size=1.0, pen=1.0)
    >>> float(draw(square, upright).sum()), bool(draw(square, upright._replace(size=1.3)).sum() > 20)
    (16.0, True)
    """
    from scipy import ndimage

    angle = np.deg2rad(hand.turn)
    # Places are (row, column), rows counted downwards; a place on the sheet is mapped back to one on the scan.
    lean = np.array([[1.0, 0.0], [-hand.slant, 1.0]])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    back = np.linalg.inv(hand.size * turn @ lean)
    offset = (_SCANNED - 1) / 2 - back @ np.full(2, (SIDE - 1) / 2)
    matrix, start = np.eye(3), np.zeros(3)
    matrix[1:, 1:], start[1:] = back, offset
    shape = (len(scans), SIDE, SIDE)
    drawn = ndimage.affine_transform(scans, matrix, start, output_shape=shape, order=1, mode="grid-constant")
    return (np.clip(drawn, 0, 1) ** hand.pen).astype(np.float32)


def load_digit_writers() -> Writers:
    """Deal the digits to eight writers and draw them in their hands.

    Examples
    --------
    >>> data = load_digit_writers()
    >>> data.images.shape, list(data.sizes.items())[:2]
    ((1797, 12, 12), [('writer-1', 350), ('writer-2', 300)])
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise fp.errors.MissingExtraError("the digits", extra="sklearn") from error
    digits = load_digits()
    dealt = np.random.default_rng(_SEED).permutation(len(digits.target))
    sizes = [hand.images for hand in HANDS.values()]
    shares = np.split(dealt, np.cumsum(sizes)[:-1])
    scans = digits.images / 16
    drawn = [draw(scans[own], hand) for own, hand in zip(shares, HANDS.values(), strict=True)]
    return Writers(
        name="digits",
        images=np.concatenate(drawn),
        labels=digits.target[dealt].astype(np.int64),
        writer=np.repeat(np.arange(len(sizes)), sizes),
        names=tuple(HANDS),
        classes=10,
        source="scikit-learn's digits, drawn in eight hands",
    )
