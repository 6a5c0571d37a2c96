"""Federations that are sent: as text, or as files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import HTTPException, UploadFile

_ENDINGS = (".toml", ".json")
_DATA = (".npy", ".npz", ".csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Files as they were sent, and which of them describes the federation."""

    files: Mapping[str, bytes]
    main: str


def guess_syntax(text: str) -> str:
    """Tell JSON from TOML.

    Examples
    --------
    >>> guess_syntax('{"delta": 0.1}'), guess_syntax("delta = 0.1")
    ('json', 'toml')
    """
    if not text.lstrip().startswith("{"):
        return "toml"
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return "json" if '"' in text.split("\n", 1)[0] or "=" not in text else "toml"
    return "json"


def read_text(text: str, syntax: str | None = None) -> Sent:
    """Take a federation file that was pasted."""
    if not text.strip():
        raise HTTPException(422, "paste a federation file, TOML or JSON; nothing was sent")
    chosen = guess_syntax(text) if syntax is None else syntax
    if chosen not in ("toml", "json"):
        raise HTTPException(422, f"syntax must be toml or json; it is {chosen[:40]!r}")
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise HTTPException(422, "the text is not Unicode that can be written as UTF-8") from None
    return Sent(files={f"pasted.{chosen}": data}, main=f"pasted.{chosen}")


def _read_name(name: str | None) -> str:
    """Return the last part of a name, which is all that is used of it."""
    last = re.split(r"[/\\]", name or "")[-1]
    if last in ("", ".", "..") or not last.isprintable() or len(last.encode()) > 200:
        raise HTTPException(422, "every file needs a plain name, such as network.toml")
    if not last.lower().endswith((*_ENDINGS, *_DATA)):
        raise HTTPException(
            422, f"{last!r} is not a file of a federation; these end in {', '.join((*_ENDINGS, *_DATA))}"
        )
    return last


def _find_main(names: list[str]) -> str:
    mains = [name for name in names if name.lower().endswith(_ENDINGS)]
    if len(mains) != 1:
        said = "none does" if not mains else f"{len(mains)} do: {', '.join(mains[:5])}"
        raise HTTPException(422, f"exactly one file must describe the federation (.toml or .json); {said}")
    return mains[0]


async def read_files(sent: Sequence[UploadFile]) -> Sent:
    """Take the files of a form."""
    files: dict[str, bytes] = {}
    for file in sent:
        name = _read_name(file.filename)
        if name in files:
            raise HTTPException(422, f"two files are called {name!r}; their names must differ")
        files[name] = await file.read()
    if not files:
        raise HTTPException(422, "choose a federation file, and the files that it names (field files of a form)")
    return Sent(files=files, main=_find_main(list(files)))
