"""What every candidate predicts at every point of one site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.label_codes import Label, read_classes, smallest_type
from fedpact.errors import FederationError
from fedpact.result import Shown
from fedpact.rows import Column


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predicted(Shown):
    """Predictions of H candidates at n points.

    Examples
    --------
    >>> found = Predicted(
    ...     labels=np.array([[0, 1, 1], [0, 0, 1]]),
    ...     candidates=CandidateList.from_names(["forest", "stump"]),
    ...     classes=("healthy", "ill"),
    ... )
    >>> found.H, found.n, found.decode()[1].tolist()
    (2, 3, ['healthy', 'healthy', 'ill'])

    The codes are what a federation is made of:

    >>> from fedpact.describe.federation import Federation
    >>> Federation.from_predictions({"clinic": found}, cost=1, epsilon=0.1, delta=0.05).k
    1
    """

    DERIVED: ClassVar = ("H", "n")

    labels: NDArray[np.integer]
    """(H, n) code of the class that candidate h predicts at point x; of the smallest type, read-only."""
    candidates: CandidateList
    """Names and digests of the candidates, in the order of the rows."""
    classes: tuple[Label, ...]
    """What each code stands for."""

    def __post_init__(self) -> None:
        labels, classes = np.asarray(self.labels), read_classes(self.classes)
        if labels.ndim != 2 or labels.dtype.kind not in "iu" or not labels.size:
            raise FederationError(
                "labels must be whole numbers, one row per candidate, one column per point, at least one each; "
                f"they are {labels.dtype} of shape {labels.shape}"
            )
        if len(labels) != self.candidates.H:
            raise FederationError(
                f"labels must have one row per candidate; {len(labels)} rows for {self.candidates.H} candidates"
            )
        if labels.min() < 0 or labels.max() >= len(classes):
            raise FederationError(
                f"labels must be codes from 0 to {len(classes) - 1}, one for each class; "
                f"they reach from {labels.min()} to {labels.max()}"
            )
        codes = labels.astype(smallest_type(len(classes)), order="C")
        codes.flags.writeable = False
        object.__setattr__(self, "labels", codes)
        object.__setattr__(self, "classes", classes)

    @property
    def H(self) -> int:
        """Number of candidates."""
        return len(self.labels)

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.labels.shape[1])

    def own_columns(self) -> list[Column]:
        """List at which share of the points each candidate predicts each class."""
        shares = [tuple((self.labels == code).mean(axis=1).tolist()) for code in range(len(self.classes))]
        return [
            Column("candidate", str, self.candidates.names),
            *(Column(str(label), float, share) for label, share in zip(self.classes, shares, strict=True)),
        ]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.labels, dtype=dtype, copy=copy)

    def decode(self) -> NDArray[Any]:
        """(H, n) labels by the names of their classes."""
        return np.asarray(np.array(self.classes)[self.labels])
