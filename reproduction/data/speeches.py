"""What one role says in a play, as Project Gutenberg sets plays: a name on its own line, then the speech.

A name follows an empty line and ends in a full stop ("Ham.", "P. King.", "DUKE and SENATORS."). A speech lasts
until the next name or the next scene, over empty lines and over stage directions, which stand in brackets and
are left out. Lines are kept as lines; speeches follow one another as lines do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_DIRECTION = re.compile(r"\[[^\]]*\]")
_NAME = re.compile(r"(?:\d )?[A-Z][A-Za-z]*(?:\.? (?:and )?[A-Z][A-Za-z]*)*\.")
_HEADING = re.compile(r"(?:act|scene) [IVX]+\.", re.IGNORECASE)


def _walk(play: str) -> Iterator[tuple[str, str]]:
    """Every line that is spoken, with the name of its speaker as printed."""
    speaker, is_after_gap = "", True
    for line in map(str.strip, _DIRECTION.sub("", play).splitlines()):
        if _HEADING.match(line):
            speaker = ""
        elif is_after_gap and _NAME.fullmatch(line):
            speaker = line.removesuffix(".")
        elif line and speaker:
            yield speaker, line
        is_after_gap = not line


def read_speeches(play: str, name: str) -> str:
    r"""Join all that is said under ``name``, line by line.

    Examples
    --------
    >>> play = '''
    ... Ann.
    ... Who's there?
    ...
    ... Ben.
    ... [Aside.] Nobody.
    ...
    ... Ann.
    ... Nobody?
    ...
    ... [A noise.]
    ...
    ... I heard a noise.
    ...
    ... Scene II. A street.
    ... '''
    >>> read_speeches(play, "Ann")
    "Who's there?\nNobody?\nI heard a noise."
    """
    return "\n".join(line for speaker, line in _walk(play) if speaker == name)
