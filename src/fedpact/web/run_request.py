"""What somebody asks for who starts a run: read, and refused with a sentence where it cannot be."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import parse_qsl, urlencode

import fedpact as fp
from fedpact.web.library import Known
from fedpact.web.models import RunRequest
from fedpact.web.run_record import RunNote
from fedpact.web.run_tasks import PATIENCE, RunTask
from fedpact.web.view import MOST_PARAMETERS, View, read_view

METHODS = ("auto", "tree", "union", "lp")
"""Sites send reports, which is not enough for "exact"."""
RULES = ("pwyc", "equal-split", "proportional", "none")
"""Rules that pay for contributions as they were made."""
"""Parameters of an address."""


def view_of(known: Known, query: str) -> View:
    """Read the address of a federation that is to be run.

    Raises
    ------
    FederationError
        If what stands behind its ``?`` cannot be read.
    """
    try:
        given = parse_qsl(query.removeprefix("?"), max_num_fields=MOST_PARAMETERS)
    except ValueError:
        raise fp.FederationError(f"an address has at most {MOST_PARAMETERS:,} parameters") from None
    return read_view(known, given)


def say_why_not(fed: fp.Federation) -> str | None:
    """Say why sites cannot be made up from a federation, if they cannot."""
    if not hasattr(fed.evidence, "reports"):
        return None
    try:
        fp.protocol.simulate_sites(fed)
    except fp.FederationError as error:
        return str(error)
    return None


def _read_terms(asked: RunRequest) -> dict[str, Any]:
    fee = None if asked.fee == "" else asked.fee
    return {"method": asked.method, "rule": asked.rule, "fee": fee, "false_alarm_rate": asked.false_alarm_rate}


def _say_pact_problems(fed: fp.Federation, asked: RunRequest) -> list[str]:
    try:
        fp.protocol.make_pact(fed, patience=PATIENCE, **_read_terms(asked))
    except fp.FederationError as error:
        if isinstance(asked.fee, dict):
            return list(error.problems)
        return [error.problems[0].removeprefix(f"agent {fed.names[0]!r}: ")]
    return []


def _say_teacher_problems(fed: fp.Federation, teacher: str | None) -> list[str]:
    if teacher is None:
        return []
    try:
        fed.replace(teacher=teacher)
    except fp.FederationError as error:
        return list(error.problems)
    return []


def read_request(asked: RunRequest, known: Known) -> tuple[RunTask, RunNote]:
    """Return what a process is to do, and what is noted beside its ledger.

    Raises
    ------
    FederationError
        With everything that stands in the way.
    """
    view = view_of(known, asked.query)
    fed, teacher, refused = view.fed, asked.teacher or None, say_why_not(view.fed)
    problems = [] if refused is None else [refused]
    problems += [f"{field}: {problem}" for field, problem in view.changed.problems.items()]
    problems += [*_say_pact_problems(fed, asked), *_say_teacher_problems(fed, teacher)]
    if problems:
        raise fp.FederationError(problems)
    task = RunTask(federation=fed, terms=_read_terms(asked), teacher=teacher, seed=asked.seed)
    note = RunNote(
        federation=known.key,
        query=urlencode(view.changed.given),
        teacher=teacher,
        seed=asked.seed,
        created=time.time(),
    )
    return task, note
