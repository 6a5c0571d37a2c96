"""One candidate at a time, one batch of points at a time.

A candidate comes prepared: with its digest, and a function from a batch of points to labels or scores. What comes
back is checked here, the same for every kind of model, and kept as codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.label_codes import Coded, Label, code_labels, code_places, join, read_array
from fedpact.errors import FederationError

BATCH = 1024
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Prepared:
    """A candidate that can be asked."""

    digest: str
    ask: Callable[[Any], Any]
    """What it says of a batch of points."""
    may_score: bool = False
    """Whether floating-point numbers are scores: one per point and class, or one per point for two classes."""


def first_line(error: Exception) -> str:
    """Cut what another library says of a failure to a line."""
    lines = str(error).strip().splitlines()
    return lines[0][:_LONGEST] if lines else type(error).__name__


def name_refusals(
    name: str, who: str, ask: Callable[[Any], Any], errors: tuple[type[Exception], ...]
) -> Callable[[Any], Any]:
    """Ask another library's model; what that refuses is said with the candidate's name."""

    def ask_named(points: Any) -> Any:
        try:
            return ask(points)
        except errors as error:
            raise FederationError(
                f"candidate {name!r} cannot predict these points; {who} says: {first_line(error)}"
            ) from error

    return ask_named


def count_points(points: Any) -> int:
    """Count the points of an array, a table, a tensor or a list."""
    try:
        n = int(points.shape[0]) if hasattr(points, "shape") else len(points[:])
    except (TypeError, LookupError):
        raise FederationError(
            f"points must be an array, a table or a list, one row per point; they are a {type(points).__name__}"
        ) from None
    if n == 0:
        raise FederationError("points must be at least one; there is none, and nothing to predict")
    return n


def _ask(candidate: Prepared, points: Any, n: int, batch: int, what: str) -> Iterator[tuple[int, NDArray[Any]]]:
    for first in range(0, n, batch):
        stop = min(first + batch, n)
        some = points.iloc[first:stop] if hasattr(points, "iloc") else points[first:stop]
        answer = read_array(candidate.ask(some), what)
        size = answer.shape[:1]
        if size != (stop - first,):
            got = f"{size[0]} predictions" if size else "a single value"
            raise FederationError(
                f"{what} must give one prediction per point; it gave {got} for the {stop - first} points "
                f"from point {first + 1} on"
            )
        yield first, answer


def _read_scores(scores: NDArray[Any], what: str, first: int) -> tuple[int, NDArray[Any]]:
    """Count the scores of each point, and keep the place of the largest, or the only one."""
    columns = scores[:, None] if scores.ndim == 1 else scores
    if columns.ndim != 2 or not columns.shape[1]:
        raise FederationError(
            f"{what} must give one score per point and class; it gave {columns.dtype} of shape {columns.shape}"
        )
    finite = np.isfinite(columns).all(axis=1)
    if not finite.all():
        raise FederationError(
            f"{what} must give finite scores; at point {first + 1 + int(np.flatnonzero(~finite)[0])} one is not"
        )
    width = columns.shape[1]
    return width, columns[:, 0] if width == 1 else columns.argmax(axis=1)


def _decide(
    scored: Sequence[tuple[int, NDArray[Any]]],
    classes: tuple[Label, ...] | None,
    threshold: float | None,
    what: str,
) -> Coded:
    """Labels from what is kept of the scores of each batch: how many there are, and the best or only one."""
    widths = {width for width, _ in scored}
    if len(widths) > 1:
        raise FederationError(f"{what} must score the same classes in every batch; it scored {sorted(widths)}")
    (width,) = widths
    places = np.concatenate([kept for _, kept in scored])
    if width > 1:
        return code_places(places, width, classes, what)
    if threshold is None and places.min() >= 0 and places.max() <= 1:
        raise FederationError(
            f"{what} gives one score per point, all between 0 and 1: probabilities or logits? "
            "say threshold=0.5 for probabilities, threshold=0 for logits"
        )
    return code_places(places > (threshold or 0.0), 2, classes, what)


def ask_one(
    name: str,
    candidate: Prepared,
    points: Any,
    *,
    batch: int,
    classes: tuple[Label, ...] | None,
    threshold: float | None,
    tell: Callable[[int], None],
) -> Coded:
    """Predict all points with one candidate; ``tell`` is told how many it has predicted."""
    n, what = count_points(points), f"candidate {name!r}"
    labels: list[Coded] = []
    scored: list[tuple[int, NDArray[Any]]] = []
    for first, answer in _ask(candidate, points, n, batch, what):
        if candidate.may_score and answer.dtype.kind == "f":
            scored.append(_read_scores(answer, what, first))
        else:
            labels.append(code_labels(answer, what, first=first + 1))
        tell(min(first + batch, n))
    return join(labels) if labels else _decide(scored, classes, threshold, what)
