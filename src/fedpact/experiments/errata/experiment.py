"""The errata of the paper, checked by computation: what the paper says, what is true, and whether that is shown.

Every erratum of ``docs/explanation/errata.md`` that is about a number has a function here, named after it, which
computes both sides on the smallest instance that tells them apart: in fractions where that is possible, and then
compared with what the library's own engine says. C3, C4, C6 and C7 are about words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fedpact.describe.names import read_choice
from fedpact.experiments.errata import definitions, proofs, stated_results
from fedpact.experiments.errata.finding import Finding
from fedpact.experiments.sweep.experiment import Answer, Arrays, Experiment, Settings, Stage, Table, Task
from fedpact.experiments.sweep.read_values import read_each

CHECKS: dict[str, Callable[[], Finding]] = {
    name.removeprefix("check_").upper(): check
    for module in (stated_results, proofs, definitions)
    for name, check in vars(module).items()
    if name.startswith("check_")
}


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    named = read_each(settings, "errata", lambda name, key: read_choice(name, key, tuple(CHECKS)))
    return [Task({"erratum": name}) for name in dict.fromkeys(named)]


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    return {"erratum": cell["erratum"]} | CHECKS[cell["erratum"]]().to_dict()


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    return {answer.pop("erratum"): answer for answer in (dict(answer) for answer in answers[0])}


def _tabulate(results: Mapping[str, Any]) -> list[Table]:
    rows = [
        (name, one["printed"], one["found"], "confirmed" if one["is_confirmed"] else "not confirmed")
        for name, one in results.items()
    ]
    columns = ("erratum", "the paper", "computed", "the erratum is")
    return [Table("What the paper says, and what is true", columns, rows, left=len(columns))]


def _conclude(results: Mapping[str, Any]) -> list[str]:
    confirmed = sum(one["is_confirmed"] for one in results.values())
    return [
        f"{confirmed} of {len(results)} errata are confirmed by computation",
        "C3, C4, C6 and C7 are about words, and nothing is computed for them",
    ]


ERRATA = Experiment(
    name="errata",
    about="Where the paper is wrong, computed: what it says, what is true, and whether that is shown.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=_tabulate,
    conclude=_conclude,
)
