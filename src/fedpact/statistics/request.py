"""What is asked about a federation, beside the targets that it states itself.

``teacher`` is the hypothesis that labels the samples, if it is known which; else any may be the truth.
``at_least`` are the samples of every agent that no plan goes below. Public functions take these as options and put
them together with the federation by :func:`ask`; what is worked out is kept with the two together.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from fedpact.describe.arrays import Ints, Places
from fedpact.describe.evidence import find_twin
from fedpact.describe.federation import Federation
from fedpact.describe.names import nearest
from fedpact.describe.numbers import Number, shorten
from fedpact.errors import FederationError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Request(Federation):
    """A federation and what is asked about it."""

    teacher: str | None = None
    at_least: dict[str, int] | None = None
    """Agent -> samples; None: nobody has contributed yet."""


def ask(
    fed: Federation,
    *,
    teacher: str | None = None,
    at_least: dict[str, int] | None = None,
    assume: str | None = None,
    noise: Number | None = None,
) -> Federation:
    """Put a federation and what is asked together; what is None stays as it is.

    Another assumption is one of the federation itself.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> truths_of(alice_bob()), truths_of(ask(alice_bob(), teacher="xB"))
    (array([0, 1, 2, 3]), array([1]))
    """
    if assume is not None or noise is not None:
        fed = fed.replace(assume=assume, noise=noise)
    if teacher is not None and fed.assume == "agnostic":
        raise FederationError("a teacher labels as one of the hypotheses; with assume 'agnostic' leave it out")
    if teacher is not None and teacher not in fed.evidence.hypotheses:
        hint = nearest(teacher, fed.evidence.hypotheses) if isinstance(teacher, str) else "give a name"
        raise FederationError(f"teacher must be one of the hypotheses; it is {shorten(teacher)} ({hint})")
    asked: dict[str, Any] = {} if teacher is None else {"teacher": teacher}
    asked |= {} if at_least is None else {"at_least": at_least}
    if not asked:
        return fed
    if isinstance(fed, Request):
        return replace(fed, **asked)
    return Request(**{own.name: getattr(fed, own.name) for own in fields(fed)}, **asked)


def teacher_of(fed: Federation) -> str | None:
    """Return the hypothesis that labels, if it is known which."""
    return fed.teacher if isinstance(fed, Request) else None


def at_least_of(fed: Federation) -> dict[str, int] | None:
    """Return what is contributed already, if anything is."""
    return fed.at_least if isinstance(fed, Request) else None


def truths_of(fed: Federation) -> Places:
    """Return the indices of the hypotheses that may be the truth: all, or the teacher."""
    teacher = teacher_of(fed)
    if teacher is None:
        return np.arange(fed.H)
    return np.array([find_twin(fed.evidence, fed.evidence.hypotheses.index(teacher), fed.distinct)])


def least_of(fed: Federation) -> Ints:
    """(k,) the least that each agent gives: what it has contributed already."""
    given = at_least_of(fed)
    if given is None:
        return np.zeros(len(fed.agents), dtype=np.int64)
    return np.array([given[name] for name in fed.names])
