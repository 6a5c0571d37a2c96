"""Whether pay-what-you-contribute ever rewards a lie among truthful agents: a soak over planners and federations.

For any planner that meets the reported targets there is a proof (:mod:`fedpact.mechanism.payment.rules`). Here the
program is tried, not the proof: every planner plans for small instances of the paper and for random federations of
two or three agents of every kind: tables, predictions and reports, both objectives, both guarantees, with and
without capacities, rates that tie with epsilon and delta. One agent at a time misreports; plan, payment and the
true failure probabilities are computed every time. A gain would be a defect of a planner, of the engine or of the
audit. Answers are kept for the program as it is: another one is tried anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.experiment import Answer, Arrays, Experiment, Settings, Stage, Table, Task
from reproduction.figures import Figure, draw_bars
from reproduction.values import METHODS, read_choice, read_each, read_example, read_size


def _read_planners(settings: Settings) -> list[str]:
    return list(dict.fromkeys(read_each(settings, "planners", lambda name, key: read_choice(name, key, METHODS))))


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    reports, planners = read_size(settings["reports"], "reports", least=1, most=10**6), _read_planners(settings)
    feds: list[dict[str, Any]] = [{"example": read_example(name, "examples")} for name in settings["examples"]]
    feds += [{"seed": seed} for seed in range(settings["seeds"])]
    about = {"reports": reports}
    return [Task(about | {"method": method} | fed) for method in planners for fed in feds]


def _draw_masses(rng: np.random.Generator, k: int, n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(k, n) masses in tenths, so that rates tie with epsilon and delta."""
    return rng.multinomial(10, rng.dirichlet(np.full(n, 0.7), k)) / 10


def draw_federation(rng: np.random.Generator, method: str) -> fp.Federation:
    """Draw a small federation of any kind of evidence, objective and guarantee."""
    k, n, H = (int(rng.integers(low, high)) for low, high in ((2, 4), (2, 5), (2, 6)))
    labels = rng.integers(0, int(rng.integers(2, 4)), (H, n))
    options: dict[str, Any] = {
        "cost": rng.choice([0.05, 0.1, 0.2, 0.3], k),
        "epsilon": rng.choice([0.1, 0.2], k),
        "delta": float(rng.choice([0.1, 0.25, 0.5])),
        "objective": str(rng.choice(["pac", "expected"])),
        "guarantee": str(rng.choice(["per-agent", "joint"])),
        "capacity": None if rng.random() < 0.7 else rng.integers(5, 60, k).tolist(),
    }
    kind = rng.choice(["table", "predictions", "reports"])
    if kind == "table" or (kind == "reports" and method == "exact"):
        return fp.Federation.from_table(labels, _draw_masses(rng, k, n), **options)
    own = {f"agent-{i + 1}": labels[:, rng.integers(0, n, 10)] for i in range(k)}
    if kind == "predictions":
        return fp.Federation.from_predictions(own, **options)
    sent = [fp.report(seen, name=name, n_classes=max(2, int(seen.max()) + 1)) for name, seen in own.items()]
    return fp.Federation.from_reports(sent, **options)


def _list_federations(cell: Mapping[str, Any], rng: np.random.Generator) -> Iterator[fp.Federation]:
    """Yield the cell's example, or random federations without end."""
    if "example" in cell:
        yield fp.examples.build(cell["example"])
        return
    while True:
        yield draw_federation(rng, cell["method"])


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Audit the first federation that has a plan; where capacities leave none there is nothing to misreport."""
    rng = np.random.default_rng([cell.get("seed", 0), METHODS.index(cell["method"])])
    for fed in _list_federations(cell, rng):
        try:
            seen = fp.audit(
                fed, "pwyc", method=cell["method"], n_misreports=cell["reports"], senses=["ex-post"], rng=rng
            )
        except fp.InfeasibleError:
            continue
        if not seen.is_complete:
            raise KeyboardInterrupt
        name = cell.get("example", f"drawn-{cell.get('seed')}")
        return {"method": cell["method"], "federation": name, "tried": seen.tried, "gain": seen.gain}
    raise fp.InfeasibleError(f"example {cell['example']!r} has no plan; leave it out of examples")


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    rows = []
    for method in _read_planners(settings):
        own = [answer for answer in answers[0] if answer["method"] == method]
        tried, gain = sum(one["tried"] for one in own), max(one["gain"] for one in own)
        rows.append({"method": method, "federations": len(own), "tried": tried, "gain": gain})
    return {"rows": rows, "gains": [answer for answer in answers[0] if answer["gain"] > 0]}


def _tabulate(results: Mapping[str, Any]) -> list[Table]:
    rows = [
        (row["method"], f"{row['federations']:,}", f"{row['tried']:,}", f"{row['gain']:.6g}")
        for row in results["rows"]
    ]
    title = "Pay what you contribute, one agent misreports, the others are truthful"
    return [Table(title, ("planner", "federations", "misreports", "largest gain"), rows)]


def _conclude(results: Mapping[str, Any]) -> list[str]:
    total = sum(row["tried"] for row in results["rows"])
    found = [f"{one['gain']:.6g} with {one['method']} in {one['federation']}" for one in results["gains"]]
    verdict = f"a defect: one paid {', '.join(found)}" if found else "no misreport paid"
    return [
        f"{total:,} misreports: {verdict}",
        "that none pays is proved for every planner that meets the reported targets; here the program is tried",
    ]


def _draw(results: Mapping[str, Any]) -> Figure:
    """Draw how many misreports were tried with every planner; marked are those with which one paid."""
    rows = results["rows"]
    return draw_bars(
        {row["method"]: row["tried"] for row in rows},
        title="pay what you contribute: misreports tried",
        axis="misreports",
        marked={row["method"] for row in rows if row["gain"] > 0},
        meaning="one paid",
    )


TRUTHFULNESS = Experiment(
    name="truthfulness",
    about="Misreports under pay-what-you-contribute, with every planner: whether one pays among truthful agents.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=_tabulate,
    conclude=_conclude,
    draw=_draw,
)
