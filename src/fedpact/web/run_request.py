"""What somebody asks for who starts a run: read, and refused with a sentence where it cannot be."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
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


def _find_problems(make: Callable[..., object], *given: Any, **options: Any) -> list[str]:
    """Return why something cannot be made."""
    try:
        make(*given, **options)
    except fp.FederationError as error:
        return list(error.problems)
    return []


def say_why_not(fed: fp.Federation) -> str | None:
    """Say why sites cannot be made up from a federation, if they cannot."""
    problems = _find_problems(fp.protocol.simulate_sites, fed) if hasattr(fed.evidence, "reports") else []
    return str(fp.FederationError(problems)) if problems else None


def _find_pact_problems(fed: fp.Federation, terms: Mapping[str, Any]) -> list[str]:
    found = _find_problems(fp.protocol.make_pact, fed, patience=PATIENCE, **terms)
    if isinstance(terms["fee"], dict):
        return found
    return [problem.removeprefix(f"agent {fed.names[0]!r}: ") for problem in found[:1]]  # the same for everybody


def read_request(asked: RunRequest, known: Known) -> tuple[RunTask, RunNote]:
    """Return what a process is to do, and what is noted beside its ledger.

    Raises
    ------
    FederationError
        With everything that stands in the way.
    """
    view = view_of(known, asked.query)
    fed, teacher, refused = view.fed, asked.teacher or None, say_why_not(view.fed)
    terms = asked.model_dump(include={"method", "rule", "fee", "false_alarm_rate"})
    terms["fee"] = None if asked.fee == "" else asked.fee
    problems = [] if refused is None else [refused]
    problems += [f"{field}: {problem}" for field, problem in view.changed.problems.items()]
    problems += _find_pact_problems(fed, terms)
    problems += [] if teacher is None else _find_problems(fed.replace, teacher=teacher)
    if problems:
        raise fp.FederationError(problems)
    task = RunTask(federation=fed, terms=terms, teacher=teacher, seed=asked.seed)
    note = RunNote(
        federation=known.key,
        query=urlencode(view.changed.given),
        teacher=teacher,
        seed=asked.seed,
        created=time.time(),
    )
    return task, note
