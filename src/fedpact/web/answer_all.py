"""Answer the questions of all pages one after the other, for an export that is written without a server."""

from __future__ import annotations

from collections.abc import Callable

import fedpact as fp
from fedpact.describe.interrupts import on_interrupt
from fedpact.web.jobs import Job, JobState
from fedpact.web.parts import PAGES, PARTS, Part
from fedpact.web.questions import WITHOUT_PLAN, Answer, Question, answer
from fedpact.web.render import PartState
from fedpact.web.view import View

PART_NAMES = tuple(dict.fromkeys(part for page in PAGES.values() for part in page.parts))
"""All parts, in the order of the pages."""
Follow = Callable[[int, int, str], None]
"""Called with how many parts are done, how many there are, and what is being worked on."""


def _solve(question: Question, base: fp.Federation, known: dict[Question, Job]) -> Job:
    """Answer a question, and first the one that it rests on; what cannot be answered says why."""
    if question in known:
        return known[question]
    job = Job(id="", name=question.name, question=question)
    earlier: Answer | None = None
    try:
        if question.after is not None:
            before = _solve(question.after, base, known)
            if not (before.state is JobState.DONE or (before.has_no_plan and question.name in WITHOUT_PLAN)):
                job.state, job.problems, job.has_no_plan = before.state, before.problems, before.has_no_plan
                return known.setdefault(question, job)
            earlier = before.answer
        job.answer, job.state = answer(question, base, earlier), JobState.DONE
    except fp.FederationError as error:
        job.state, job.problems = JobState.FAILED, error.problems
    except fp.FedpactError as error:
        job.state, job.problems = JobState.FAILED, (str(error),)
        job.has_no_plan = isinstance(error, fp.InfeasibleError)
    return known.setdefault(question, job)


def answer_all(view: View, follow: Follow | None = None) -> list[PartState]:
    """Return all parts with their answers; those that nobody asked for, such as an audit, stay idle."""
    known: dict[Question, Job] = {}
    states = []
    for done, name in enumerate(PART_NAMES):
        part: Part = PARTS[name]
        if follow is not None:
            follow(done, len(PART_NAMES), part.title)
        question = part.ask(view)
        with on_interrupt("raise"):
            job = None if question is None else _solve(question, view.known.federation, known)
        states.append(PartState(part=part, job=job))
    if follow is not None:
        follow(len(PART_NAMES), len(PART_NAMES), "")
    return states
