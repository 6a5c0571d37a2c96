"""How training goes on from the chosen candidate: a part of the pact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.errors import FederationError
from fedpact.training.trainable import read_batch, read_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingTerms:
    """How training goes on from the chosen candidate."""

    rounds: int = 20
    epochs: int = 1
    learning_rate: float = 0.1
    batch: int | None = None
    """Samples per step; None: all of a site's."""
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as a pact has them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> TrainingTerms:
        """Read what :meth:`to_dict` wrote."""
        return cls(**entry)


def read_training(terms: Any) -> TrainingTerms | None:
    """Check terms that were given; None is no training.

    Examples
    --------
    >>> read_training(TrainingTerms(rounds=0))
    Traceback (most recent call last):
    fedpact.errors.FederationError: rounds must be 1 or more; it is 0
    """
    if terms is None:
        return None
    if not isinstance(terms, TrainingTerms):
        raise FederationError(f"training must be TrainingTerms or None; it is {shorten(terms)}")
    return TrainingTerms(
        rounds=read_whole_number(terms.rounds, "rounds", least=1),
        epochs=read_whole_number(terms.epochs, "epochs", least=1),
        learning_rate=read_rate(terms.learning_rate),
        batch=read_batch(terms.batch),
        seed=read_whole_number(terms.seed, "seed"),
    )
