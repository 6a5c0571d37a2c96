"""What runs over many seeds come to: boxes for every mixture, and tests of the trends.

Agent 1's loss should fall, and its accuracy rise, with its share lambda of the samples; agent 2's should mirror
it; and more samples should help both. Seeds are blocks: with one seed all mixtures have the same test samples and
the same start. Page's test ranks the mixtures within every block and asks whether the ranks follow the order that
is expected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import page_trend_test

from reproduction.experiment import Answer

AGENTS = ("agent 1", "agent 2")
METRICS = ("loss", "accuracy")
_DIGITS = 6


def _round(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _gather(answers: Sequence[Answer]) -> dict[tuple[str, int], NDArray[np.float64]]:
    """(variant, m) -> (seeds, lambdas, agents, metrics)."""
    parts: dict[tuple[str, int], list[NDArray[np.float64]]] = {}
    for answer in answers:
        parts.setdefault((answer["variant"], answer["m"]), []).append(np.array(answer["values"]))
    return {key: np.concatenate(values) for key, values in parts.items()}


def _box(values: NDArray[np.float64]) -> Answer:
    low, q1, median, q3, high = np.percentile(values, [0, 25, 50, 75, 100])
    # Whiskers reach the farthest values within one and a half boxes, as box plots have them.
    reach = 1.5 * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    named = {"low": low, "q1": q1, "median": median, "q3": q3, "high": high, "mean": values.mean()}
    return {key: _round(value) for key, value in named.items()} | {
        "whiskers": [_round(inside.min()), _round(inside.max())]
    }


def measure_trend(values: NDArray[np.float64], *, rises: bool) -> dict[str, float | None]:
    """Measure whether (blocks, conditions) values rise, or fall, from condition to condition, by Page's test.

    Examples
    --------
    >>> found = measure_trend(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [0.0, 1.0, 2.0]]), rises=True)
    >>> found["L"], round(found["p"], 3)
    (41.0, 0.021)
    """
    blocks, conditions = values.shape
    if conditions < 3 or blocks < 2:
        return {"L": None, "p": None}
    found = page_trend_test(values if rises else -values, method="asymptotic")
    return {"L": float(found.statistic), "p": _round(float(found.pvalue))}


def _expect_rise(agent: int, metric: str) -> bool:
    """Whether the metric should rise with agent 1's share."""
    return (agent == 0) == (metric == "accuracy")


def sum_up_boxes(lambdas: Sequence[float], answers: Sequence[Answer]) -> Answer:
    """Sum up runs over seeds: boxes, trends in lambda for every m, trends in m for every lambda."""
    by_size = _gather(answers)
    boxes, in_lambda, in_m = [], [], []
    for (variant, m), values in by_size.items():
        for agent, metric in np.ndindex(2, 2):
            about = {"variant": variant, "m": m, "agent": AGENTS[agent], "metric": METRICS[metric]}
            own = values[:, :, agent, metric]
            boxes += [about | {"lambda": share} | _box(own[:, place]) for place, share in enumerate(lambdas)]
            rises = _expect_rise(agent, METRICS[metric])
            means = own.mean(axis=0)
            steps = np.diff(means) > 0 if rises else np.diff(means) < 0
            in_lambda.append(
                about
                | {"expected": "rises" if rises else "falls", "steps_as_expected": int(steps.sum())}
                | measure_trend(own, rises=rises)
            )
    for variant in dict.fromkeys(variant for variant, _ in by_size):
        sizes = sorted(m for other, m in by_size if other == variant)
        stacked = np.stack([by_size[variant, m] for m in sizes])
        for agent, metric, place in np.ndindex(2, 2, len(lambdas)):
            rises = METRICS[metric] == "accuracy"
            about = {
                "variant": variant,
                "lambda": lambdas[place],
                "agent": AGENTS[agent],
                "metric": METRICS[metric],
            }
            in_m.append(about | measure_trend(stacked[:, :, place, agent, metric].T, rises=rises))
    return {
        "lambdas": list(lambdas),
        "sizes": sorted({m for _, m in by_size}),
        "variants": list(dict.fromkeys(variant for variant, _ in by_size)),
        "seeds": len(next(iter(by_size.values()))),
        "boxes": boxes,
        "trend_in_lambda": in_lambda,
        "trend_in_m": in_m,
    }


def find_trend(results: Mapping[str, Any], variant: str, m: int, agent: str, metric: str) -> Answer:
    """Find the trend in lambda of one agent's metric."""
    wanted = {"variant": variant, "m": m, "agent": agent, "metric": metric}
    return next(row for row in results["trend_in_lambda"] if wanted.items() <= row.items())
