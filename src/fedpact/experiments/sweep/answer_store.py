"""Answers that are kept: one JSON file per cell, named after everything that the answer depends on.

The name is the SHA-256 of the cell, its arrays, the experiment with its revision, the packages' versions and,
unless models are trained and nothing else, the program's own text. A file is written beside its place and then
moved there, so that one that is found is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np

from fedpact.errors import FederationError
from fedpact.experiments.sweep.experiment import Arrays

_PART = ".part"


def find_default_folder() -> Path:
    """Where answers are kept if nobody says otherwise: FEDPACT_CACHE, or the user's cache."""
    if os.environ.get("FEDPACT_CACHE"):
        return Path(os.environ["FEDPACT_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fedpact" / "reproduce"


def digest_arrays(arrays: Arrays) -> str:
    """SHA-256 of named arrays: their names, types, shapes and bytes.

    Examples
    --------
    >>> digest_arrays({"a": np.arange(3)}) == digest_arrays({"a": np.arange(3.0)})
    False
    """
    digest = hashlib.sha256()
    for name in sorted(arrays):
        values = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {values.dtype.str} {values.shape}\n".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()


def digest_task(about: Mapping[str, Any], cell: Mapping[str, Any], arrays: str) -> str:
    """SHA-256 of what an answer depends on; the digest of the arrays is given."""
    text = json.dumps([dict(about), dict(cell), arrays], sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _is_whole(found: Any) -> bool:
    """Whether a file holds what :meth:`AnswerStore.keep` writes: an answer and its seconds."""
    if not isinstance(found, dict) or not {"answer", "seconds"} <= found.keys():
        return False
    return isinstance(found["answer"], dict) and isinstance(found["seconds"], float | int)


@dataclass(frozen=True, slots=True)
class AnswerStore:
    """A folder of answers, each with the seconds that it took."""

    folder: Path

    def __post_init__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self.folder, suffix=_PART):
                pass
        except OSError as error:
            raise FederationError(
                f"answers cannot be kept in {str(self.folder)!r}: {error.strerror}; name another folder"
            ) from None

    def _place(self, digest: str) -> Path:
        return self.folder / f"{digest}.json"

    def find(self, digest: str) -> dict[str, Any] | None:
        """Read the answer of that name with its seconds, if it is there and whole."""
        try:
            found: Any = json.loads(self._place(digest).read_text(encoding="utf-8"))
        except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
            return None
        return found if _is_whole(found) else None

    def keep(self, digest: str, answer: Mapping[str, Any]) -> None:
        """Write an answer; it is there as a whole or not at all."""
        with NamedTemporaryFile("w", dir=self.folder, suffix=_PART, delete=False, encoding="utf-8") as part:
            try:
                json.dump(answer, part, allow_nan=False)
                part.close()
                Path(part.name).replace(self._place(digest))
            finally:
                Path(part.name).unlink(missing_ok=True)
