"""What a site remembers of a run, so that it does nothing twice: its answers, how many samples it has drawn."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from fedpact import formats
from fedpact.describe.candidate_list import digest_of
from fedpact.describe.whole_files import alone_at, write_whole
from fedpact.errors import ProtocolError
from fedpact.protocol.files import read_kept


def has_told(record: Mapping[str, Any]) -> bool:
    """Whether a site has told counts of labels in the run that a record is of."""
    return bool(record.get("drawn")) or "evaluated" in record


class SiteStore(Protocol):
    """Keeps one record of plain values per run; what was saved is there after a crash."""

    def load(self, run: str) -> dict[str, Any]:
        """Return the record of a run; an empty one if there is none."""

    def save(self, run: str, record: dict[str, Any]) -> None:
        """Keep the record of a run, whole or not at all."""

    def alone(self) -> AbstractContextManager[object]:
        """Let nobody else load and save meanwhile who does so in this way too."""

    def count_told(self, but: str) -> int:
        """Count the runs, ``but`` one, in which counts of labels were told."""


class MemoryStore:
    """Remembers as long as the process lives.

    Examples
    --------
    >>> store = MemoryStore()
    >>> store.save("run", {"drawn": 3})
    >>> store.load("run"), store.load("another")
    ({'drawn': 3}, {})
    """

    def __init__(self) -> None:
        self._records: dict[str, str] = {}
        self._lock = threading.Lock()

    def load(self, run: str) -> dict[str, Any]:
        """Return the record of a run."""
        record: dict[str, Any] = json.loads(self._records.get(run, "{}"))
        return record

    def save(self, run: str, record: dict[str, Any]) -> None:
        """Keep the record of a run."""
        self._records[run] = json.dumps(record)

    def alone(self) -> AbstractContextManager[object]:
        """Let one thread at a time go on."""
        return self._lock

    def count_told(self, but: str) -> int:
        """Count the runs, ``but`` one, in which counts of labels were told."""
        return sum(has_told(json.loads(record)) for run, record in self._records.items() if run != but)


class FolderStore:
    """Remembers in a folder, one file per run; the files are numbered in the order in which the runs began.

    Clocks that are set back and folders that are copied change nothing in that order.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def _path(self, run: str) -> Path:
        return self.folder / f"{digest_of(run)}.json"

    def load(self, run: str) -> dict[str, Any]:
        """Return the record of a run."""
        return self._read(self._path(run)) or {}

    def save(self, run: str, record: dict[str, Any]) -> None:
        """Keep the record of a run."""
        number = record["number"] if "number" in record else self._next_number(run)
        kept = {**record, "format": formats.SITE_RECORD, "run": run, "number": number}
        with self._writing():
            write_whole(self._path(run), json.dumps(kept).encode())

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let one thread or process at a time go on."""
        with ExitStack() as stack:
            with self._writing():
                stack.enter_context(alone_at(self.folder / ".lock"))
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            yield
        except OSError as error:
            raise ProtocolError(f"{self.folder}: the site cannot keep its record: {error.strerror}") from None

    def runs(self) -> tuple[str, ...]:
        """Return the runs that there are records of, those that began last first.

        Raises
        ------
        ProtocolError
            If a record cannot be read: it may be the newest.
        """
        found = [record for path in self._paths() if (record := self._read(path)) is not None]
        found.sort(key=lambda record: (record["number"], record["run"]), reverse=True)
        return tuple(record["run"] for record in found)

    def count_told(self, but: str) -> int:
        """Count the runs, ``but`` one, in which counts of labels were told; a broken record may be of one."""
        return sum(self._may_have_told(path, but) for path in self._paths())

    def _may_have_told(self, path: Path, but: str) -> bool:
        try:
            record = self._read(path)
        except ProtocolError:
            return True
        return record is not None and record["run"] != but and has_told(record)

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("[!.]*.json"))

    def _next_number(self, run: str) -> int:
        """Count on; a broken record of another run is no reason not to take part in this one."""
        numbers = [0]
        for path in self._paths():
            try:
                record = self._read(path) or {}
            except ProtocolError:
                continue
            if record.get("run") == run:
                return int(record["number"])
            numbers.append(int(record.get("number", 0)))
        return max(numbers) + 1

    def _read(self, path: Path) -> dict[str, Any] | None:
        """Read a record; None if there is none, or no longer."""
        try:
            record = read_kept(path, formats.SITE_RECORD, "site record")
        except FileNotFoundError:
            return None
        if type(record.get("number")) is not int or "run" not in record:
            raise ProtocolError(f"{path}: this is not a site's record of a run; move it to another place")
        return record
