"""Pages and their parts as HTML, from one set of templates for the page and for the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

import fedpact as fp
from fedpact.web.charts import CHARTS
from fedpact.web.jobs import Job, JobState
from fedpact.web.library import as_json
from fedpact.web.options import METHODS, ORDERS
from fedpact.web.parts import PAGES, RUN, Page, Part
from fedpact.web.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class PartState:
    """A part of a page, and how far its answer is."""

    part: Part
    job: Job | None = None
    draft: Job | None = None

    @property
    def state(self) -> str:
        """A job's state, or "idle" where nobody has asked yet."""
        return "idle" if self.job is None else self.job.state.value

    @property
    def is_draft(self) -> bool:
        """Whether a draft is shown."""
        is_done = self.job is not None and self.job.state is JobState.DONE
        return not is_done and self.draft is not None and self.draft.state is JobState.DONE

    @property
    def answer(self) -> dict[str, Any] | None:
        """The answer, or that of the draft until it is there."""
        shown = self.draft if self.is_draft else self.job
        return None if shown is None or shown.state is not JobState.DONE else shown.answer

    @property
    def problems(self) -> tuple[str, ...]:
        """Why there is no answer."""
        return () if self.job is None else self.job.problems

    @property
    def has_no_plan(self) -> bool:
        """Whether there is no answer because no plan exists."""
        return self.job is not None and self.job.has_no_plan


def format_number(value: float | None) -> str:
    """Six significant digits, thousands apart; a dash for nothing.

    Examples
    --------
    >>> format_number(66.11999999999999), format_number(1234567), format_number(None)
    ('66.12', '1,234,570', '–')
    """
    if value is None:
        return "–"
    text = f"{float(f'{value:.6g}'):,.10f}".rstrip("0").rstrip(".")
    return f"{value:.6g}" if value and text.strip("-0.,") == "" else text


def count_of(number: int, what: str) -> str:
    """Say how many there are of something.

    Examples
    --------
    >>> count_of(1, "sample"), count_of(2000, "sample")
    ('1 sample', '2,000 samples')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("fedpact.web"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": format_number, "json": as_json}
    made.globals |= {
        "count_of": count_of,
        "pages": [*PAGES.values(), RUN],
        "methods": METHODS,
        "orders": ORDERS,
        "version": fp.__version__,
        "charts_of": lambda state, view: CHARTS[state.part.name](view, state.answer),
    }
    return made


def render(template: str, **values: Any) -> str:
    """Fill a template."""
    return _environment().get_template(template).render(**values)


def render_part(view: View, state: PartState) -> str:
    """Return one part, which a page puts in the place of the one before."""
    return render("part.html", view=view, state=state)


def render_page(view: View, page: Page, states: Iterable[PartState], **more: Any) -> str:
    """Return a page."""
    parts = {state.part.name: state for state in states}
    return render(f"{page.name}.html", view=view, page=page, parts=parts, **more)


@cache
def read_static(name: str) -> str:
    """Return a file that pages need: the style sheet, or the script."""
    return files("fedpact.web").joinpath("static", name).read_text(encoding="utf-8")


def say_problems(problems: Mapping[str, str]) -> list[str]:
    """List what is wrong with an address."""
    return [f"{field}: {problem}" for field, problem in problems.items()]
