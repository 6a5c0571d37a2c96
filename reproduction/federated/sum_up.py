"""The runs of all seeds, summed up by federation, way and site.

A share of draws and a failure probability agree if Wilson's interval about the share, at level 0.999, meets the
interval in which the probability is known to lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.experiment import Answer, Settings
from reproduction.federated.cells import Data
from reproduction.federated.parameters import read_parameters
from reproduction.federated.quotas import WAYS
from reproduction.tallies import wilson

_LEVEL = 0.999
_KEPT = ("epsilon", "delta", "method", "draws")

Run = Mapping[str, Any]


def agrees(share: float, draws: int, interval: Sequence[float]) -> bool:
    """Whether a share of draws may come from a probability in an interval.

    Examples
    --------
    >>> agrees(0.01, 1000, [0.009, 0.0091]), agrees(0.05, 1000, [0.009, 0.0091])
    (True, False)
    """
    low, high = wilson(round(share * draws), draws, _LEVEL)
    return low <= interval[1] and interval[0] <= high


def _gather(runs: Sequence[Run], way: str, key: str) -> NDArray[np.float64]:
    """(seeds, sites, ...) what the runs say of a way."""
    return np.array([run["ways"][way][key] for run in runs], dtype=np.float64)


def _spread(values: NDArray[np.float64]) -> dict[str, Any]:
    """Mean, least and most over seeds, which are the first axis."""
    return {
        "mean": values.mean(axis=0).tolist(),
        "low": values.min(axis=0).tolist(),
        "high": values.max(axis=0).tolist(),
    }


def _count_agreement(runs: Sequence[Run], way: str, draws: int) -> dict[str, int]:
    """Count the probabilities that are known, and those that agree with the draws."""
    pairs = [
        (share, interval)
        for run in runs
        for share, interval in zip(run["ways"][way]["missed"], run["ways"][way]["failure"], strict=True)
        if interval is not None
    ]
    return {"known": len(pairs), "agree": sum(agrees(share, draws, interval) for share, interval in pairs)}


def _find_largest_failure(runs: Sequence[Run], way: str) -> float | None:
    ends = [interval[1] for run in runs for interval in run["ways"][way]["failure"] if interval is not None]
    return max(ends) if ends else None


def _sum_up_way(runs: Sequence[Run], way: str, draws: int) -> Answer:
    is_met = _gather(runs, way, "is_met")
    return {
        "m": _gather(runs, way, "m").mean(axis=0).tolist(),
        "met": int(is_met.sum()),
        "targets": int(is_met.size),
        "failure": _find_largest_failure(runs, way),
        **_count_agreement(runs, way, draws),
        "missed": _spread(_gather(runs, way, "missed")),
        "error": _gather(runs, way, "error").mean(axis=0).tolist(),
        "within": _gather(runs, way, "within").mean(axis=0).tolist(),
    }


def _sum_up_federation(name: str, runs: Sequence[Run], draws: int) -> Answer:
    asked = {key: [run["asked"][key] for run in runs] for key in ("cost", "lower_bound", "enough")}
    needs = np.array([run["asked"]["needs"] for run in runs])
    return {
        "name": name,
        "sites": runs[0]["sites"],
        "asked": asked | {"needs": needs.sum(axis=1).tolist()},
        "needs": needs.mean(axis=0).tolist(),
        "realizable": sum(run["is_realizable"] for run in runs),
        "best_error": np.mean([run["best_error"] for run in runs], axis=0).tolist(),
        "ways": {way: _sum_up_way(runs, way, draws) for way in WAYS},
        "runs": list(runs),
    }


def sum_up(settings: Settings, data: Data, answers: Sequence[Sequence[Answer]]) -> Answer:
    """Sum up every federation."""
    asked = read_parameters(settings)
    about = next(iter(asked.values()))
    federations = [
        _sum_up_federation(
            data.titles[name], [run for run in answers[1] if run["federation"] == name], about["draws"]
        )
        for name in asked
    ]
    return {key: about[key] for key in _KEPT} | {"seeds": settings["seeds"], "federations": federations}
