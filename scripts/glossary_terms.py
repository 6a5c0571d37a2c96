"""The terms of the glossary under headings of their own, which the site's search finds before any text."""

from __future__ import annotations

import re

_HEAD = re.compile(r"^\| term .*\n\|---.*\n", flags=re.MULTILINE)
_TERM = re.compile(r"^\| ([^|]+?) +\| ([^|]+?) +\| ([^|]*?) *\| ([^|]+?) +\|$", flags=re.MULTILINE)


def head_terms(markdown: str) -> str:
    """Turn each row of the table of terms into a heading and a line."""
    letters, title, terms = markdown.partition("## Terms\n")
    return letters + title + _TERM.sub(r"### \1\n\n\2; \3 \4\n", _HEAD.sub("", terms))
