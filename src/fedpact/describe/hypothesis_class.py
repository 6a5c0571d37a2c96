"""A hypothesis class on finitely many points, and what every named class is read and checked with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError

MAX_HYPOTHESES = 16_384
OR_COVER = ", or plan for all of them with fedpact.plan_cover"
"""What to do about a class of which fedpact can build a cover."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HypothesisClass:
    """Labels (H, n) of every hypothesis at every point, with a name each."""

    labels: NDArray[np.integer]
    hypotheses: tuple[str, ...]
    name: str


def number_names(letter: str, count: int) -> tuple[str, ...]:
    """``x1, x2, ...``."""
    return tuple(f"{letter}{index}" for index in range(1, count + 1))


def keep_distinct(class_name: str, labels: ArrayLike, names: Iterable[str]) -> HypothesisClass:
    """Keep the first hypothesis of every labelling with 0 and 1."""
    given = np.ascontiguousarray(labels, dtype=np.int8)
    first: dict[bytes, int] = {}
    for index, row in enumerate(np.packbits(given, axis=1)):
        first.setdefault(row.tobytes(), index)
    keep = list(first.values())
    at_most(len(keep), class_name)
    kept = given if len(keep) == len(given) else given[keep]
    kept.flags.writeable = False
    given_names = list(names)
    listed = [given_names[index] for index in keep]
    times = Counter(listed)  # names repeat, as with the points 'a', 'b' and 'a+b'
    told_apart = tuple(f"{name} (h{at})" if times[name] > 1 else name for at, name in enumerate(listed, 1))
    return HypothesisClass(labels=kept, hypotheses=told_apart, name=class_name)


def show(value: float) -> str:
    """As short as possible, as long as needed to tell two values apart."""
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))


def read_features(features: Any, field: str) -> NDArray[np.float64]:
    """Read an (n, d) matrix; n numbers are one feature."""
    try:
        x = np.asarray(features, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise FederationError(
            f"{field} must be numbers, the same count for every point; they are {shorten(features)}"
        ) from None
    if x.ndim not in (1, 2) or x.size == 0:
        raise FederationError(f"{field} must be a non-empty (n,) or (n, d) array; the shape is {x.shape}")
    if not np.isfinite(x).all():
        raise FederationError(f"{field} must be finite numbers; nan or infinity was given")
    return x.reshape(len(x), -1) + 0.0  # -0.0 is 0.0


def read_line(values: ArrayLike, class_name: str) -> NDArray[np.float64]:
    """Read one number per point."""
    x = read_features(values, f"features of class {class_name!r}")
    if x.shape[1] != 1:
        raise FederationError(f"class {class_name!r} needs one number per point; the shape is {x.shape}")
    return x[:, 0]


def read_names(names: Any, count: int | None, field: str, letter: str = "") -> tuple[str, ...]:
    """Read so many different strings, or at least one; without any they are numbered behind the ``letter``."""
    if names is None and letter and count is not None:
        return number_names(letter, count)
    given = [] if isinstance(names, str | Mapping) or not isinstance(names, Iterable) else list(names)
    wanted = max(1, len(given)) if count is None else count
    if len(given) != wanted or not all(isinstance(name, str) for name in given) or len(set(given)) != wanted:
        raise FederationError(
            f"{field} must be {count or 'some'} different strings; they are {shorten(given or names)}"
        )
    return tuple(given)


def at_most(count: int, what: str, or_else: str = "", *, so_far: bool = False) -> None:
    """Refuse a class that is too large to enumerate; ``so_far`` says that there may be more than ``count``."""
    if count > MAX_HYPOTHESES:
        more = " or more" if so_far else ""
        raise FederationError(
            f"class {what} would have {count:,} hypotheses{more}; at most {MAX_HYPOTHESES:,} are enumerated "
            f"(use fewer points or features{or_else})"
        )
