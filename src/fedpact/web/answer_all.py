"""Answer the questions of all pages one after the other, for an export that is written without a server."""

from __future__ import annotations

from collections.abc import Callable

import fedpact as fp
from fedpact.describe.interrupts import on_interrupt
from fedpact.web.jobs import Job, JobState
from fedpact.web.parts import PAGES, PARTS
from fedpact.web.questions import Question, answer, read_failure
from fedpact.web.render import PartState
from fedpact.web.view import View

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
