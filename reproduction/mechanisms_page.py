"""The page of :mod:`reproduction.mechanisms`: tables, sentences and figure, from its results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reproduction.experiment import Table
from reproduction.figures import Figure, draw_bars

Row = Mapping[str, Any]

_NO = "no"


def _say_share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _say_lies(row: Row, private: str) -> str:
    lies = row[private]
    return f"{lies['paid']} of {row['applied']} ({lies['most']:.3g})"


def _show_rules(results: Mapping[str, Any]) -> Table:
    columns = ("rule", "applies", "spend", "deficit", "balanced", "left", "lies on data pay", "lies on costs pay")
    rows = [
        (
            row["rule"],
            f"{row['applied']} of {row['federations']}",
            _say_share(row["spend"]),
            _say_share(row["deficit"]),
            str(row["balanced"]),
            str(row["left"]),
            _say_lies(row, "data"),
            _say_lies(row, "costs"),
        )
        for row in results["rows"]
    ]
    title = (
        "Money as multiples of the labelling cost, means; lies: in how many federations one pays (largest gain)"
    )
    return Table(title, columns, rows)


def _say_example(answer: Row) -> str:
    if answer["refused"] is not None:
        return "-"
    return f"{answer['deficit']:.3g}; {answer['data']['gain']:.3g}; {answer['costs']['gain']:.3g}"


def _show_examples(results: Mapping[str, Any]) -> Table:
    names = list(dict.fromkeys(answer["federation"] for answer in results["examples"]))
    said = {(answer["rule"], answer["federation"]): _say_example(answer) for answer in results["examples"]}
    rows = [[row["rule"], *(said[row["rule"], name] for name in names)] for row in results["rows"]]
    return Table("Examples: deficit; largest gain from a lie on data; on costs", ("rule", *names), rows)


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show every rule over all federations, and on each example."""
    return [_show_rules(results), _show_examples(results)]


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "no rule"


def _is_truthful(row: Row, private: str) -> bool:
    return row["applied"] > 0 and _NO not in row[private]["truthful"]


def _say_proved(rows: Sequence[Row], private: str) -> str:
    """Whether a lie was found to pay where truth is proved to be a best report."""
    safe = [row for row in rows if _is_truthful(row, private)]
    tried, broken = (
        sum(row[private]["tried"] for row in safe),
        [row["rule"] for row in safe if row[private]["paid"]],
    )
    verdict = f"a defect: one paid under {_list(broken)}" if broken else "none paid"
    return (
        f"{private}: truth is proved to be a best report, if the others are truthful at least, under "
        f"{_list(row['rule'] for row in safe)}; of {tried:,} misreports there {verdict}"
    )


def _say_refuted(rows: Sequence[Row], private: str) -> str:
    open_to = [row for row in rows if row["applied"] and not _is_truthful(row, private)]
    found = [
        f"{row['rule']} (in {row[private]['paid']} of {row['applied']})" for row in open_to if row[private]["paid"]
    ]
    rest = [row["rule"] for row in open_to if not row[private]["paid"]]
    left = f"; none was found under {_list(rest)}, which proves nothing" if rest else ""
    return f"{private}: a lie that pays was found under {_list(found)}{left}"


def _say_balanced(rows: Sequence[Row]) -> str:
    balanced = [row for row in rows if row["applied"] and row["balanced"] == row["applied"]]
    open_to = sum(row["data"]["paid"] > 0 or row["costs"]["paid"] > 0 for row in balanced)
    return (
        f"the budget is balanced in every federation under {_list(row['rule'] for row in balanced)}; a lie was "
        f"found to pay under {open_to} of these {len(balanced)}"
    )


def _say_left(rows: Sequence[Row]) -> str:
    kept = [row["rule"] for row in rows if row["applied"] and not row["left"]]
    lost = [f"{row['rule']} (in {row['left']} of {row['applied']})" for row in rows if row["left"]]
    return f"nobody would rather be alone under {_list(kept)}; somebody would under {_list(lost)}"


def _say_deficits(rows: Sequence[Row]) -> str:
    said = [f"{row['rule']} {row['deficit']:.3g}" for row in rows if row["applied"]]
    return f"the operator brings, in multiples of the labelling cost on average: {_list(said)}"


def _say_refused(rows: Sequence[Row]) -> list[str]:
    said = [f"{row['rule']} (in {row['federations'] - row['applied']} of {row['federations']})" for row in rows]
    refused = [text for text, row in zip(said, rows, strict=True) if row["applied"] < row["federations"]]
    return [f"fees would drive somebody away, or the rule is undefined, under {_list(refused)}"] if refused else []


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say what every rule costs and where lies pay."""
    rows = results["rows"]
    return [
        _say_deficits(rows),
        _say_balanced(rows),
        _say_left(rows),
        *(say(rows, private) for private in ("data", "costs") for say in (_say_proved, _say_refuted)),
        *_say_refused(rows),
    ]


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw what the operator brings under every rule; marked are those under which a lie on data pays."""
    rows = [row for row in results["rows"] if row["applied"]]
    return draw_bars(
        {row["rule"]: round(row["deficit"], 3) for row in rows},
        title="what the operator brings",
        axis="deficit / cost of labelling, mean",
        marked={row["rule"] for row in rows if row["data"]["paid"]},
        meaning="a lie on data pays",
    )
