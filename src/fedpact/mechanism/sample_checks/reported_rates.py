"""The border of the checks on contributions: what was reported, what was contributed, how sure to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.condensed import to_condensed
from fedpact.describe.label_matrix import read_sampled_labels
from fedpact.describe.numbers import read_in, shorten
from fedpact.describe.read_evidence import read_hypothesis_names
from fedpact.describe.reports import Report
from fedpact.describe.ties import TIE
from fedpact.errors import FederationError

LEVEL = 0.01
"""Chance with which an honest site may be flagged, where no other is given."""
POWER = 0.8
"""Chance with which a lie is to be caught, where no other is given."""


def read_reported(report: Any) -> NDArray[np.float64]:
    """(H(H-1)/2,) rates of a :class:`fedpact.Report`, or of an (H, H) array, in the order of ``pdist``.

    Examples
    --------
    >>> read_reported([[0, 0.2, 0.5], [0.2, 0, 0.3], [0.5, 0.3, 0]])
    array([0.2, 0.5, 0.3])
    """
    if isinstance(report, Report):
        return report.counts / report.n
    try:
        rates = np.asarray(report, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        rates = np.empty(0)
    if rates.ndim != 2 or rates.shape[0] != rates.shape[1] or rates.size == 0:
        raise FederationError(
            "report must be a fedpact Report or an (H, H) array of rates such as "
            f"fp.planning.disagreement(fed)[0]; it is {shorten(report)}"
        )
    _check_rates(rates)
    return np.clip(to_condensed(rates), 0.0, 1.0)


def _check_rates(rates: NDArray[np.float64]) -> None:
    outside = rates[~((rates >= -TIE) & (rates <= 1 + TIE))]
    if len(outside):
        raise FederationError(f"report: rates must lie between 0 and 1; one is {outside[0]:g}")
    if np.diagonal(rates).any():
        worst = float(np.abs(np.diagonal(rates)).max())
        raise FederationError(
            f"report: a hypothesis never differs from itself, so the diagonal must be 0; it holds {worst:g}"
        )
    if np.abs(rates - rates.T).max() > TIE:
        h, g = np.unravel_index(np.abs(rates - rates.T).argmax(), rates.shape)
        raise FederationError(
            f"report: rates must be symmetric; those of hypotheses {h + 1} and {g + 1} are "
            f"{rates[h, g]:g} and {rates[g, h]:g}"
        )


def read_samples(predictions: Any, report: Any, H: int) -> NDArray[np.integer]:
    """Read what each of the H hypotheses predicts on the contributed samples, of which there may be none."""
    samples = read_sampled_labels(predictions, "predictions").codes
    if len(samples) != H:
        raise FederationError(
            f"predictions must have one row for each of the {H} hypotheses of the report; they have {len(samples)}"
        )
    seen = len(np.unique(samples))
    if isinstance(report, Report) and seen > report.n_classes:
        raise FederationError(
            f"predictions must hold at most the n_classes = {report.n_classes} different labels of report "
            f"{report.name!r}; they hold {seen}; let the site report again with n_classes={seen} or more"
        )
    return samples


def read_names(hypotheses: Sequence[str] | None, report: Any, H: int) -> tuple[str, ...]:
    """Names of the hypotheses: those of the report, from which given ones must not differ, or h1, h2, ..."""
    listed = report.candidates if isinstance(report, Report) else None
    names = read_hypothesis_names(listed.names if hypotheses is None and listed else hypotheses, H)
    if listed is not None:
        difference = CandidateList.from_names(listed.names).difference(CandidateList.from_names(names))
        if difference is not None:
            raise FederationError(
                f"hypotheses must be the candidates of report {report.name!r}, in its order; {difference}"
            )
    return names


def read_tolerance(value: Any) -> float:
    """Read by how much an honest site's rates may differ from what it reported."""
    return read_in("[]", 0, 1, value, "tolerance")
