"""The points that can be asked, and what every candidate says of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Floats
from fedpact.describe.evidence import Predictions, Table
from fedpact.describe.federation import Federation
from fedpact.describe.label_codes import Label

MOST_CANDIDATES = 200
"""Where one truth is assumed, so many survivors are enough to choose a point by."""
MOST_POINTS = 2000
"""And so many points to choose from, at each site."""


def list_points(fed: Federation, *, has_twins: bool) -> tuple[list[NDArray[np.integer]], list[Floats]]:
    """List (H, n_i) what candidates say of each site's points, and (n_i,) how likely the site sees each.

    With ``has_twins`` candidates that nobody can tell apart are all there.
    """
    some = slice(None) if has_twins else fed.distinct
    match fed.evidence:
        case Table(labels=labels, distributions=mass):
            return [labels[some]] * fed.k, list(mass)
        case Predictions(predictions=predictions, sizes=sizes):
            return [own[some] for own in predictions], [np.full(n, 1 / n) for n in sizes]
        case _:
            raise AssertionError("reports hold no points")


def list_classes(fed: Federation) -> list[Label]:
    """List every label that some candidate predicts somewhere."""
    match fed.evidence:
        case Table(labels=labels, classes=classes):
            codes = [labels]
        case Predictions(predictions=predictions, classes=classes):
            codes = list(predictions)
        case _:
            return []
    found = np.unique(np.concatenate([np.unique(own) for own in codes])).tolist()
    return found if classes is None else [classes[code] for code in found]
