"""Each agent's own unlabelled points, and the finite restriction of a class to them.

On finitely many points an infinite class induces finitely many labelings. Hypotheses with the same labelling
have the same error on every agent's points and are consistent with the same samples of them, so the labelings
stand for the class without any loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.classes import ON_FEATURES, ON_LINE
from fedpact.describe.evidence import Predictions, read_predictions
from fedpact.describe.hypothesis_class import HypothesisClass
from fedpact.describe.names import nearest
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError, Problems

OF_POINTS = tuple(sorted([*ON_LINE, *ON_FEATURES]))


def read_points(points: Mapping[str, Any], problems: Problems) -> tuple[NDArray[np.float64], ...] | None:
    """Check one (n_i, d) array per agent; if one is wrong, ``problems`` says so and the answer is None."""
    arrays = [_read_array(array, f"agent {name!r}: points", problems) for name, array in points.items()]
    known = [array for array in arrays if array is not None]
    widths = {name: array.shape[1] for name, array in zip(points, arrays, strict=True) if array is not None}
    if len(set(widths.values())) > 1:
        problems.add(f"every agent's points must have the same features; their numbers differ: {shorten(widths)}")
        return None
    return tuple(known) if len(known) == len(arrays) else None


def _read_array(values: Any, field: str, problems: Problems) -> NDArray[np.float64] | None:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        problems.add(f"{field} must be numbers, the same count for every point; they are {shorten(values)}")
        return None
    if array.ndim not in (1, 2) or array.size == 0:
        problems.add(f"{field} must be a non-empty (n,) or (n, d) array; the shape is {array.shape}")
        return None
    if not np.isfinite(array).all():
        problems.add(f"{field} must be finite numbers; nan or infinity was given")
        return None
    return array.reshape(len(array), -1) + 0.0  # -0.0 is 0.0


def is_known_class(name: Any, known: Sequence[str], problems: Problems) -> bool:
    """Whether a class may be asked for; if not, ``problems`` says so."""
    if isinstance(name, str) and name in known:
        return True
    hint = nearest(name, known) if isinstance(name, str) else f"known: {', '.join(known)}"
    problems.add(f"hypotheses must name a class of points with features; it is {shorten(name)} ({hint})")
    return False


def _make_class(name: str, x: NDArray[np.float64], feature_names: Sequence[str] | None) -> HypothesisClass:
    if name in ON_FEATURES:
        return ON_FEATURES[name](x, names=feature_names)
    if feature_names is not None:
        raise FederationError(f"feature_names have no meaning for class {name!r}, which has one feature x")
    return ON_LINE[name](x)


def read_restriction(
    points: Mapping[str, Any], hypotheses: str, problems: Problems, *, feature_names: Sequence[str] | None = None
) -> Predictions | None:
    """Every labelling that a named class induces on all points; what is wrong goes to ``problems``."""
    arrays = read_points(points, problems)
    if not is_known_class(hypotheses, OF_POINTS, problems) or arrays is None:
        return None
    try:
        made = _make_class(hypotheses, np.concatenate(arrays), feature_names)
    except FederationError as error:
        problems.extend(error)
        return None
    ends = np.cumsum([len(array) for array in arrays])[:-1]
    own = dict(zip(points, np.split(made.labels, ends, axis=1), strict=True))
    return read_predictions(own, hypotheses=made.hypotheses, problems=problems)
