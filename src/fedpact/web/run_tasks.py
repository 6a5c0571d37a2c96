"""What a process does for the Run page: carry out a run of the protocol, or look through a ledger.

A run is carried out in a folder of its own, with a ledger. Whoever is told to carry out a run whose folder is
there already goes on from its ledger, so that a process that was killed is followed by another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import fedpact as fp
from fedpact.protocol.home import hold_home

PREPARED = "prepared"
"""What is told when the folder is there, with its ledger."""
PATIENCE = 60.0
"""Seconds that a site has to answer: those that are made up need no people to label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTask:
    """A run to carry out."""

    folder: str = ""
    """Its home; who keeps the runs says which."""
    federation: fp.Federation | None = None
    """What sites are made up from; None if the home is there already."""
    terms: Mapping[str, Any] = field(default_factory=dict)
    """For :func:`fedpact.protocol.make_pact`."""
    teacher: str | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTask:
    """A ledger to look through."""

    ledger: str
    """Path or URL."""


def _prepare(task: RunTask) -> fp.protocol.RunHome:
    """Find the home of a run, or make it."""
    try:
        return fp.protocol.read_home(task.folder)
    except fp.errors.ProtocolError:
        if task.federation is None:
            raise
    pact = fp.protocol.make_pact(task.federation, patience=PATIENCE, **task.terms)
    sites = fp.protocol.simulate_sites(task.federation, teacher=task.teacher, seed=task.seed)
    return fp.protocol.prepare_home(task.folder, pact, sites)


def carry_out(task: RunTask, tell: Callable[[float, str], None]) -> fp.protocol.RunStatus:
    """Bring a run to its end, from where its ledger ends; returns how it stands then.

    Raises
    ------
    FedpactError
        If the run cannot begin or go on: another process is at work on it, say.
    """
    with hold_home(task.folder):
        home = _prepare(task)
        tell(0.0, PREPARED)
        return fp.protocol.run_home(home).status


def check_ledger(task: CheckTask) -> tuple[fp.protocol.LedgerCheck, fp.protocol.BooksCheck | None]:
    """Check every entry, every link and, in a file, every byte; then that signatures and payments are right."""
    found = fp.protocol.verify_ledger(task.ledger)
    return found, fp.protocol.check_books(task.ledger) if found.is_intact else None
