"""Federations that are sent: as text, or as files."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import HTTPException, Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import File, create_form_parser

_MOST_FILES = 500
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


def _parse_form(content_type: str, body: bytes) -> dict[str, bytes]:
    """Return the files of a form's field ``files``, all in memory: the body is bounded."""
    found: list[File] = []
    settings = {"MAX_MEMORY_FILE_SIZE": len(body) + 1, "MAX_FIELDS": _MOST_FILES}
    parser = create_form_parser({"Content-Type": content_type.encode()}, None, found.append, settings)
    parser.write(body)
    parser.finalize()
    files: dict[str, bytes] = {}
    for file in found:
        if file.field_name == b"files" and file.file_name:
            name = _read_name(file.file_name.decode(errors="replace"))
            if name in files:
                raise HTTPException(422, f"two files are called {name!r}; their names must differ")
            file.file_object.seek(0)
            files[name] = file.file_object.read()
    return files


async def read_form(request: Request) -> Sent:
    """Take the files of a form's field ``files``."""
    content_type = request.headers.get("content-type", "")
    if not content_type.startswith("multipart/form-data"):
        raise HTTPException(422, "send files as multipart/form-data in the field files")
    body = await request.body()
    try:
        files = await asyncio.to_thread(_parse_form, content_type, body)
    except FormParserError as error:
        raise HTTPException(422, f"the form cannot be read: {error}") from None
    if not files:
        raise HTTPException(422, "choose a federation file, and the files that it names")
    return Sent(files=files, main=_find_main(list(files)))
