"""The pages of :mod:`reproduction.private_sites`: tables, sentences and figure, from their results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reproduction.experiment import Table
from reproduction.figures import Figure, draw_bars

Row = Mapping[str, Any]

_FACTORS = {2: "2 x points", 4: "4 x points", 10: "10 x points", None: "no end of points"}


def _list_plans(results: Mapping[str, Any]) -> Iterator[tuple[Row, Row]]:
    """Every run with each of its plans."""
    return ((run, one) for run in results["runs"] for one in run["plans"])


def _name(run: Row) -> list[str]:
    return [str(run["seed"]), f"{run['H']:,}"]


def _find(run: Row, epsilon: float, confidence: float | None) -> Row:
    plans: Sequence[Row] = run["plans"]
    return next(one for one in plans if (one["epsilon"], one["confidence"]) == (epsilon, confidence))


def _show_sites(results: Mapping[str, Any]) -> Table:
    rows = [
        [*_name(run), site["name"], f"{site['points']:,}", f"{site['report_bytes'] / 1000:,.0f}"]
        for run in results["runs"]
        for site in run["sites"]
    ]
    columns = ("seed", "candidates", "site", "private points", "report, kB")
    return Table("What the sites have, and what they send", columns, rows, 3)


def _say_alone(one: Row) -> str:
    """Say what all sites need alone, where that is known for the rates that were planned with."""
    needs = list(one["alone"].values())
    return "-" if one["confidence"] is not None or None in needs else f"{sum(needs):,}"


def _show_plans(results: Mapping[str, Any]) -> Table:
    rows = [
        [
            *_name(run),
            f"{one['epsilon']:g}",
            "-" if one["confidence"] is None else f"{one['confidence']:g}",
            *(f"{count:,}" for count in one["plan"]["contributions"].values()),
            f"{one['plan']['cost']:g}",
            f"{one['plan']['lower_bound']:.6g}",
            _say_alone(one),
        ]
        for run, one in _list_plans(results)
    ]
    sites = [site["name"] for site in results["runs"][0]["sites"]]
    columns = ("seed", "candidates", "epsilon", "confidence", *sites, "cost", "at least", "all alone")
    return Table(f"Plans by {results['method']}, delta {results['delta']:g}", columns, rows, 4)


def _show_forecasts(results: Mapping[str, Any]) -> list[Table]:
    rows = []
    for run, one in _list_plans(results):
        if one["plan"]["more_points"]:
            costs = {more["factor"]: f"{more['cost']:.0f}" for more in one["plan"]["more_points"]}
            cells = [costs.get(factor, "-") for factor in _FACTORS]
            rows.append([*_name(run), f"{one['epsilon']:g}", f"{one['plan']['cost']:g}", *cells])
    title = "About what a plan with confidence would cost with more unlabelled points"
    columns = ("seed", "candidates", "epsilon", "now", *_FACTORS.values())
    return [Table(title, columns, rows, 3)] if rows else []


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show what sites send, what is planned, and what more unlabelled points would save."""
    return [_show_plans(results), *_show_forecasts(results), _show_sites(results)]


def _span(values: Sequence[float], say: str) -> str:
    """Say the least and the largest, or the one if they are written alike.

    Examples
    --------
    >>> _span([2.44, 3.3, 3.1], ".1f"), _span([0.5, 0.5], ".0%")
    ('2.4 to 3.3', '50%')
    """
    low, high = format(min(values), say), format(max(values), say)
    return low if low == high else f"{low} to {high}"


def _say_confidence(results: Mapping[str, Any]) -> str:
    ratios = [
        _find(run, epsilon, results["confidence"])["plan"]["cost"] / cost
        for run in results["runs"]
        for epsilon in results["epsilon"]
        if (cost := _find(run, epsilon, None)["plan"]["cost"]) > 0
    ]
    dearer = f"makes plans {_span(ratios, '.1f')} times as dear" if ratios else "changes plans that need nothing"
    return f"not knowing the rates costs: confidence {results['confidence']:g} {dearer}"


