"""The operator's folder, for a run whose server is another process: pact, ledger and key.

``run.json`` holds the pact (:class:`fedpact.protocol.Pact`), where the ledger is and where the operator's signing
key is, relative to the home of the run for what lies in it (:mod:`fedpact.protocol.kept_paths`). Whoever opens it
continues the run that the folder stands for, so that a server that died is simply started again; once that run is
finished it stays so, and nobody is paid twice. To run the same pact again, write the folder again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from fedpact import formats
from fedpact.errors import LedgerError, ProtocolError
from fedpact.protocol.kept_paths import keep_path, read_note
from fedpact.protocol.keys.signing import read_key
from fedpact.protocol.ledger.place import file_of, is_address, read_place
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.operator import Operator, read_run, resume_run, start_run
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import Pact
from fedpact.protocol.site.site import is_hello
from fedpact.protocol.whole_files import write_whole

FILE = "run.json"


def write_operator(
    folder: Path,
    pact: Pact,
    ledger: str,
    *,
    key: Path,
    sites: Mapping[str, Path],
    keys: Path,
    engine: str | None = None,
    superlink: str | None = None,
) -> None:
    """Write what a server needs to run a pact, for its eyes alone: a ledger's URL may have a password."""
    folder.mkdir(parents=True, exist_ok=True)
    home, path = folder.resolve().parent, file_of(read_place(ledger))
    with Ledger.open_or_create(ledger) as books:
        entries = len(books)
    kept = {
        "format": formats.HOME,
        "pact": pact.to_dict(),
        "ledger": ledger if path is None else keep_path(home, path),
        "entries": entries,
        "key": keep_path(home, key),
        "keys": keep_path(home, keys),
        "sites": {name: keep_path(home, own) for name, own in sites.items()},
        "engine": engine,
        "superlink": superlink,
    }
    folder.chmod(0o700)
    write_whole(folder / FILE, json.dumps(kept, indent=2, ensure_ascii=False).encode())


def read_settings(folder: str | PathLike[str]) -> dict[str, Any]:
    """Read what :func:`write_operator` wrote, in plain values; all paths are absolute."""
    path = Path(folder).resolve() / FILE
    home = path.parent.parent
    try:
        kept = read_note(path)
    except FileNotFoundError:
        raise ProtocolError(f"there is no run at {home}; start one with: fedpact run FILE") from None
    except (OSError, ValueError) as error:
        raise ProtocolError(f"{path}: the operator's folder cannot be read: {error}") from None
    ledger = kept["ledger"]
    return kept | {
        "ledger": ledger if is_address(ledger) else str(home / ledger),
        "key": str(home / kept["key"]),
        "keys": str(home / kept["keys"]),
        "sites": {name: str(home / own) for name, own in kept["sites"].items()},
    }


def continue_or_start(ledger: Ledger, pact: Pact, *, entries: int, **own: Any) -> Operator:
    """Continue the ledger's run, or open one if the last was finished among the first ``entries``.

    A run that was opened later is the one that is wanted; finished, it stays so.
    """
    last = ledger.last("open")
    state = None if last is None else read_run(ledger)
    if last is None or state is None or (last.seq <= entries and state.status is RunStatus.FINISHED):
        return start_run(ledger, pact, now=time.time(), **own)
    if state.pact.to_dict() != pact.to_dict():
        raise LedgerError(f"run {last.run!r} of this ledger is of another pact; take another ledger")
    return resume_run(ledger, now=time.time(), **own)


def read_operator(folder: str | PathLike[str]) -> Operator:
    """Open the ledger of an operator's folder and start its run, or continue it."""
    kept = read_settings(folder)
    key, pact = read_key(kept["key"]), Pact.from_dict(kept["pact"])
    return continue_or_start(Ledger.open_or_create(kept["ledger"]), pact, entries=kept["entries"], key=key)


def read_identify(folder: str | PathLike[str]) -> Callable[[bytes, bytes], str | None]:
    """Return what tells from a reply to a challenge which site of the pact it is, or None."""
    pact = Pact.from_dict(read_settings(folder)["pact"])
    return lambda challenge, reply: is_hello(reply, challenge, pact.names, pact.keys)
