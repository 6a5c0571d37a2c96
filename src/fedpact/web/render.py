"""Pages and their parts as HTML, from one set of templates for the page and for the export."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

import fedpact as fp
from fedpact.explain import explain, federation
from fedpact.explain.numbers import count_of, format_field, format_number, format_share
from fedpact.explain.phrases import name_rule
from fedpact.explain.words import words_of, write
from fedpact.game.dynamics import ORDERS
from fedpact.mechanism.payment.money import without_dust
from fedpact.planning.methods import PLANNERS
from fedpact.web.charts import EXPLAINED
from fedpact.web.jobs import Job, JobState
from fedpact.web.library import as_json
from fedpact.web.parts import PAGES, RUN, Page, Part
from fedpact.web.sliders import list_sliders
from fedpact.web.view import COST_FORMS, MOST_MISREPORTS, MOST_SECONDS, View


@dataclass(frozen=True, slots=True, kw_only=True)
class PartState:
    """A part of a page, and how far its answer is."""

    part: Part
    job: Job | None = None
    draft: Job | None = None
    beside: dict[str, Any] | None = None
    """The answer of the part that is drawn into the same chart, if it is there."""

    @property
    def state(self) -> str:
        """A job's state, or "idle" where nobody has asked yet."""
        return "idle" if self.job is None else self.job.state.value

    @property
    def is_draft(self) -> bool:
        """Whether a draft is shown; also where nothing but the draft was asked for."""
        if self.draft is None or self.draft.state is not JobState.DONE:
            return False
        return self.job is None or self.job is self.draft or self.job.state is not JobState.DONE

    @property
    def answer(self) -> dict[str, Any] | None:
        """The answer, or that of the draft until it is there."""
        shown = self.draft if self.is_draft else self.job
        return None if shown is None or shown.state is not JobState.DONE else shown.answer

    @property
    def is_busy(self) -> bool:
        """Whether an answer is on its way."""
        return self.job is not None and not self.job.is_over

    @property
    def problems(self) -> tuple[str, ...]:
        """Why there is no answer."""
        return () if self.job is None else self.job.problems

    @property
    def has_no_plan(self) -> bool:
        """Whether there is no answer because no plan exists."""
        return self.job is not None and self.job.has_no_plan


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("fedpact.web"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": format_number,
        "amount": lambda value, size: format_number(without_dust(value, size)),
        "share": format_share,
        "field": format_field,
        "json": as_json,
        "cell": write,
        "capital": lambda text: text[:1].upper() + text[1:],
        "mark": {"good": "met", "so-so": "so-so", "bad": "missed", "": ""}.__getitem__,
    }
    made.globals |= {
        "count_of": count_of,
        "said_of": explain,
        "pages": [*PAGES.values(), RUN],
        "methods": PLANNERS,
        "orders": ORDERS,
        "cost_forms": COST_FORMS,
        "most_reports": MOST_MISREPORTS,
        "most_seconds": MOST_SECONDS,
        "version": fp.__version__,
        "words": SimpleNamespace(federation=federation),
        "name_rule": name_rule,
        "say": lambda kind, key: words_of(kind).say(key),
        "sliders_of": list_sliders,
        "explained": EXPLAINED,
        "is_export": False,
    }
    return made


def render(template: str, **values: Any) -> str:
    """Fill a template."""
    return _environment().get_template(template).render(**values)


def render_part(view: View, state: PartState) -> str:
    """Return one part, which a page puts in the place of the one before."""
    return render("part.html", view=view, state=state)


def join_parts(states: Iterable[PartState]) -> dict[str, PartState]:
    """Return parts by name, each with the answer of the part beside it."""
    parts = {state.part.name: state for state in states}
    return {
        name: replace(state, beside=parts[state.part.beside].answer) if state.part.beside in parts else state
        for name, state in parts.items()
    }


def render_page(view: View, page: Page, states: Iterable[PartState], **more: Any) -> str:
    """Return a page."""
    parts = join_parts(states)
    return render(f"{page.name}.html", view=view, page=page, parts=parts, **more)


@cache
def read_static(name: str) -> str:
    """Return a file that pages need: the style sheet, or the script."""
    return files("fedpact.web").joinpath("static", name).read_text(encoding="utf-8")


@cache
def read_plotly() -> bytes:
    """Return Plotly's JavaScript, as the installed Python package has it."""
    return files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
