"""The errata of the paper, checked by computation: what the paper says, what is true, and whether that is shown.

Every erratum of ``docs/explanation/errata.md`` that is about a number has a function here, named after it, which
computes both sides on the smallest instance that tells them apart: in fractions where that is possible, and then
compared with what the library's own engine says. C3, C4, C6 and C7 are about words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reproduction.errata import definitions, proofs, stated_results
from reproduction.errata.finding import Finding
from reproduction.experiment import Answer, Arrays, Experiment, Settings, Stage, Table, Task
from reproduction.values import read_choice, read_each

CHECKS: dict[str, Callable[[], Finding]] = {
    "A1": stated_results.check_a1,
    "A2": stated_results.check_a2,
    "A3": stated_results.check_a3,
    "A4": stated_results.check_a4,
    "A5": stated_results.check_a5,
    "A6": stated_results.check_a6,
    "A7": stated_results.check_a7,
    "A8": stated_results.check_a8,
    "B1": proofs.check_b1,
    "B2": proofs.check_b2,
    "B3": proofs.check_b3,
    "B4": proofs.check_b4,
    "B5": proofs.check_b5,
    "B6": proofs.check_b6,
    "B7": proofs.check_b7,
    "B8": proofs.check_b8,
    "B9": proofs.check_b9,
    "C1": definitions.check_c1,
    "C2": definitions.check_c2,
    "C5": definitions.check_c5,
    "C8": definitions.check_c8,
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
        "of B4 only the costs are computed, of B5 the sums of failures and the multiplier, of C5 the rate of one",
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
