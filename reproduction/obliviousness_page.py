"""The page of :mod:`reproduction.obliviousness`: tables, sentences and figure, from the results alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from reproduction.experiment import Table
from reproduction.figures import Figure, Square, draw_regions

_CASES = 8
_HOLDS, _TOO_LARGE = "HOLDS", "TOO_LARGE"
_CROSS = "x"
_ERRATA = {"pac": "A6", "expected": "A8"}


def _name(region: Mapping[str, Any]) -> str:
    return f"{region['objective']}, H = {region['H']}, epsilon = {region['epsilon']:g}"


def _lay_out(region: Mapping[str, Any], title: str, column: str) -> Table:
    """One map as a table, a row for every number of samples of agent 1."""
    by_m = {tuple(point["m"]): point for point in region["points"]}
    entries = sorted({m[0] for m in by_m})

    def say(point: Mapping[str, Any]) -> str:
        is_crossed = column == "reached" and point["status"] == _TOO_LARGE
        return _CROSS if is_crossed else str(point[column])

    rows = [[str(first), *(say(by_m[first, second]) for second in entries)] for first in entries]
    return Table(title, ("m1 / m2", *map(str, entries)), rows)


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Give both maps, and what the paper's construction reaches."""
    maps = [results["pac"], results["expected"]]
    cases = f"cases (agent, neighbour of the plan) reached of {_CASES}"
    by = ("the construction with its bounds mended", "two rare points")
    tables = [
        _lay_out(some, f"{_name(some)}: {cases} by {how} ({_CROSS}: none can be)", "reached")
        for some, how in zip(maps, by, strict=True)
    ]
    by_paper = _lay_out(
        results["expected"],
        f"{_name(results['expected'])}: {cases} by the paper's construction",
        "reached_by_paper",
    )
    return [*tables, by_paper]


def _is_stated(region: Mapping[str, Any], m: list[int]) -> bool:
    low, high = region["stated"]
    return min(m) >= low and (high is None or max(m) <= high)


def _find_widest(region: Mapping[str, Any]) -> tuple[int, int] | None:
    """Find the ends of the largest square of the grid at all of whose plans it holds."""
    holds = {tuple(point["m"]): point["status"] == _HOLDS for point in region["points"]}
    entries = sorted({m[0] for m in holds})
    for places in range(len(entries), 0, -1):
        for first in range(len(entries) - places + 1):
            inside = entries[first : first + places]
            if all(holds[m] for m in itertools.product(inside, inside)):
                return inside[0], inside[-1]
    return None


def _say_where(region: Mapping[str, Any]) -> str:
    points, widest, (low, high) = region["points"], _find_widest(region), region["stated"]
    count = sum(point["status"] == _HOLDS for point in points)
    where = "" if widest is None else f", at all of them with both entries from {widest[0]} to {widest[1]}"
    stated = f"from {low:.2f} on" if high is None else f"from {low:.2f} to {high:.2f}"
    return (
        f"{region['objective']}: it holds at {count} of {len(points)} plans of the grid{where}; the paper says: "
        f"at all with both entries {stated}"
    )


def _say_upper(region: Mapping[str, Any]) -> str:
    stated = "" if region["stated"][1] is None else f" where {region['stated'][1]:.2f} is stated"
    ends = f"fractional plans end at {region['fractional_end']:.2f}{stated}, plans at {region['largest']:.2f}"
    inside = [point for point in region["points"] if _is_stated(region, point["m"])]
    wrong = [point["m"] for point in inside if point["status"] == _TOO_LARGE]
    said = "no plan of the grid refutes the region as stated"
    if wrong:
        said = (
            f"as stated it is refuted at {len(wrong)} of the {len(inside)} plans of the grid in that region, "
            f"where it cannot hold, {_say_m(min(wrong, key=sum))} among them"
        )
    return f"{region['objective']} (ERRATA {_ERRATA[region['objective']]}): {said}; {ends}"


def _say_lower(region: Mapping[str, Any]) -> str:
    below = [
        point["m"]
        for point in region["points"]
        if min(point["m"]) < region["stated"][0] and point["status"] == _HOLDS
    ]
    said = "no plan of the grid below the stated lower end was found at which it holds"
    if below:
        said = (
            f"the stated lower end is not needed: it holds at {len(below)} plans of the grid below it, "
            f"{_say_m(min(below, key=sum))} among them"
        )
    return f"{region['objective']} (ERRATA B4): {said}"


def _say_paper(region: Mapping[str, Any]) -> str:
    reached = [point["reached_by_paper"] for point in region["points"]]
    most, both = max(reached), sum(point["reached"] == _CASES for point in region["points"])
    verdict = "as the lemma needs" if most == _CASES else "short of what the lemma needs"
    return (
        f"expected (ERRATA A8): the paper's construction reaches at most {most} of {_CASES} cases, {verdict}; two "
        f"rare points reach all {_CASES} at {both} of {len(reached)} plans of the grid"
    )


def _say_search(search: Mapping[str, Any]) -> str:
    needed = search["m"][1] + 1
    is_raised = search["highest_other"] >= needed
    verdict = f"{'some' if is_raised else 'none'} of which {'ask' if is_raised else 'asks'}"
    return (
        f"expected, the paper's construction at {_say_m(search['m'])}: {search['reports']:,} reports of agent 1 "
        f"in multiples of 1/{search['parts']} lead to {search['plans']} plans, {verdict} more than "
        f"{search['m'][1]} of agent 2; the definition needs {needed}"
    )


def _say_m(m: list[int]) -> str:
    return f"({', '.join(map(str, m))})"


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say where it holds, beside where the paper says so."""
    pac, expected = results["pac"], results["expected"]
    return [
        _say_where(pac),
        _say_upper(pac),
        _say_lower(pac),
        _say_where(expected),
        _say_upper(expected),
        _say_paper(expected),
        _say_search(results["search"]),
    ]


def _by_status(region: Mapping[str, Any]) -> dict[str, list[tuple[int, int]]]:
    names = {_HOLDS: "holds", _TOO_LARGE: "cannot hold"}
    out: dict[str, list[tuple[int, int]]] = {name: [] for name in ("holds", "not found", "cannot hold")}
    for point in region["points"]:
        out[names.get(point["status"], "not found")].append((point["m"][0], point["m"][1]))
    return out


def _by_reached(region: Mapping[str, Any]) -> dict[str, list[tuple[int, int]]]:
    out: dict[str, list[tuple[int, int]]] = {"all 8 cases": [], "6 or 7 of 8": [], "fewer": []}
    for point in region["points"]:
        reached = point["reached_by_paper"]
        name = "all 8 cases" if reached == _CASES else "6 or 7 of 8" if reached >= 6 else "fewer"
        out[name].append((point["m"][0], point["m"][1]))
    return out


def _squares(region: Mapping[str, Any]) -> Iterator[Square]:
    yield Square("as the paper states it", *region["stated"])
    yield Square("where fractional plans end", 0.0, region["fractional_end"])


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw both maps, and what the paper's construction reaches."""
    pac, expected = results["pac"], results["expected"]
    panels = {
        _name(pac): _by_status(pac),
        _name(expected): _by_status(expected),
        "expected, the paper's construction": _by_reached(expected),
    }
    squares = [list(_squares(region)) for region in (pac, expected, expected)]
    return draw_regions(panels, squares, x_axis="samples of agent 1", y_axis="samples of agent 2")
