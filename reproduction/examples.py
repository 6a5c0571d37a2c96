"""The named examples worked out: alone, counted, played, planned, shared and paid for.

What pages say of the examples is taken from here. Small ones are searched to the end: their plans are optimal
and their equilibria all there are. Of large ones the searches stop where the demo's do, at once: what is found
first is the same on every machine, what is found in ten seconds is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import fedpact as fp
from reproduction.experiment import NO_END, Answer, Arrays, Experiment, Settings, Stage, Table, Task
from reproduction.values import read_each, read_example, read_share

_DIGITS = 9  # of values that a solver rounds
RULES = ("core", "least-core", "shapley", "equal")
WAYS = {
    "alone": "alone",
    "exchangeable": "counted",
    "worst-equilibrium": "worst equilibrium",
    "best-equilibrium": "best equilibrium",
    "lp": "lp",
    "union": "union",
    "tree": "tree",
    "exact": "exact",
}


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    recover = read_share(settings["recover"], "recover")
    return [
        Task({"example": name, "is_large": key == "large", "recover": recover})
        for key in ("small", "large")
        for name in read_each(settings, key, read_example)
    ]


def _show(row: fp.planning.ComparedRow) -> Answer:
    """Tell what a row of a comparison costs, whose targets it meets, and who labels."""
    labels = {name: count for name, count in row.contributions.items() if count}
    met = sum(met is True for met in row.met.values())
    return {"cost": row.cost, "met": met, "contributions": labels, "lower_bound": row.lower_bound}


def _play(fed: fp.Federation) -> Answer:
    """Tell all pure equilibria and what they cost, and a mixed one."""
    found, mixed = fp.equilibria(fed, time_limit=NO_END), fp.mixed_equilibrium(fed)
    return {
        "equilibria": len(found.profiles),
        "least": min(found.costs, default=None),
        "most": max(found.costs, default=None),
        "considered": mixed.considered,
        "expected_cost": round(mixed.expected_cost, _DIGITS),
        "probability_met": {name: round(chance, _DIGITS) for name, chance in mixed.probability_met.items()},
    }


def _split(fed: fp.Federation, rule: str) -> Answer | None:
    """Tell who bears what by a rule, and who would leave; None where the core is empty."""
    try:
        found = fp.share(fed, rule=rule)
    except fp.InfeasibleError:
        return None
    value = found.least_core_value
    return {
        "shares": {name: round(one, _DIGITS) for name, one in found.shares.items()},
        "leaving": [list(group.members) for group in found.leaving],
        "value": None if value is None else round(value, _DIGITS) + 0.0,
    }


def _pay(fed: fp.Federation, recover: float, seconds: float) -> Answer | None:
    """Tell what pay-what-you-contribute spends and what fees bring back; None where they drive somebody away."""
    try:
        found = fp.settle(fed, fp.plan(fed, time_limit=seconds), cost_recovery=recover)
    except fp.errors.RuleError:
        return None
    return {"spend": found.spend, "recovered": found.recovered}


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    fed, seconds = fp.examples.build(cell["example"]), 0.0 if cell["is_large"] else NO_END
    table = fp.compare(fed, time_limit=seconds)
    found: Answer = {"agents": fed.k, "hypotheses": fed.H, "alone": table.standalone}
    found |= {"ways": {row.method: _show(row) for row in table.rows}, "fees": _pay(fed, cell["recover"], seconds)}
    if not cell["is_large"]:
        found |= {"game": _play(fed), "shares": {rule: _split(fed, rule) for rule in RULES}}
    return found


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    names = [task.cell["example"] for task in _cut(settings, data, ())]
    return dict(zip(names, answers[0], strict=True))


def _say(cost: float | None) -> str:
    return "-" if cost is None else f"{cost:.6g}"


def _show_costs(results: Mapping[str, Any]) -> Table:
    rows = []
    for name, one in results.items():
        ways = [one["ways"][way] for way in WAYS]
        costs = [
            _say(way["cost"]) + "*" * (way["cost"] is not None and way["met"] < one["agents"]) for way in ways
        ]
        rows.append((name, str(one["agents"]), *costs, _say(one["ways"]["exact"]["lower_bound"])))
    title = "What each way costs; * where it does not meet every target"
    return Table(title, ("example", "agents", *WAYS.values(), "at least"), rows)


def _show_games(results: Mapping[str, Any]) -> Table:
    rows = []
    for name, one in results.items():
        if "game" in one:
            game, core = one["game"], one["shares"]["least-core"]
            met = min(game["probability_met"].values())
            shares = ", ".join(_say(value) for value in core["shares"].values())
            rows.append(
                (
                    name,
                    str(game["equilibria"]),
                    _say(game["expected_cost"]),
                    _say(met),
                    shares,
                    _say(core["value"]),
                )
            )
    columns = ("example", "pure equilibria", "mixed: cost", "least chance to be met", "least core", "its value")
    return Table("Played, and shared", columns, rows)


def _tabulate(results: Mapping[str, Any]) -> list[Table]:
    return [_show_costs(results), _show_games(results)]


def _conclude(results: Mapping[str, Any]) -> list[str]:
    """Say of each example what planning saves, and what fees bring back."""
    said = []
    for name, one in results.items():
        best, fees = one["ways"]["exact"]["cost"], one["fees"]
        money = f"; fees bring back {fees['recovered'] / fees['spend']:.0%}" if fees else ""
        said.append(f"{name}: alone costs {one['ways']['alone']['cost'] / best:.4g} times the plan{money}")
    return said


EXAMPLES = Experiment(
    name="examples",
    about="The named examples worked out: alone, counted, played, planned, shared and paid for.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=_tabulate,
    conclude=_conclude,
    packages=("highspy", "quantecon"),
)
