"""From the answers of all cells to the results: what draws and runs say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from reproduction.experiment import Answer, Settings
from reproduction.selection.label_truly import ADAPTIVE, PLAN
from reproduction.selection.parameters import read_parameters
from reproduction.selection.simulate_runs import CASES, COUNTED, find_bound
from reproduction.selection.sites import Data
from reproduction.tallies import clopper_pearson


def _group(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(answer["federation"], []).append(answer)
    return groups


def _pool_truths(name: str, draws: Sequence[Answer]) -> Answer:
    """Put the draws of a federation together."""
    rows = []
    for place, first in enumerate(draws[0]["rows"]):
        own = [draw["rows"][place] for draw in draws]
        sizes = [row["runs"] for row in own]
        rows.append(
            {key: first[key] for key in ("noise", "way")}
            | {"runs": sum(sizes), "missed": sum(row["missed"] for row in own)}
            | {key: float(np.average([row[key] for row in own], weights=sizes)) for key in ("mean", "certified")}
            | {"most": max(row["most"] for row in own)}
        )
    plans = {key: float(np.mean([draw["plans"][key] for draw in draws])) for key in draws[0]["plans"]}
    candidates = float(np.mean([draw["candidates"] for draw in draws]))
    about = {"federation": name, "draws": len(draws), "sites": draws[0]["sites"], "candidates": candidates}
    return about | {"plans": plans, "rows": rows}


def _pool_ways(draws: Sequence[Answer], way: str, risk: float) -> Answer:
    own = [draw["ways"][way] for draw in draws]
    count, all_near = (sum(one[key] for one in own) for key in ("draws", "all_near"))
    return {
        "draws": count,
        "all_near": all_near,
        "limits": list(clopper_pearson(all_near, count, risk)),
        "near": np.mean([one["near"] for one in own], axis=0).tolist(),
        "labels": float(np.mean([one["labels"] for one in own])),
        "most": max(one["most"] for one in own),
    }


def _pool_labels(name: str, draws: Sequence[Answer], risk: float) -> Answer:
    return {
        "federation": name,
        "draws": len(draws),
        "sites": draws[0]["sites"],
        "points": draws[0]["points"],
        "agnostic_plan": float(np.mean([draw["agnostic_plan"] for draw in draws])),
        "best_error": np.mean([draw["best_error"] for draw in draws], axis=0).tolist(),
        "ways": {way: _pool_ways(draws, way, risk) for way in (PLAN, ADAPTIVE)},
    }


def _pool_runs(answers: Sequence[Answer], asked: Mapping[str, Any], risk: float) -> list[Answer]:
    rows = []
    for case in CASES:
        own = [answer for answer in answers if answer["case"] == case]
        runs = sum(answer["runs"] for answer in own)
        counts = {key: sum(answer["counts"][key] for answer in own) for key in own[0]["counts"]}
        row = {"case": case, "runs": runs, "bound": find_bound(case, asked["delta"], asked["confidence"])}
        row |= {key: counts[key] for key in (*COUNTED, "certified", "readings")}
        row |= {"labels": counts["labels"] / runs}
        rows.append(row | {"limits": {key: list(clopper_pearson(counts[key], runs, risk)) for key in COUNTED}})
    return rows


def sum_up(settings: Settings, data: Data, answers: Sequence[Sequence[Answer]]) -> Answer:
    """Put everything together; the limits of all rows of a table are right at once."""
    asked = read_parameters(settings)
    _, labels, truths, true_labels, runs = answers
    wrong, by_federation = 1 - settings["limits_hold"], _group(true_labels)
    return {
        "collections": list(labels),
        "collection_delta": asked.labels["delta"],
        "confidence": asked.labels["confidence"],
        "truths": [_pool_truths(name, own) for name, own in _group(truths).items()],
        "epsilon": asked.truths["epsilon"],
        "truth_delta": asked.truths["delta"],
        "method": asked.truths["method"],
        "true_labels": [
            _pool_labels(name, own, wrong / (4 * len(by_federation))) for name, own in by_federation.items()
        ],
        "label_delta": asked.true_labels["delta"],
        "runs": _pool_runs(runs, asked.runs, wrong / (2 * len(COUNTED) * len(CASES))),
        "run_delta": asked.runs["delta"],
        "run_confidence": asked.runs["confidence"],
        "limits_hold": settings["limits_hold"],
    }
