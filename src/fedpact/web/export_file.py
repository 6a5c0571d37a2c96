"""``export_html``: all pages about a federation as one file, without a server."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import fedpact as fp
from fedpact.describe.any_federation import AnyFederation, read_federation
from fedpact.web.answer_all import Follow, answer_all
from fedpact.web.export import render_export
from fedpact.web.library import Known
from fedpact.web.view import read_view


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
