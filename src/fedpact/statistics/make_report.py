"""``report``: what a site sends about its points, from what every candidate predicts there.

That is all the paper's program needs of a site: on how many points any two candidates differ (Section 4.2, what
the program needs).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.label_codes import Label, insist_on_one_kind
from fedpact.describe.label_matrix import LabelMatrix, read_labels
from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.describe.progress import Progress
from fedpact.describe.reports import Report, hide_counts
from fedpact.errors import FederationError
from fedpact.statistics.count_disagreements import DisagreementCounter

# Points that are read at once, and counted between two calls of the progress function.
_STEP = 65_536


def _read_blocks(predictions: Any) -> Iterator[LabelMatrix]:
    """Labels of some points at a time; what is not an iterator is an array, which may be on disk."""
    first: tuple[Label, ...] = ()
    for place, block in enumerate(predictions if isinstance(predictions, Iterator) else _slice(predictions), 1):
        labels = read_labels(block, "predictions")
        own = labels.classes or (0,)
        first = first or own
        insist_on_one_kind({"those of block 1": first, f"those of block {place}": own}, "predictions")
        yield labels


def _slice(predictions: Any) -> Iterator[Any]:
    if getattr(predictions, "ndim", 0) != 2 or predictions.shape[1] <= _STEP:
        yield predictions
        return
    for start in range(0, predictions.shape[1], _STEP):
        yield predictions[:, start : start + _STEP]


def _count_classes(seen: set[Label], declared: int | None) -> int:
    if declared is None:
        return len(seen)
    known = read_whole_number(declared, "n_classes", least=1)
    if known < len(seen):
        raise FederationError(f"n_classes must be at least the {len(seen)} labels that occur; it is {known}")
    return known


def _read_candidates(given: CandidateList | Iterable[str] | None) -> CandidateList | None:
    if given is None or isinstance(given, CandidateList):
        return given
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise FederationError(f"candidates must be a list of names; it is {shorten(given)}")
    return CandidateList.from_names(given)


def hide_small_counts(site: Report, minimum_count: int) -> Report:
    """Return the report with counts below ``minimum_count``, or of less than that below n, not told apart.

    What is hidden already stays hidden. Noise, if any, comes first (:func:`fedpact.sites.add_noise`).

    Examples
    --------
    >>> site = Report(name="alice", n=50, n_classes=2, counts=np.array([3, 7, 10]))
    >>> hide_small_counts(site, 5).counts.tolist()
    [0, 7, 10]
    """
    least = max(site.minimum_count, read_whole_number(minimum_count, "minimum_count"))
    return replace(site, counts=hide_counts(site.counts, site.n, least), minimum_count=least)


def report(
    predictions: Any,
    *,
    name: str,
    candidates: CandidateList | Iterable[str] | None = None,
    n_classes: int | None = None,
    weights: Any = None,
    minimum_count: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Count on how many of a site's points any two candidates disagree.

    Parameters
    ----------
    predictions
        (H, n) label that every candidate predicts at every point, all whole numbers or all strings; what
        :func:`fedpact.sites.predict` returns; or an iterator over such arrays of some points each, for more
        points than fit into memory (a memory-mapped array is read in parts anyway).
    name
        The site.
    candidates
        Their names, or names with digests, so that reports on other candidates are refused.
    n_classes
        Number of labels that can occur; without it, of those that do, which tells something of the data.
    weights
        How many data rows each point stands for, (n,) whole numbers.
    minimum_count
        Counts below this are sent as 0, and those of less than this below n as n.
    progress
        Called with points counted and points in all, 0 if that is not known.

    Examples
    --------
    >>> site = report([[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 0]], name="alice")
    >>> site.n, site.n_classes, site.counts.tolist()
    (4, 2, [1, 3, 2])
    """
    if isinstance(predictions, Predicted):
        candidates = predictions.candidates if candidates is None else candidates
        n_classes = len(predictions.classes) if n_classes is None else n_classes
        predictions = predictions.labels
    total = getattr(predictions, "shape", (0, 0))[-1]
    counter: DisagreementCounter | None = None
    seen: set[Label] = set()
    done, own = 0, None if weights is None else np.atleast_1d(weights)
    for labels in _read_blocks(predictions):
        counter = counter or DisagreementCounter(len(labels.codes))
        stop = done + labels.codes.shape[1]
        counter.add(labels.codes, None if own is None else own[done:stop])
        seen.update(labels.occurring)
        done = stop
        if progress is not None:
            progress(done, total)
    if counter is None:
        raise FederationError("predictions must have at least one point; there is none")
    if own is not None and len(own) != done:
        raise FederationError(f"weights must be one for each of the {done} points; they are {len(own)}")
    made = Report(
        name=name,
        n=counter.n,
        n_classes=_count_classes(seen, n_classes),
        counts=counter.counts,
        candidates=_read_candidates(candidates),
    )
    return hide_small_counts(made, minimum_count) if minimum_count else made
