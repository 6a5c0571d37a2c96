"""What there is to say about payments: what the rules are, and what a profitable lie does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import format_number, join_names
from fedpact.web.words.game import say_profile

_SHOWN = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A payment rule as people call it."""

    title: str
    meaning: str


_RULES: Mapping[str, Rule] = {
    "pwyc": Rule(title="Pay what you contribute", meaning="each is paid what its labelling costs, less a fee"),
    "vcg": Rule(title="VCG", meaning="each is paid what the plan is worth to the others, as they report it"),
    "vcg-verified": Rule(title="VCG, verified", meaning="VCG, but only targets that are met in truth count"),
    "threshold": Rule(
        title="Threshold prices",
        meaning="for every sample, the highest cost at which it would still have been asked for",
    ),
    "equal-split": Rule(title="Equal split", meaning="the cost is split into equal shares"),
    "proportional": Rule(title="Proportional split", meaning="the cost is split by what each would need alone"),
    "none": Rule(title="No payments", meaning="whoever labels bears the cost"),
}
SENSES: Mapping[str, str] = {
    "ex_post": "one agent lies, all others are truthful",
    "dominant": "one agent lies, and another one lies as well",
    "pair": "two agents lie together",
    "split": "one agent takes part under two names",
}


def name_rule(rule: str, pivot: str | None = None) -> Rule:
    """Return a rule's name and meaning.

    Examples
    --------
    >>> name_rule("vcg", "clarke").title
    'VCG with Clarke pivots'
    """
    known = _RULES[rule]
    if pivot in (None, "none"):
        return known
    return Rule(
        title=f"{known.title} with Clarke pivots", meaning=f"{known.meaning}; less what they had without it"
    )


def _say_report(report: Mapping[str, float]) -> str:
    """Write the largest entries of a report.

    Examples
    --------
    >>> _say_report({"x1": 0.25, "x2": 0.75})
    'x1 0.25, x2 0.75'
    """
    largest = sorted(report, key=lambda entry: -report[entry])[:_SHOWN]
    shown = ", ".join(f"{entry} {format_number(report[entry])}" for entry in report if entry in largest)
    return shown if len(report) <= _SHOWN else f"{shown} and {len(report) - _SHOWN:,} more"


def _say_lies(lie: fp.mechanism.Witness) -> list[str]:
    if lie.kind == "split":
        names = [f"as {name}: {_say_report(report)}" for name, report in lie.reports.items()]
        return [f"{lie.agents[0]} takes part under {len(names)} names and reports {'; '.join(names)}."]
    return [f"{name} reports {_say_report(report)} instead of the truth." for name, report in lie.reports.items()]


def list_witness(entry: Mapping[str, Any]) -> list[str]:
    """Say who lies, what that changes and what it brings, one sentence each."""
    lie = fp.mechanism.Witness.from_dict(entry)
    said = [f"{name} lies as well and reports {_say_report(report)}." for name, report in lie.given.items()]
    said += _say_lies(lie)
    before, after = say_profile(lie.contributions_truthful), say_profile(lie.contributions_lying)
    said.append(
        f"The plan stays {after}." if before == after else f"The plan becomes: {after}; instead of: {before}."
    )
    lost = [name for name, is_met in lie.met_lying.items() if lie.met_truthful.get(name) and not is_met]
    won = [name for name, is_met in lie.met_lying.items() if is_met and not lie.met_truthful.get(name)]
    if lost:
        said.append(f"In truth that misses the target of {join_names(lost)}.")
    if won:
        said.append(f"In truth that meets the target of {join_names(won)}, which was missed otherwise.")
    who, has = " and ".join(lie.agents), "has" if len(lie.agents) == 1 else "have"
    had, left = format_number(lie.utility_truthful), format_number(lie.utility_lying)
    said.append(f"{who} {has} {left} instead of {had}: a gain of {format_number(lie.gain)}.")
    return said


def list_findings(audit: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return what was found in each sense that was searched, with the sense in words."""
    return [(SENSES[sense], audit[sense]) for sense in SENSES if audit[sense]["tried"]]


def list_applied(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rules of an answer that could be applied."""
    return [row for row in answer["rules"] if row["settlement"] is not None]
