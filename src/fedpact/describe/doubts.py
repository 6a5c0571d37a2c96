"""Predictions and labels that can be read and are probably not what was meant: one warning each, nothing refused.

- A column that differs at every point numbers them, more likely than that it is a candidate's prediction.
- Candidates are made to agree with one truth, and points are not. Where more rows than columns are given, some of
  them alike, and columns agree far more than rows do, rows are probably the points. (The labelings of a class may
  be more than the points too; they agree about as much.)
- Labels that differ in capitals or in spaces alone are probably one.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.label_codes import Label
from fedpact.describe.numbers import shorten

_IDS = re.compile(r"(.*[ _.-])?(id|ids|idx|index|key|no|nr|number|row)", re.IGNORECASE)
_FEW, _SOME = 3, 20
"""From how many points on a column is doubted: one that is called like numbers of points, and any."""
_MANY_CLASSES = 64
_MORE = 0.3
"""How much more often columns agree than rows, where rows are taken for points; restricted stumps reach 0.28."""


def _warn(said: str) -> None:
    warnings.warn(said, UserWarning, stacklevel=3)


def warn_of_ids(row: NDArray[np.integer], name: str, where: str) -> None:
    """Warn of a candidate (n,) that predicts another label at every point."""
    n = len(row)
    if n < (_FEW if _IDS.fullmatch(name) else _SOME) or int(row.max()) - int(row.min()) < n - 1:
        return
    if len(np.unique(row)) == n:
        _warn(
            f"{where}: {name!r} differs at every one of {n} points and is taken for a candidate; if it numbers "
            "the points, leave it out"
        )


def _agree(codes: NDArray[np.integer], classes: NDArray[np.integer]) -> float:
    """How often two different rows agree at a column."""
    count = len(codes)
    agreed = float(sum(((codes == label).mean(axis=0) ** 2).mean() for label in classes))
    return (count * agreed - 1) / (count - 1)


def warn_of_orientation(labels: NDArray[np.integer], where: str) -> None:
    """Warn of labels (H, n) whose rows are probably the points."""
    H, n = labels.shape
    if H < _SOME or not 1 < n < H or len(classes := np.unique(labels)) > _MANY_CLASSES:
        return
    if _agree(labels.T, classes) < _agree(labels, classes) + _MORE or len(np.unique(labels, axis=0)) > 0.9 * H:
        return
    _warn(
        f"{where}: {H} rows are taken for candidates and {n} columns for points, though columns agree more than "
        "rows do; if it is the other way round, transpose them"
    )


def _spell(label: Label) -> Label:
    return " ".join(label.split()).casefold() if isinstance(label, str) else label


def warn_of_spellings(classes: Iterable[Label], where: str, known: Iterable[Collection[Label]] = ()) -> None:
    """Warn of labels that differ in capitals or spaces alone, unless both stand in one of ``known``."""
    by_spelling = sorted((str(_spell(label)), str(label)) for label in classes if isinstance(label, str))
    for (one, first), (other, second) in pairwise(by_spelling):
        if one == other and not any(first in listed and second in listed for listed in known):
            _warn(
                f"{where}: {shorten(first)} and {shorten(second)} are taken for two labels; if they are one, "
                "spell them alike, else list both in classes"
            )
            return


def warn_of_strange(labels: Iterable[Label], classes: Collection[Label], where: str) -> None:
    """Warn of a label that no candidate predicts, though all but its capitals and spaces is predicted."""
    spelt = {_spell(label): label for label in classes}
    for label in labels:
        if label not in classes and _spell(label) in spelt:
            _warn(
                f"{where}: nobody predicts {shorten(label)}, and {shorten(spelt[_spell(label)])} is predicted; if "
                "they are one, spell them alike"
            )
            return
