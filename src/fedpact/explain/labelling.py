"""How far people are with labelling, in words, and what they do next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import make_table
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.protocol.site.labelling import Labelling

_WORDS = words_of("labelling")
_COUNTS = ("wanted", "labelled", "missing", "contributed")


def _list_sentences(found: Labelling) -> tuple[str, ...]:
    if found.step == "exported":
        command = shlex.join(["fedpact", "label", "import", found.folder, str(found.file)])
        said = _WORDS.say("exported", file=found.file, missing=found.missing)
        return said, _WORDS.say("next", command=command)
    if found.step == "imported":
        repeated = _WORDS.say("repeated", repeated=found.repeated) if found.repeated else ""
        return (_WORDS.say("imported", added=found.added, repeated=repeated),)
    return ()


def explain_labelling(found: Labelling) -> Explanation:
    """Explain how far labelling is."""
    columns = ", ".join(["run", *(f"{key} count" for key in _COUNTS)])
    row = (found.run or _WORDS.say("fields.no_run"), *(getattr(found, key) for key in _COUNTS))
    return Explanation(
        kind=found.kind,
        title=_WORDS.say("title", site=found.site),
        headline=_WORDS.say(f"status.{found.status}"),
        tables=(make_table(_WORDS, "labels", columns, [row]),),
        sentences=_list_sentences(found),
    )
