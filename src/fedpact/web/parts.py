"""The parts of the pages: which question each asks, and which pages show it.

A part whose answer takes long may show a draft meanwhile; an audit waits until it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fedpact.explain.words import words_of
from fedpact.web.questions import DRAFT, QUICK_METHODS, Question
from fedpact.web.view import View

Ask = Callable[[View, str], Question | None]
"""From an address, and the method of the plan that the question rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a page."""

    name: str
    question: Ask
    """None where nobody has asked for it yet."""
    has_draft: bool = False
    """Whether a question with a quick plan is asked as well; its answer is shown until the other's is there."""
    beside: str | None = None
    """Another part of the same page whose answer, once it is there, is drawn into this one's chart."""

    @property
    def title(self) -> str:
        """What stands above it."""
        return words_of("pages").say(f"part.{self.name}")

    def ask(self, view: View) -> Question | None:
        """Return its question about an address, if it was asked for."""
        return self.question(view, view.options.method)

    def draft(self, view: View) -> Question | None:
        """Return a quick question of the same kind, if it has one and its own is not quick."""
        return self.question(view, DRAFT) if self.has_draft and view.options.method not in QUICK_METHODS else None


def _question(view: View, name: str, after: Question | None = None, **options: Any) -> Question:
    changes, given = view.changed.changes, tuple(options.items())
    return Question(name=name, federation=view.known.key, changes=changes, options=given, after=after)


def _ask_plan(view: View, method: str) -> Question:
    return _question(view, "plan", method=method, seconds=view.options.seconds)


def _after_plan(name: str, *options: str) -> Ask:
    """Return how to ask a question that rests on a plan, with some options of the address."""
    return lambda view, method: _question(
        view, name, _ask_plan(view, method), **{option: getattr(view.options, option) for option in options}
    )


def _ask_audit(view: View, method: str) -> Question | None:
    asked = view.options
    if asked.audit is None:
        return None
    return _question(view, "audit", n_misreports=asked.audit, seconds=asked.seconds)


_ALL = (
    Part(name="divergence", question=lambda view, _: Question(name="divergence", federation=view.known.key)),
    Part(name="plan", question=_ask_plan, has_draft=True),
    Part(name="against", question=_after_plan("against", "order"), has_draft=True),
    Part(name="frontier", question=lambda view, _: _question(view, "frontier", method=DRAFT)),
    Part(
        name="dynamics",
        question=lambda view, _: _question(view, "against", order=view.options.order),
        beside="equilibria",
    ),
    Part(name="equilibria", question=_after_plan("equilibria", "seconds")),
    Part(name="payments", question=_after_plan("payments", "fee", "ceiling"), has_draft=True),
    Part(name="audit", question=_ask_audit),
)
PARTS: Mapping[str, Part] = {part.name: part for part in _ALL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: its name in addresses, and its parts."""

    name: str
    parts: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What its link says."""
        return words_of("pages").say(f"title.{self.name}")


_SHOWN = {
    "federation": ("divergence",),
    "plan": ("plan", "against", "frontier"),
    "game": ("dynamics", "equilibria"),
    "payments": ("payments", "audit"),
}
PAGES: Mapping[str, Page] = {name: Page(name=name, parts=parts) for name, parts in _SHOWN.items()}
RUN = Page(name="run")
"""It asks no questions, so it is no part of an export: see :mod:`fedpact.web.run_routes`."""
