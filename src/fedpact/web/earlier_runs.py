"""Runs of an earlier server, or of the command line, in a folder: each in its own, which is the home of the run.

Beside what the protocol keeps there, a note says from which address the page started it.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict
from pathlib import Path

import fedpact as fp
from fedpact.protocol.home import hold_home
from fedpact.web.feed import Feed
from fedpact.web.read_ledger import Reader
from fedpact.web.run_record import CONDITION_OF, Condition, Run, RunNote

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
    return (Condition.INTERRUPTED if outcome is None else CONDITION_OF[outcome.status]), ()


def _read_run(folder: Path, reader: Reader) -> Run | None:
    try:
        home = fp.protocol.read_home(folder)
    except _UNREADABLE:
        return None
    condition, problems = _find_condition(home)
    note = _read_note(folder)
    return Run(
        key=_name_home(folder),
        name=home.pact.name,
        feed=Feed(home.ledger, reader),
        condition=condition,
        home=folder,
        note=note,
        created=folder.stat().st_mtime if note is None else note.created,
        problems=problems,
    )


def read_runs(folder: Path, most: int, reader: Reader) -> list[Run]:
    """Read the newest runs of a folder, the oldest of them first."""
    homes = sorted(
        (place for place in folder.iterdir() if (place / "operator").is_dir()),
        key=lambda place: place.stat().st_mtime,
    )
    runs = (_read_run(place, reader) for place in homes[-most:])
    return sorted((run for run in runs if run is not None), key=lambda run: run.created or 0.0)
