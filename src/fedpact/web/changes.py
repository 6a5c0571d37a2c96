"""What an address changes of a federation: ``?delta=0.1&cost[alice]=2&capacity[bob]=40&epsilon=0.2``.

``delta``, ``objective`` and ``guarantee`` are the federation's; ``epsilon``, ``cost`` and ``capacity`` are for
everybody, or with a name in brackets for one. A number may be a fraction ("1/3"); a cost that is not linear is
written as in a JSON file, ``{"quadratic": [1, 0.1]}``; an empty value leaves things as they are, and a capacity
"none" takes a limit away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import fedpact as fp

OF_ALL = ("delta", "objective", "guarantee")
PER_AGENT = ("epsilon", "cost", "capacity")
_BRACKETS = re.compile(r"(?P<field>\w+)\[(?P<agent>.*)\]", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A federation as an address has it."""

    federation: fp.Federation
    """With every change that could be made."""
    changes: tuple[tuple[str, Any], ...]
    """The same, for :meth:`fedpact.Federation.replace`; only values that hash."""
    given: tuple[tuple[str, str], ...]
    """What the address says, in its order: the part of it that is about the federation."""
    problems: Mapping[str, str]
    """Field, as in the address -> what is wrong with its value."""


def is_change(name: str) -> bool:
    """Whether a parameter of an address changes the federation.

    Examples
    --------
    >>> [is_change(name) for name in ("delta", "cost[alice]", "cost", "method")]
    [True, True, True, False]
    """
    found = _BRACKETS.fullmatch(name)
    return name in OF_ALL or name in PER_AGENT or (found is not None and found["field"] in PER_AGENT)


def _read_cost(text: str) -> Any:
    if not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise fp.FederationError(
            'cost must be a number, or be written as {"quadratic": [a, b]} or '
            '{"breakpoints": [...], "slopes": [...]}'
        ) from None


def _read_capacity(text: str) -> str | None:
    return None if text.strip().lower() == "none" else text


_READ: Mapping[str, Callable[[str], Any]] = {"cost": _read_cost, "capacity": _read_capacity, "epsilon": str}


def _now(fed: fp.Federation, field: str) -> dict[str, Any]:
    return {agent.name: getattr(agent, field) for agent in fed.agents}


def _change(fed: fp.Federation, given: Sequence[tuple[str, str]]) -> fp.Federation:
    """Make some changes at once, the later ones over the earlier."""
    asked: dict[str, Any] = {}
    for name, text in given:
        if name in OF_ALL:
            asked[name] = text
            continue
        found = _BRACKETS.fullmatch(name)
        field = name if found is None else found["field"]
        value, now = _READ[field](text.strip()), asked.setdefault(field, _now(fed, field))
        if found is not None and found["agent"] not in now:
            raise fp.FederationError(f"{field} names {found['agent']!r}, who is not in the federation")
        for agent in list(now) if found is None else [found["agent"]]:
            now[agent] = value
    return fed.replace(**asked) if asked else fed


def _say(error: fp.FederationError, name: str) -> str:
    """Return the first problem without the agent's name, which stands beside it."""
    found = _BRACKETS.fullmatch(name)
    prefix = "" if found is None else f"agent {found['agent']!r}: "
    return error.problems[0].removeprefix(prefix)


def _collect(base: fp.Federation, fed: fp.Federation) -> tuple[tuple[str, Any], ...]:
    """Arguments of ``replace`` that lead from one federation to another."""

    def values(of: fp.Federation) -> dict[str, Any]:
        own = {field: tuple(_now(of, field).values()) for field in PER_AGENT}
        return {field: getattr(of, field) for field in OF_ALL} | own

    before = values(base)
    return tuple((field, value) for field, value in values(fed).items() if value != before[field])


def read_changes(base: fp.Federation, parameters: Iterable[tuple[str, str]]) -> Changed:
    """Read what an address says; what is wrong with a value is kept beside it, and the value is left out.

    Examples
    --------
    >>> seen = read_changes(fp.examples.alice_bob(), [("cost[bob]", "2"), ("delta", "7"), ("method", "lp")])
    >>> [agent.cost for agent in seen.federation.agents]
    [Linear(rate=1.0), Linear(rate=2.0)]
    >>> seen.problems
    {'delta': 'delta must lie strictly between 0 and 1; it is 7'}
    """
    given = tuple((name, text) for name, text in parameters if is_change(name) and text.strip())
    problems: dict[str, str] = {}
    try:
        fed = _change(base, given)
    except fp.FederationError:
        fed = base
        for name, text in given:
            try:
                fed = _change(fed, [(name, text)])
            except fp.FederationError as error:
                problems[name] = _say(error, name)
    return Changed(federation=fed, changes=_collect(base, fed), given=given, problems=problems)
