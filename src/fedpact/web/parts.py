"""The parts of the pages: which question each asks, and which pages show it.

A part whose answer takes long may show a draft meanwhile; an audit waits until it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fedpact.web.options import Options
from fedpact.web.questions import DRAFT, QUICK_METHODS, Question
from fedpact.web.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a page."""

    name: str
    title: str
    ask: Callable[[View], Question | None]
    """Its question; None where nobody has asked for it yet."""
    draft: Callable[[View], Question | None] = lambda view: None
    """A quick question of the same kind, whose answer is shown until the other's is there."""
    beside: str | None = None
    """Another part of the same page whose answer, once it is there, is drawn into this one's chart."""


def _question(view: View, name: str, after: Question | None = None, **options: Any) -> Question:
    return Question(
        name=name,
        federation=view.known.key,
        changes=view.changed.changes,
        options=tuple(options.items()),
        after=after,
    )


def ask_plan(view: View, method: str | None = None) -> Question:
    """Ask for the plan of an address."""
    chosen = method or view.options.method
    return _question(view, "plan", method=chosen, seconds=view.options.seconds)


def _draft_plan(view: View) -> Question | None:
    return None if view.options.method in QUICK_METHODS else ask_plan(view, DRAFT)


def _ask_audit(view: View) -> Question | None:
    asked: Options = view.options
    if asked.audit is None:
        return None
    return _question(view, "audit", n_misreports=asked.audit, seconds=asked.seconds)


_ALL = (
    Part(
        name="divergence",
        title="How their data differ",
        ask=lambda view: Question(name="divergence", federation=view.known.key),
    ),
    Part(name="plan", title="Who labels how many, and is paid what", ask=ask_plan, draft=_draft_plan),
    Part(
        name="against",
        title="What coordination saves",
        ask=lambda view: _question(view, "against", ask_plan(view), order=view.options.order),
        draft=lambda view: _question(view, "against", ask_plan(view, DRAFT), order=view.options.order),
    ),
    Part(
        name="frontier",
        title="What accuracy costs",
        ask=lambda view: _question(view, "frontier", method=DRAFT),
    ),
    Part(
        name="dynamics",
        title="If everybody responds to everybody",
        ask=lambda view: _question(view, "against", order=view.options.order),
        beside="equilibria",
    ),
    Part(
        name="equilibria",
        title="Where nobody wants to change anything",
        ask=lambda view: _question(view, "equilibria", ask_plan(view), seconds=view.options.seconds),
    ),
    Part(
        name="payments",
        title="Rules of payment, side by side",
        ask=lambda view: _question(
            view, "payments", ask_plan(view), fee=view.options.fee, ceiling=view.options.ceiling
        ),
        draft=lambda view: _question(
            view, "payments", ask_plan(view, DRAFT), fee=view.options.fee, ceiling=view.options.ceiling
        ),
    ),
    Part(name="audit", title="Does it pay to misreport?", ask=_ask_audit),
)
PARTS: Mapping[str, Part] = {part.name: part for part in _ALL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: its name in addresses, its title, its parts."""

    name: str
    title: str
    parts: tuple[str, ...]


PAGES: Mapping[str, Page] = {
    page.name: page
    for page in (
        Page(name="federation", title="Federation", parts=("divergence",)),
        Page(name="plan", title="Plan", parts=("plan", "against", "frontier")),
        Page(name="game", title="Game", parts=("dynamics", "equilibria")),
        Page(name="payments", title="Payments", parts=("payments", "audit")),
    )
}
RUN = Page(name="run", title="Run", parts=())
"""It asks no questions, so it is no part of an export: see :mod:`fedpact.web.run_pages`."""
