"""A fitted scikit-learn estimator, or anything else with ``predict(points)``, as a candidate."""

from __future__ import annotations

from typing import Any

from fedpact.candidates.batches import Prepared, first_line
from fedpact.candidates.model_digest import digest_model
from fedpact.errors import FederationError


def prepare_estimator(name: str, estimator: Any) -> Prepared:
    """Ask ``estimator.predict``; what it refuses is said with its name."""

    def ask(points: Any) -> Any:
        try:
            return estimator.predict(points)
        except (AttributeError, TypeError, ValueError) as error:  # NotFittedError is a ValueError
            raise FederationError(
                f"candidate {name!r} cannot predict these points; {type(estimator).__name__}.predict says: "
                f"{first_line(error)}"
            ) from error

    return Prepared(digest_model(name, estimator), ask)
