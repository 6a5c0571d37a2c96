"""The page of :mod:`reproduction.contribution_check`: tables, sentences and figure, from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reproduction.experiment import Table
from reproduction.figures import Figure, draw_lines

Row = Mapping[str, Any]
_STATUS = {
    "within": "false alarms are within the level: so say the upper confidence limits of all rows at once",
    "not-above": "no row has more false alarms than the level allows; more sites would tell how many fewer",
    "above": "some row has more false alarms than the level allows: the check does not keep its promise",
}


def _by_quota(rows: Sequence[Row]) -> dict[int, list[Row]]:
    return {m: [row for row in rows if row["m"] == m] for m in sorted({row["m"] for row in rows})}


def _share(rows: Sequence[Row]) -> float:
    return float(sum(row["flagged"] for row in rows) / sum(row["sites"] for row in rows))


def _trace_lies(results: Mapping[str, Any]) -> tuple[list[float], dict[int, tuple[list[float], list[float]]]]:
    """All lies; and by quota the share of sites caught and the mean of the exact bounds, a number per lie."""
    lies = sorted({row["lie"] for row in results["lying"]})
    curves = {}
    for m, rows in _by_quota(results["lying"]).items():
        groups = [[row for row in rows if row["lie"] == lie] for lie in lies]
        bounds = [float(np.mean([row["caught"] for row in group])) for group in groups]
        curves[m] = ([_share(group) for group in groups], bounds)
    return lies, curves


def _show_honest(results: Mapping[str, Any]) -> Table:
    rows = [
        (
            f"{m:,}",
            f"{sum(row['sites'] for row in own):,}",
            f"{sum(row['flagged'] for row in own):,}",
            f"{_share(own):.5f}",
            f"{max(row['high'] for row in own):.5f}",
        )
        for m, own in _by_quota(results["honest"]).items()
    ]
    columns = ("samples", "honest sites", "flagged", "share", "upper limit of the worst agent's")
    return Table(f"{results['federation']}: honest sites, level {results['level']:g}", columns, rows)


def _show_lying(results: Mapping[str, Any]) -> Table:
    lies, curves = _trace_lies(results)
    rows = []
    for m, (caught, bounds) in curves.items():
        rows.append([f"{m:,}", *(f"{share:.3f}" for share in caught)])
        rows.append([f"{m:,}, at least", *(f"{share:.3f}" for share in bounds)])
    title = "Share of lying sites caught, by the share of their samples that is not what was reported"
    return Table(title, ("samples", *(f"{lie:g}" for lie in lies)), rows)


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show honest sites by quota, and lying ones by quota and lie."""
    return [_show_honest(results), *([_show_lying(results)] if results["lying"] else [])]


def _say_lies(results: Mapping[str, Any]) -> list[str]:
    lies, curves = _trace_lies(results)
    said = []
    for m, (caught, bounds) in curves.items():
        often = [lie for lie, share in zip(lies, caught, strict=True) if share > 0.5]
        where = f"lies from {often[0]:g} on are" if often else "no lie is"
        said.append(
            f"{m:,} samples: {where} caught more often than not; {caught[-1]:.1%} at a lie of {lies[-1]:g}, where "
            f"the most telling pair alone catches {bounds[-1]:.1%}"
        )
    return said


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say whether false alarms keep the level, and which lies are caught."""
    honest = results["honest"]
    flagged, sites = (sum(row[key] for row in honest) for key in ("flagged", "sites"))
    return [
        _STATUS[results["status"]],
        f"of {sites:,} honest sites {flagged:,} are flagged, where the level allows "
        f"{results['level'] * sites:,.0f}; limits are right at once with probability {results['confidence']:g}",
        *_say_lies(results),
    ]


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw the share of lying sites caught, of all agents, beside the exact bound."""
    lies, curves = _trace_lies(results)
    bounds = {f"{m} samples, at least": bound for m, (_, bound) in curves.items()}
    return draw_lines(
        {f"{m} samples": caught for m, (caught, _) in curves.items()} | bounds,
        x=lies,
        scale="linear",
        dashed=bounds,
        title=f"lying sites caught, level {results['level']:g}",
        x_axis="share of the samples that are not what was reported",
        y_axis="share of sites caught",
    )
