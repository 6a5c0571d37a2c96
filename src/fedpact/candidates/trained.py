"""Candidates that were trained here, and what is needed to train the same ones elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.batches import BATCH, Prepared, ask_all
from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.label_codes import Label
from fedpact.describe.progress import Progress
from fedpact.errors import FederationError
from fedpact.result import Shown
from fedpact.rows import Column


class TrainingStatus(StrEnum):
    """How the training ended."""

    COMPLETE = "complete"
    """As many candidates as asked for, no two alike at the training points."""
    EXHAUSTED = "exhausted"
    """Fewer: these families give no others."""


def read_points(points: Any) -> NDArray[np.float64]:
    """Check points (n, d) that scikit-learn can learn from or predict: finite numbers."""
    try:
        array = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 2 or not array.size:
        raise FederationError(
            "points must be a matrix of numbers, one row per point, one column per feature, at least one each; "
            f"they are a {type(points).__name__} of shape {np.shape(array)}"
        )
    missing = np.argwhere(~np.isfinite(array))
    if len(missing):
        row, column = missing[0].tolist()
        raise FederationError(
            f"points must be finite numbers; feature {column + 1} of point {row + 1} is {array[row, column]}; "
            "fill in what is missing first, at every site in the same way"
        )
    return array


@dataclass(frozen=True, slots=True, eq=False)
class TrainedModel:
    """One trained candidate: it scales the features that it was trained on, then asks its estimator."""

    estimator: Any
    columns: NDArray[np.intp]
    """Features that it looks at."""
    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    """(d,) of all features at the training points."""
    classes: tuple[Label, ...]

    def predict(self, points: Any) -> NDArray[Any]:
        """Labels (n,) at points (n, d)."""
        array, d = read_points(points), len(self.center)
        if array.shape[1] != d:
            raise FederationError(
                f"points must have the {d} features of the training points; they have {array.shape[1]}"
            )
        codes = self.predict_codes((array - self.center) / self.scale)
        labels: NDArray[Any] = np.array(self.classes)[codes]
        return labels

    def predict_codes(self, scaled: NDArray[np.float64]) -> NDArray[np.integer]:
        """Places among the classes (n,) at points whose features are already scaled."""
        codes: NDArray[np.integer] = self.estimator.predict(scaled[:, self.columns])
        return codes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrainedCandidates(Shown):
    """A class of candidates; :func:`train` makes it, the same one wherever points, seed and versions are."""

    DERIVED: ClassVar = ("H",)

    models: Mapping[str, TrainedModel]
    """Name -> model, in order."""
    candidates: CandidateList
    """Names and digests; a digest is of what the candidate predicts at the training points."""
    classes: tuple[Label, ...]
    """Labels of the training points, in the order of their codes."""
    status: TrainingStatus
    tried: int
    """How many models were trained to find that many different ones."""
    seed: int
    families: tuple[str, ...]
    versions: Mapping[str, str]
    """Of the packages that decide what is learned."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", MappingProxyType(dict(self.models)))
        object.__setattr__(self, "versions", MappingProxyType(dict(self.versions)))

    @property
    def H(self) -> int:
        """Number of candidates."""
        return len(self.models)

    def own_columns(self) -> list[Column]:
        """List every candidate, with what it is and how many features it looks at."""
        models = self.models.values()
        return [
            Column("candidate", str, tuple(self.models)),
            Column("estimator", str, tuple(type(model.estimator).__name__ for model in models)),
            Column("features", int, tuple(len(model.columns) for model in models)),
            Column("digest", str, self.candidates.digests),
        ]

    def predict(self, points: Any, *, batch: int = BATCH, progress: Progress | None = None) -> Predicted:
        """Predict the points (n, d) of one site with every candidate."""
        digests = self.candidates.digests
        prepared = (
            (name, Prepared(digest, model.predict))
            for (name, model), digest in zip(self.models.items(), digests, strict=True)
        )
        checked = read_points(points)
        return ask_all(prepared, self.H, checked, classes=self.classes, batch=batch, progress=progress)
