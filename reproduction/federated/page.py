"""The page of :mod:`reproduction.federated.experiment`: tables, sentences and figure, from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reproduction.experiment import Table
from reproduction.federated.quotas import WAYS
from reproduction.figures import Figure, GroupPanel, draw_groups

Row = Mapping[str, Any]


def _span(values: Sequence[float], say: str = ".3g") -> str:
    """Say the mean, and the range if there is one.

    Examples
    --------
    >>> _span([20, 22, 27]), _span([5, 5])
    ('23 (20-27)', '5')
    """
    mean, low, high = (format(value, say) for value in (np.mean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low}-{high})"


def _show_costs(results: Mapping[str, Any]) -> Table:
    columns = ("federation", "sites", "plan", "no plan below", "enough in equal shares", "all alone")
    keys = ("cost", "lower_bound", "enough", "needs")
    rows = [
        (fed["name"], str(len(fed["sites"])), *(_span(fed["asked"][key]) for key in keys))
        for fed in results["federations"]
    ]
    title = f"Samples, mean (range) of {results['seeds']} seeds"
    return Table(f"{title}; epsilon {results['epsilon']:g}, delta {results['delta']:g}", columns, rows)


def _show_targets(results: Mapping[str, Any]) -> Table:
    columns = (
        "federation",
        "quotas",
        "targets met",
        "mean",
        "most",
        "largest probability",
        "agree",
    )
    rows = []
    for fed in results["federations"]:
        for name, way in fed["ways"].items():
            missed, failure = way["missed"], way["failure"]
            rows.append(
                (
                    fed["name"],
                    name,
                    f"{way['met']} of {way['targets']}",
                    f"{np.mean(missed['mean']):.2%}",
                    f"{max(missed['high']):.2%}",
                    "-" if failure is None else f"{failure:.2%}",
                    f"{way['agree']} of {way['known']}" if way["known"] else "-",
                )
            )
    title = f"Labels by the worst teacher: in which share of {results['draws']:,} draws a target is missed"
    return Table(title, columns, rows, 2)


def _show_sites(fed: Row) -> Table:
    ways = fed["ways"]
    columns = ("site", "plan", "equal", "needs alone", *(f"missed, {name}" for name in ways))
    rows = [
        (
            site,
            f"{ways['plan']['m'][i]:.1f}",
            f"{ways['equal']['m'][i]:.1f}",
            f"{fed['needs'][i]:.1f}",
            *(f"{way['missed']['mean'][i]:.2%}" for way in ways.values()),
        )
        for i, site in enumerate(fed["sites"])
    ]
    return Table(f"{fed['name']}: samples of every site and how often its target is missed, means", columns, rows)


def _show_errors(fed: Row) -> Table:
    ways = fed["ways"]
    columns = ("site", "best", *ways, *(f"near best, {name}" for name in ways))
    rows = [
        (
            site,
            f"{fed['best_error'][i]:.1%}",
            *(f"{way['error'][i]:.1%}" for way in ways.values()),
            *(f"{way['within'][i]:.0%}" for way in ways.values()),
        )
        for i, site in enumerate(fed["sites"])
    ]
    title = f"{fed['name']}, true labels: test error of the best and of the chosen candidate; draws within epsilon"
    return Table(title, columns, rows)


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show costs, targets, and by federation what sites give, miss and err."""
    tables = [_show_costs(results), _show_targets(results)]
    for fed in results["federations"]:
        tables += [_show_sites(fed), _show_errors(fed)]
    return tables


def _say_cost(fed: Row) -> str:
    plan, equal, alone = (float(np.mean(fed["asked"][key])) for key in ("cost", "enough", "needs"))
    if plan == 0:
        return f"{fed['name']}: nothing has to be labelled"
    return (
        f"{fed['name']}: the plan asks for {plan:.3g} samples on average; equal shares are enough with "
        f"{equal / plan:.2f} times as many, and each site alone needs {alone / plan:.1f} times as many in all"
    )


def _say_targets(fed: Row, delta: float) -> str:
    said = [
        f"{way['met']} of {way['targets']} with {WAYS[name]} ({np.mean(way['missed']['mean']):.1%} of draws miss)"
        for name, way in fed["ways"].items()
    ]
    return f"{fed['name']}: targets met at the same cost, delta {delta:g}: {', '.join(said)}"


def _say_agreement(results: Mapping[str, Any]) -> str:
    ways = [way for fed in results["federations"] for way in fed["ways"].values()]
    known, agree = (sum(way[key] for way in ways) for key in ("known", "agree"))
    return (
        f"the shares of draws agree with the probabilities that verify computes in {agree} of {known} cases, "
        "within an interval that one in a thousand misses by chance"
    )


def _say_truth(fed: Row, epsilon: float) -> str:
    right, seeds = fed["realizable"], len(fed["runs"])
    promise = f"in {right} of {seeds} seeds one is right at all points" if right else "none is right at all points"
    promise += ", and of others nothing is promised" if right else ", so nothing is promised"
    near = [f"{np.mean(way['within']):.0%} of draws with {WAYS[name]}" for name, way in fed["ways"].items()]
    return (
        f"{fed['name']}, true labels: the best candidate of a site errs on {np.mean(fed['best_error']):.0%} of "
        f"its test points, and {promise}; the chosen one is within {epsilon:g} of it in {', '.join(near)}"
    )


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say what quotas cost, which targets they meet, and what comes of true labels."""
    said = []
    for fed in results["federations"]:
        said += [_say_cost(fed), _say_targets(fed, results["delta"])]
    said.append(_say_agreement(results))
    return said + [_say_truth(fed, results["epsilon"]) for fed in results["federations"]]


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw by site how often its target is missed."""
    panels, delta = [], results["delta"]
    for fed in results["federations"]:
        missed = {WAYS[name]: way["missed"] for name, way in fed["ways"].items()}
        means = {label: spread["mean"] for label, spread in missed.items()}
        ranges = {label: list(zip(spread["low"], spread["high"], strict=True)) for label, spread in missed.items()}
        title = f"{fed['name']}: target missed"
        panels.append(
            GroupPanel(title, "share of draws", fed["sites"], means, ranges, ("delta", delta), delta / 2)
        )
    return draw_groups(panels, columns=2)
