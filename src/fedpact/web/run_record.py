"""A run as the server knows it and how it stands; runs of an earlier server, or of the command line, in a folder.

Each has a folder of its own, which is the home of the run. Beside what the protocol keeps there, a note says from
which address the page started it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

import fedpact as fp
from fedpact.protocol.home import hold_home
from fedpact.web.worker import RunTask


class Condition(StrEnum):
    """How a run stands."""

    PREPARING = "preparing"
    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    """There is no plan as things are."""
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """The server that carried it out ended before it did."""
    FOLLOWED = "followed"
    """Somebody else carries it out."""


_UNDER_WAY = (Condition.PREPARING, Condition.RUNNING)
_LEFT = (Condition.STOPPED, Condition.CANCELLED, Condition.FAILED, Condition.INTERRUPTED)


def read_condition(status: fp.protocol.RunStatus) -> Condition:
    """Return what a ledger says of a run that nobody carries out any more."""
    return Condition.INTERRUPTED if status is fp.protocol.RunStatus.RUNNING else Condition(status.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNote:
    """What a run was started with that its ledger does not say."""

    federation: str
    """Key of the federation."""
    query: str
    """What its address changed, as behind the ``?``."""
    teacher: str | None
    seed: int
    created: float

    @property
    def address(self) -> str:
        """Address of the page that it was started on."""
        query = f"?{self.query}" if self.query else ""
        return f"/federations/{quote(self.federation, safe='')}/run{query}"


@dataclass(eq=False, slots=True, kw_only=True)
class Run:
    """A run, or a ledger that is followed."""

    key: str
    name: str
    """Of the federation, or the ledger's place."""
    ledger: str
    """Its path or URL."""
    condition: Condition
    is_there: bool = True
    """Whether there is a ledger to read; if not, that is no trouble until somebody says that there is."""
    home: Path | None = None
    """Its folder, if it can be carried out here."""
    note: RunNote | None = None
    created: float | None = None
    problems: tuple[str, ...] = ()
    begun: RunTask | None = None
    """What it was started with, until its folder is there."""
    task: asyncio.Task[None] | None = None
    change: asyncio.Event = field(default_factory=asyncio.Event)
    has_ended: bool = False
    """Whether nobody is to follow it any more, because the server ends."""

    @property
    def address(self) -> str:
        """Address of its page."""
        return f"/runs/{self.key}"

    @property
    def is_under_way(self) -> bool:
        """Whether a process of this server is at work on it."""
        return self.condition in _UNDER_WAY

    @property
    def is_over(self) -> bool:
        """Whether nothing will change unless somebody continues it."""
        return not self.is_under_way and self.condition is not Condition.FOLLOWED

    @property
    def can_continue(self) -> bool:
        """Whether a process can go on where another left it."""
        return self.home is not None and self.condition in _LEFT

    def become(self, condition: Condition, *problems: str) -> None:
        """Change how it stands, and let everybody know who listens."""
        self.condition, self.problems = condition, problems
        self.tell()

    def tell(self) -> None:
        """Let everybody look who follows it."""
        self.change.set()
        self.change = asyncio.Event()


_NOTE = "page.json"
_OWN_KEY = re.compile(r"[0-9a-f]{16}")
_UNREADABLE = (fp.FedpactError, LookupError, TypeError, ValueError, AttributeError)
"""What goes wrong where files are not those of a run."""


def write_note(folder: str, note: RunNote | None) -> None:
    """Make the folder of a run, and note from where it was started."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if note is not None:
        (place / _NOTE).write_text(json.dumps(asdict(note)), encoding="utf-8")


def _name_home(folder: Path) -> str:
    """Return the key of a folder; it says nothing of a place."""
    if _OWN_KEY.fullmatch(folder.name):
        return folder.name
    return f"home-{hashlib.sha256(folder.name.encode()).hexdigest()[:12]}"


def _read_note(folder: Path) -> RunNote | None:
    try:
        return RunNote(**json.loads((folder / _NOTE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _find_condition(home: fp.protocol.RunHome) -> tuple[Condition, tuple[str, ...]]:
    """Look how the run of an earlier server stands."""
    try:
        with hold_home(home.folder):
            pass
    except fp.errors.ProtocolError:
        return Condition.FOLLOWED, ()
    try:
        outcome = fp.protocol.read_progress(home)
    except _UNREADABLE as error:
        return Condition.FAILED, (f"its ledger cannot be read: {error}",)
    return (Condition.INTERRUPTED if outcome is None else read_condition(outcome.status)), ()


def _read_run(folder: Path) -> Run | None:
    try:
        home = fp.protocol.read_home(folder)
    except _UNREADABLE:
        return None
    condition, problems = _find_condition(home)
    note = _read_note(folder)
    return Run(
        key=_name_home(folder),
        name=home.pact.name,
        ledger=home.ledger,
        condition=condition,
        home=folder,
        note=note,
        created=folder.stat().st_mtime if note is None else note.created,
        problems=problems,
    )


def read_runs(folder: Path, most: int) -> list[Run]:
    """Read the newest runs of a folder, the oldest of them first."""
    homes = sorted(
        (place for place in folder.iterdir() if (place / "operator").is_dir()),
        key=lambda place: place.stat().st_mtime,
    )
    runs = (_read_run(place) for place in homes[-most:])
    return sorted((run for run in runs if run is not None), key=lambda run: run.created or 0.0)