def _say_reports(results: Mapping[str, Any]) -> list[str]:
    """Say what labels would do without any report: what is bad for a site is frequent there."""
    run, delta = results["runs"][0], results["delta"]
    said = []
    for epsilon in results["epsilon"]:
        if 0 < epsilon < 1:
            each = math.ceil(math.log(delta / run["H"]) / math.log(1 - epsilon))
            cost = _find(run, epsilon, results["confidence"])["plan"]["cost"]
            said.append(f"{each * len(run['sites']):,} at epsilon {epsilon:g}, with reports {cost:g}")
    return (
        [f"without any report as many labels would do with {run['H']:,} candidates: {'; '.join(said)}"]
        if said
        else []
    )


def _say_sizes(results: Mapping[str, Any]) -> list[str]:
    """Say what the largest class costs more than the smallest."""
    runs = [run for run in results["runs"] if run["seed"] == results["runs"][0]["seed"]]
    large, small = (pick(runs, key=lambda run: run["H"]) for pick in (max, min))
    if large is small:
        return []
    added = {}
    for confidence in (results["confidence"], None):
        pairs = [[_find(run, epsilon, confidence) for run in (large, small)] for epsilon in results["epsilon"]]
        costs = [[one["plan"]["cost"] for one in pair] for pair in pairs]
        added[confidence] = _span([one / other - 1 for one, other in costs if other > 0] or [0.0], ".0%")
    with_, without = added.values()
    said = f"{large['H']:,} candidates instead of {small['H']:,} add {with_} to a plan with confidence"
    return [f"{said}, {without} to one without: the number of pairs enters by its logarithm"]


def _say_points(results: Mapping[str, Any]) -> str:
    beyond = [one for _, one in _list_plans(results) if not one["has_capacities"]]
    if not beyond:
        return "no site is asked for more labels than it has private points"
    return f"{len(beyond)} plans ask a site for more labels than it has private points, as no other plan was found"


def _say_pay(results: Mapping[str, Any]) -> str:
    """Say who would rather be alone, and who cannot be."""
    leaving, lost = set(), []
    for run, one in _list_plans(results):
        bill = one["settlement"]
        leaving |= set(bill["leaving"])
        level = "" if one["confidence"] is None else f" and confidence {one['confidence']:g}"
        for site, worth in bill["worth"].items():
            if worth > 0 and bill["utility_alone"][site] == 0:
                lost.append(f"{site} with {run['H']:,} candidates at epsilon {one['epsilon']:g}{level}")
    said = f"{', '.join(sorted(leaving)) or 'nobody'} would be better off alone"
    return f"pay: everybody gets what its labels cost, and {said}" + (
        f"; alone the target is out of reach for {'; '.join(lost)}" if lost else ""
    )


def _say_sent(results: Mapping[str, Any]) -> str:
    sizes: dict[int, list[float]] = {}
    for run in results["runs"]:
        sizes.setdefault(run["H"], []).extend(site["report_bytes"] / 1000 for site in run["sites"])
    said = [f"{_span(kilobytes, '.0f')} kB for {H:,} candidates" for H, kilobytes in sizes.items()]
    return f"what is sent are counts, not points: {', '.join(said)}; minimum_count of fp.report hides small counts"


def _say_truth(results: Mapping[str, Any]) -> str:
    errors = [run["least_error"] for run in results["runs"]]
    return (
        f"what is promised is for a truth among the candidates; the best one errs on {_span(errors, '.1%')} of "
        f"the private points"
    )


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say what plans cost and why, what is paid and sent, and what is not promised."""
    points = sorted({run["public_points"] for run in results["runs"]})
    return [
        f"candidates are trained from {_span(points, ',')} public points",
        _say_confidence(results),
        *_say_reports(results),
        *_say_sizes(results),
        _say_points(results),
        _say_pay(results),
        _say_sent(results),
        _say_truth(results),
    ]


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw samples per site, with and without confidence, for the first class and the middle epsilon."""
    run, epsilon = results["runs"][0], results["epsilon"][len(results["epsilon"]) // 2]
    plain, sure = (_find(run, epsilon, level)["plan"] for level in (None, results["confidence"]))
    bars: dict[str, float] = {}
    for site in plain["contributions"]:
        bars |= {site: plain["contributions"][site], f"{site}, confident": sure["contributions"][site]}
    return draw_bars(
        bars,
        title=f"{run['H']:,} candidates, epsilon {epsilon:g}: cost {plain['cost']:g} and {sure['cost']:g}",
        axis="samples",
        marked=list(bars)[1::2],
        meaning=f"with confidence {results['confidence']:g}",
    )
