"""What one address shows: a federation with its changes, and what is asked about it.

``?delta=0.1&cost[alice]=2&capacity[bob]=40&epsilon=0.2``: ``delta``, ``objective`` and ``guarantee`` are the
federation's; ``epsilon``, ``cost`` and ``capacity`` are for everybody, or with a name in brackets for one. A
number may be a fraction ("1/3"); a cost that is not linear is written as in a JSON file,
``{"quadratic": [1, 0.1]}``; an empty value leaves things as they are, and a capacity "none" takes a limit away.
Beside the federation, an address has options: the method, the order of play, fees, how long to search.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import fedpact as fp
from fedpact.describe.costs import KINDS as COSTS
from fedpact.describe.names import read_choice
from fedpact.explain.numbers import format_field
from fedpact.game.dynamics import ORDERS
from fedpact.planning.methods import PLANNERS
from fedpact.web.library import Known

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


COST_FORMS = tuple(re.sub(r"(\w+) =", r'"\1":', kind.FORM) for kind in COSTS if kind.KEYS)
"""What costs that are not the same for every sample are written like."""


def _read_cost(text: str) -> Any:
    if not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise fp.FederationError(f"cost must be a number, or be written as {' or '.join(COST_FORMS)}") from None


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


METHODS = tuple(PLANNERS)
MOST_MISREPORTS = 2_000
MOST_SECONDS = 240.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked for; without anything in the address, this."""

    method: str = "auto"
    order: str = "round-robin"
    seconds: float = 10.0
    """For each search."""
    fee: float | None = None
    """For the rule "pwyc", what everybody pays for taking part."""
    ceiling: float | None = None
    """For the rule "threshold", the most that a sample may cost."""
    audit: int | None = None
    """Misreports to try on every rule; None if no audit is asked for."""


_CHOICES = {"method": METHODS, "order": ORDERS}
_RANGES: Mapping[str, tuple[type[float], float, float]] = {
    "seconds": (float, 0, MOST_SECONDS),
    "fee": (float, -1e12, 1e12),
    "ceiling": (float, 0, 1e12),
    "audit": (int, 1, MOST_MISREPORTS),
}


def _read_option(field: str, text: str) -> str | float:
    if field in _CHOICES:
        return read_choice(text, field, _CHOICES[field])
    kind, low, high = _RANGES[field]
    with contextlib.suppress(ValueError):
        if low <= (value := kind(text)) <= high:
            return value
    rule = f"a whole number from {low} to {high:,}" if kind is int else f"a number from {low:g} to {high:g}"
    raise fp.FederationError(f"{field} must be {rule}; it is {text[:40]!r}")


def read_options(parameters: Iterable[tuple[str, str]]) -> tuple[Options, dict[str, str]]:
    """Read the options of an address, and say what is wrong with any of them.

    Examples
    --------
    >>> read_options([("method", "lp"), ("seconds", "-1")])[1]
    {'seconds': "seconds must be a number from 0 to 240; it is '-1'"}
    """
    found, problems = Options(), {}
    for field, text in parameters:
        if field not in Options.__slots__ or not text.strip():
            continue
        try:
            found = replace(found, **{field: _read_option(field, text.strip())})  # type: ignore[arg-type]
        except fp.FederationError as error:
            problems[field] = str(error)
    return found, problems


def list_options(options: Options) -> list[tuple[str, str]]:
    """Return the options that are not the usual ones, as an address has them."""
    usual = asdict(Options())
    return [
        (field, value if isinstance(value, str) else format_field(value))
        for field, value in asdict(options).items()
        if value != usual[field]
    ]


_MOST_PARAMETERS = 1_000
"""Of an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An address, read."""

    known: Known
    changed: Changed
    options: Options
    problems: Mapping[str, str]
    """Field, as in the address -> what is wrong with its value."""

    @property
    def fed(self) -> fp.Federation:
        """The federation with its changes."""
        return self.changed.federation

    @property
    def query(self) -> str:
        """The address behind the ``?``: changes and options, so that whoever opens it sees the same."""
        return urlencode(self.kept)

    def _write(self, page: str, given: Iterable[tuple[str, str]]) -> str:
        query = urlencode(list(given))
        return f"/federations/{quote(self.known.key, safe='')}/{page}{'?' if query else ''}{query}"

    def address(self, page: str, **options: str) -> str:
        """Return the address of a page about the same federation, with these options besides."""
        return self._write(page, [*(pair for pair in self.kept if pair[0] not in options), *options.items()])

    def address_of_file(self, page: str) -> str:
        """Return the address of a page about the federation as its file has it, with the same options."""
        return self._write(page, list_options(self.options))

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What an address of the same federation says, name by name: changes, then options."""
        return [*self.changed.given, *list_options(self.options)]

    @property
    def wrong(self) -> Mapping[str, str]:
        """Field -> the text in it that is wrong, so that a form can show it again."""
        return {name: text for name, text in self.changed.given if name in self.problems}


def read_view(known: Known, parameters: Iterable[tuple[str, str]]) -> View:
    """Read an address."""
    given = list(parameters)
    changed = read_changes(known.federation, given)
    options, problems = read_options(given)
    return View(known=known, changed=changed, options=options, problems={**changed.problems, **problems})


def read_address(known: Known, query: str) -> View:
    """Read what stands in an address behind its ``?``.

    Raises
    ------
    FederationError
        If it has too many parameters.
    """
    try:
        given = parse_qsl(query.removeprefix("?"), max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        raise fp.FederationError(f"an address has at most {_MOST_PARAMETERS:,} parameters") from None
    return read_view(known, given)
