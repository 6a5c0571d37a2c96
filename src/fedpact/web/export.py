"""The export: all pages about a federation as one file that needs nothing else, to mail around and to print."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import fedpact as fp
from fedpact.describe.any_federation import AnyFederation, read_federation
from fedpact.describe.progress import on_interrupt
from fedpact.web.jobs import Job, JobState
from fedpact.web.library import Known
from fedpact.web.parts import PAGES, PARTS
from fedpact.web.questions import Question, answer, read_failure
from fedpact.web.render import PartState, join_parts, read_plotly, read_static, render
from fedpact.web.view import View, read_view

PART_NAMES = tuple(dict.fromkeys(part for page in PAGES.values() for part in page.parts))
"""All parts, in the order of the pages."""
Follow = Callable[[int, int, str], None]
"""Called with how many parts are done, how many there are, and what is being worked on."""


def _solve(question: Question, base: fp.Federation, known: dict[Question, Job]) -> Job:
    """Answer a question, and first the one that it rests on; what cannot be answered says why."""
    if question not in known:
        job = known[question] = Job(name=question.name, question=question)
        before = None if question.after is None else _solve(question.after, base, known)
        if before is not None and not before.lets_answer(question):
            job.become(state=before.state, problems=before.problems, has_no_plan=before.has_no_plan)
            return job
        try:
            found = answer(question, base, None if before is None else before.answer)
            job.become(state=JobState.DONE, answer=found)
        except fp.FedpactError as error:
            problems, has_no_plan = read_failure(error)
            job.become(state=JobState.FAILED, problems=problems, has_no_plan=has_no_plan)
    return known[question]


def answer_all(view: View, follow: Follow | None = None) -> list[PartState]:
    """Return all parts with their answers; those that nobody asked for, such as an audit, stay idle."""
    tell = follow or (lambda done, total, what: None)
    known: dict[Question, Job] = {}
    states = []
    for done, name in enumerate(PART_NAMES):
        part = PARTS[name]
        tell(done, len(PART_NAMES), part.title)
        question = part.ask(view)
        with on_interrupt("raise"):
            job = None if question is None else _solve(question, view.known.federation, known)
        states.append(PartState(part=part, job=job))
    tell(len(PART_NAMES), len(PART_NAMES), "")
    return states


_ENDS_EARLY = re.compile(r"<(?=/script|!--)", re.IGNORECASE)


def quote_script(text: str) -> str:
    r"""Write JavaScript so that nothing in it ends the element it stands in, or begins a comment.

    Both can stand only in strings and patterns, where a backslash in between changes nothing.

    Examples
    --------
    >>> print(quote_script("const tag = '</script>';"))
    const tag = '<\/script>';
    """
    return _ENDS_EARLY.sub(r"<\\", text)


def hash_script(text: str) -> str:
    """Return how a content security policy names a script.

    Examples
    --------
    >>> hash_script("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def render_export(view: View, states: Iterable[PartState], *, made: datetime) -> str:
    """Return a page that holds all it needs: texts, tables, charts and what draws them.

    Parameters
    ----------
    view
        The federation, with what was asked about it.
    states
        Parts with their answers; a part that is not among them, or has no answer, says so.
    made
        When; it stands at the foot.
    """
    asked = {state.part.name: state for state in states}
    parts = join_parts(asked.get(name, PartState(part=part)) for name, part in PARTS.items())
    scripts = [quote_script(text) for text in (read_plotly().decode(), read_static("fedpact.js"))]
    policy = (
        f"default-src 'none'; script-src {' '.join(map(hash_script, scripts))}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return render(
        "export.html",
        is_export=True,
        view=view,
        parts=parts,
        chapters=list(PAGES.values()),
        made=f"{made.day} {made:%B %Y, %H:%M %Z}".strip(),
        policy=policy,
        style=read_static("fedpact.css"),
        scripts=scripts,
    )


def export_html(
    fed: AnyFederation,
    *,
    source: str = "",
    follow: Follow | None = None,
    now: datetime | None = None,
    **asked: Any,
) -> str:
    """Return a page that loads nothing from elsewhere: to mail around, to look at, to print.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    source
        Where it comes from, in words.
    follow
        Called with how many parts are done, how many there are, and what is being worked on.
    now
        The date at the foot; if not given, today's.
    asked
        ``method``, ``order``, ``seconds`` (for each search), ``fee``, ``ceiling``, ``audit`` (misreports to try on
        every rule; if not given, none are), as in the address of a page.

    Examples
    --------
    >>> page = export_html(fp.examples.alice_bob(), method="exact")
    >>> page.startswith("<!DOCTYPE html>"), "alice" in page
    (True, True)
    """
    given = [(name, str(value)) for name, value in asked.items() if value is not None]
    view = read_view(Known(key="export", federation=read_federation(fed), source=source), given)
    if view.problems:
        raise fp.FederationError(list(view.problems.values()))
    return render_export(view, answer_all(view, follow), made=now or datetime.now(UTC))
