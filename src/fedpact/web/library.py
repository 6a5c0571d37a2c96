"""The federations that a server knows: the file it was started with, the examples, and what was sent to it.

Each has a key that stands in addresses. A federation never changes: an edit is written in the address
(:mod:`fedpact.web.view`), so two who edit the same one cannot overwrite each other.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import tempfile
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fastapi import HTTPException, UploadFile

import fedpact as fp
from fedpact.web.limits import Limits

DEFAULT = "arizona-hospitals"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A federation and how it is addressed."""

    key: str
    federation: fp.Federation
    source: str
    """Where it comes from, in words."""


class Library:
    """Federations by key."""

    def __init__(self, limits: Limits, first: fp.Federation | None = None) -> None:
        self._limits = limits
        self._sent: OrderedDict[str, Known] = OrderedDict()
        self._fixed: dict[str, Known] = {}
        self.default = DEFAULT
        if first is not None:
            limits.check_federation(first)
            self.default = f"file-{first.fingerprint[:12]}"
            source = "the file that this page was started with"
            self._fixed[self.default] = Known(key=self.default, federation=first, source=source)

    def get(self, key: str) -> Known:
        """Return the federation of a key.

        Raises
        ------
        HTTPException
            If there is none, or it was sent long ago and is forgotten.
        """
        with contextlib.suppress(KeyError):
            self._sent.move_to_end(key)
        known = self._fixed.get(key) or self._sent.get(key) or self._build_example(key)
        if known is None:
            said = (
                f"there is no federation {key!r} here; files that were sent are kept in memory only: send it again"
            )
            raise HTTPException(404, said)
        return known

    def _build_example(self, key: str) -> Known | None:
        """Return an example, with its arguments' defaults."""
        if key not in fp.examples.CATALOGUE:
            return None
        entry = fp.examples.find(key)
        self._fixed[key] = Known(key=key, federation=fp.examples.build(key), source=f"example, {entry.source}")
        return self._fixed[key]

    def add(self, files: Mapping[str, bytes], fed: fp.Federation) -> Known:
        """Keep a federation that was sent; the same files have the same key."""
        digest = hashlib.sha256()
        for name in sorted(files):
            digest.update(f"{name}:{len(files[name])}:".encode() + files[name])
        key = f"sent-{digest.hexdigest()[:16]}"
        self._sent[key] = Known(key=key, federation=fed, source="sent to this page; kept until it ends")
        self._sent.move_to_end(key)
        while len(self._sent) > self._limits.federations:
            self._sent.popitem(last=False)
        return self._sent[key]

    @property
    def examples(self) -> list[dict[str, str]]:
        """Names of the examples and what they show."""
        return [{"key": entry.name, "summary": entry.summary} for entry in fp.examples.CATALOGUE.values()]


def write_file(fed: fp.Federation, syntax: str) -> str:
    """Return a federation as a file's text, or raise if it needs other files beside it."""
    with tempfile.TemporaryDirectory(prefix="fedpact-") as folder:
        path = Path(folder, f"federation.{syntax}")
        fed.save(path)
        if len(list(Path(folder).iterdir())) > 1:
            raise fp.FederationError(
                "its predictions or reports are in files of their own; only tables fit in one file"
            )
        return path.read_text(encoding="utf-8")


def name_file(fed: fp.Federation, ending: str) -> str:
    """Return a name for a download: letters, digits and dashes of the federation's.

    Examples
    --------
    >>> name_file(fp.examples.alice_bob(), "toml")
    'alice-bob.toml'
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "-", fed.name).strip("-")[:60]
    return f"{plain or 'federation'}.{ending}"


def as_json(values: object) -> str:
    """Write plain values as JSON that may stand inside a page: no ``<`` ends a script early."""
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


_ENDINGS = (".toml", ".json")
_DATA = (".npy", ".npz", ".csv")


class Sent(NamedTuple):
    """Files as they were sent, by name, and which of them describes the federation."""

    files: dict[str, bytes]
    main: str


def read_text(text: str, syntax: str | None = None) -> Sent:
    """Take a federation file that was pasted."""
    if not text.strip():
        raise HTTPException(422, "paste a federation file, TOML or JSON; nothing was sent")
    chosen = syntax or ("json" if text.lstrip().startswith("{") else "toml")
    if chosen not in ("toml", "json"):
        raise HTTPException(422, f"syntax must be toml or json; it is {chosen[:40]!r}")
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise HTTPException(422, "the text is not Unicode that can be written as UTF-8") from None
    return Sent({f"pasted.{chosen}": data}, f"pasted.{chosen}")


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
    return Sent(files, _find_main(list(files)))
