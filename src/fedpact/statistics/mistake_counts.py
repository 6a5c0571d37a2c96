"""How often candidates are wrong on labelled samples: counted from predictions and labels, or given as counts.

In the protocol a site sends neither samples nor labels but how many mistakes each candidate makes on them, and
for a test of the candidates that is enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Ints
from fedpact.describe.label_codes import code_labels, insist_on_one_kind
from fedpact.describe.label_matrix import LabelMatrix, find_codes, read_sampled_labels
from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.describe.read_evidence import read_alike
from fedpact.errors import FederationError

MOST = 2**40
"""Samples of a site: more than anybody labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeCounts:
    """What a run keeps of the labels: how often each candidate was wrong, and what the sites asked for."""

    candidates: tuple[str, ...]
    mistakes: dict[str, tuple[int, ...]]
    """Site -> mistakes of every candidate on its samples."""
    samples: dict[str, int]
    epsilon: dict[str, float]
    """The error that each site tolerates."""
    chosen: str | None
    """The candidate that was chosen."""

    @property
    def contributions(self) -> dict[str, tuple[tuple[int, ...], int]]:
        """Mistakes and number of samples of every site, as :func:`fedpact.realizability` takes them."""
        return {site: (self.mistakes[site], m) for site, m in self.samples.items()}


class HasCounts:
    """Something that keeps mistake counts, as what came of a run does."""

    __slots__ = ()
    counts: MistakeCounts | None


def read_mistakes(mistakes: Any, m: int) -> Ints:
    """(H,) how many of the m samples each hypothesis labels wrongly."""
    try:
        given = np.asarray(mistakes)
    except ValueError:
        given = np.empty((0, 0))
    if given.ndim != 1 or given.dtype.kind not in "iuf":
        raise FederationError(f"mistakes must be one whole number per hypothesis; they are {shorten(mistakes)}")
    wrong = np.flatnonzero(~((given >= 0) & (given <= m) & (given == np.floor(given))))
    if len(wrong):
        raise FederationError(
            f"mistakes must be whole numbers between 0 and m = {m}; hypothesis {wrong[0] + 1} has "
            f"{given[wrong[0]]:g}"
        )
    return given.astype(np.int64)


def _read_truth(labels: Any, predictions: LabelMatrix, site: str) -> NDArray[np.integer]:
    """Labels (m,) coded as the predictions are, -1 for one that is none of their classes."""
    coded, m, classes = code_labels(labels, site), predictions.codes.shape[1], predictions.classes
    if len(coded.codes) != m:
        raise FederationError(
            f"{site}: labels must be one for each of the {m} samples, the columns of "
            f"predictions; there are {len(coded.codes)}"
        )
    kinds = {"labels": coded.values, "predictions": classes or (0,)[:m]}
    insist_on_one_kind(kinds, f"{site}: labels and predictions")
    return find_codes(coded, classes)


def _take_counts(mistakes: Any, m: Any, site: str) -> tuple[Ints, int]:
    size = read_whole_number(m, f"{site}: m", most=MOST)
    try:
        read = read_mistakes(mistakes, size)
    except FederationError as error:
        raise FederationError(f"{site}: {error}") from None
    if not len(read):
        raise FederationError(f"{site}: mistakes must be of at least one hypothesis; there are none")
    return read, size


def _count_mistakes(contribution: Any, site: str) -> tuple[Ints, int]:
    """(H,) mistakes of every candidate, and the number of samples."""
    if not isinstance(contribution, Sequence) or isinstance(contribution, str) or len(contribution) != 2:
        raise FederationError(
            f"{site}: a contribution must be a pair, (predictions, labels) or (mistakes, m); it is "
            f"{shorten(contribution)}"
        )
    if isinstance(contribution[1], Real):
        return _take_counts(contribution[0], contribution[1], site)
    predictions = read_sampled_labels(contribution[0], f"{site}: predictions")
    labels = _read_truth(contribution[1], predictions, site)
    return np.asarray((predictions.codes != labels).sum(axis=1), dtype=np.int64), len(labels)


def read_contributions(contributions: Any) -> dict[str, tuple[Ints, int]]:
    """Mistakes (H,) of every candidate at each site, and the number of its samples."""
    if not isinstance(contributions, Mapping) or not contributions:
        raise FederationError(
            'contributions must map at least one site to its labelled samples, as in {"alice": (predictions, '
            f"labels)}}, or be what came of a run; they are {shorten(contributions)}"
        )
    given = {str(name): one for name, one in contributions.items()}
    rule = "every site must predict with the same hypotheses; the numbers of rows"
    read = read_alike(given.items(), "site {!r}", _count_mistakes, lambda site: len(site[0]), rule)
    return dict(zip(given, read, strict=True))
