"""The export: all pages about a federation as one file that needs nothing else, to mail around and to print."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from datetime import datetime

from fedpact.web.parts import PAGES, PARTS
from fedpact.web.render import PartState, join_parts, read_plotly, read_static, render
from fedpact.web.view import View

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
