"""What there is to say about a federation: what it is, and what one may stumble over."""

from __future__ import annotations

from collections.abc import Mapping

import fedpact as fp
from fedpact.explain.numbers import count_of, format_number, join_names

OBJECTIVES: Mapping[str, str] = {
    "pac": "a large error is rare (pac)",
    "expected": "the error is small on average (expected)",
}
GUARANTEES: Mapping[str, str] = {
    "per-agent": "each target by itself (per-agent)",
    "joint": "all targets at once (joint)",
}


def _say_range(values: list[float]) -> str:
    low, high = min(values), max(values)
    return format_number(low) if low == high else f"{format_number(low)} to {format_number(high)}"


def describe(fed: fp.Federation) -> str:
    """Say in two sentences who wants what.

    Examples
    --------
    >>> describe(fp.examples.alice_bob())  # doctest: +NORMALIZE_WHITESPACE
    '2 agents want to learn which of 4 hypotheses is right. Each accepts an error of up to 0.1 on its own data, and
    that this fails with probability 0.05.'
    """
    errors = _say_range([agent.epsilon for agent in fed.agents])
    who = "The agent accepts" if fed.k == 1 else "Each accepts"
    if fed.objective == "expected":
        target = f"{who} an expected error of up to {errors} on its own data."
    else:
        failing = "that this fails" if fed.guarantee == "per-agent" else "that this fails for anybody"
        delta = format_number(fed.delta)
        target = f"{who} an error of up to {errors} on its own data, and {failing} with probability {delta}."
    wants = "wants" if fed.k == 1 else "want"
    which = f"which of {count_of(fed.H, 'hypothesis', 'hypotheses')} is right"
    return f"{count_of(fed.k, 'agent')} {wants} to learn {which}. {target}"


def _is_or_are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def observe(fed: fp.Federation) -> tuple[str, ...]:
    """List what one may stumble over, one sentence each; nothing if all is plain.

    Examples
    --------
    >>> observe(fp.examples.alice_bob())
    ()
    >>> observe(fp.examples.alice_bob().replace(capacity={"alice": 0, "bob": None}))
    ('alice has a capacity of 0: nothing can be asked for there.',)
    """
    found = [*_observe_hypotheses(fed)]
    if fed.is_sampled:
        found.append(
            f"The rates were counted on a sample ({fp.planning.summarise(fed).evidence}) and are taken for the "
            "truth, so plans may miss the true targets. On the command line --confidence 0.95 allows for that."
        )
    for names, what in (
        ([agent.name for agent in fed.agents if agent.epsilon == 0], "tolerating no error at all (epsilon 0)"),
        ([agent.name for agent in fed.agents if agent.epsilon >= 1], "content with any error (epsilon 1)"),
    ):
        if names:
            found.append(f"{join_names(names)} {_is_or_are(names)} {what}: check that this is meant.")
    empty = [agent.name for agent in fed.agents if agent.capacity == 0]
    if empty:
        has = "has" if len(empty) == 1 else "have"
        found.append(f"{join_names(empty)} {has} a capacity of 0: nothing can be asked for there.")
    return tuple(found)


def _observe_hypotheses(fed: fp.Federation) -> list[str]:
    if fed.H == 1:
        return ["Nobody's data tell any two hypotheses apart: there is nothing to learn."]
    same = fed.H_given - fed.H
    if not same:
        return []
    agree = "agrees" if same == 1 else "agree"
    return [
        f"{same:,} of {fed.H_given:,} hypotheses {agree} with another one on everybody's data, so nobody can tell "
        "them apart; each is counted once."
    ]


def fits_in_one_file(fed: fp.Federation) -> bool:
    """Whether a federation can be written as one file: only tables can."""
    return fp.planning.summarise(fed).evidence.startswith("a table")
