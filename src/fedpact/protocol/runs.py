"""``run``: report, plan, contribute, pay, in one process, with a ledger."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from fedpact.describe.any_federation import AnyFederation, read_federation
from fedpact.describe.numbers import read_whole_number
from fedpact.errors import ProtocolError
from fedpact.protocol.drive import InProcess, Watch, drive
from fedpact.protocol.home import RunHome, check_sites, read_operator
from fedpact.protocol.keys.signing import SigningKey
from fedpact.protocol.ledger.anchor import anchored
from fedpact.protocol.ledger.entry import well_formed
from fedpact.protocol.ledger.export import AnyLedger, read_entries
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.operator import Operator, approve, read_run, resume_run, start_run
from fedpact.protocol.operator.outcome import RunOutcome, make_outcome
from fedpact.protocol.operator.run_state import RunState, replay
from fedpact.protocol.pact import make_pact, with_keys
from fedpact.protocol.site.simulated_sites import give_keys, simulate_sites
from fedpact.protocol.site.site import Site
from fedpact.protocol.site.site_files import read_site


def memory_ledger() -> Ledger:
    """Return a new ledger that is gone when the process ends."""
    return Ledger(create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}))


def carry_out(operator: Operator, sites: Mapping[str, Site], *, watch: Watch | None = None) -> RunOutcome:
    """Bring a run to its end with sites of this process."""
    with InProcess(sites) as transport:
        state = drive(operator, transport, time.time, watch)
    return make_outcome(state, operator.ledger.head)


def run(
    fed: AnyFederation,
    sites: Mapping[str, Site] | None = None,
    *,
    ledger: Ledger | None = None,
    seed: int = 0,
    teacher: str | None = None,
    key: SigningKey | None = None,
    watch: Watch | None = None,
    **terms: Any,
) -> RunOutcome:
    """Run the protocol in this process: sites report, are planned for, contribute, are checked and paid.

    Parameters
    ----------
    fed
        Agents, targets and costs. Its evidence is used only to make up sites where none are given.
    sites
        The sites by name; if not given, they are made up from a table or predictions, and a teacher labels.
    ledger
        Where every step is written first; if not given, in memory.
    seed, teacher
        Of the sites that are made up: see :func:`fedpact.protocol.simulate_sites`.
    key
        The operator's, with which requests and payments are signed. If neither operator nor sites have keys,
        all are given new ones.
    watch
        Called with the state of the run, and with what sites wait for, whenever something may have changed.
    terms
        What operator and sites agree on: see :func:`fedpact.protocol.make_pact`.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> seen = run(alice_bob(), teacher="xA", method="tree")
    >>> seen.contributions, seen.payments, seen.hypothesis
    ({'alice': 3, 'bob': 2}, {'alice': 3.0, 'bob': 2.0}, 'xA')
    """
    fed, seed = read_federation(fed), read_whole_number(seed, "seed")
    given = simulate_sites(fed, teacher=teacher, seed=seed) if sites is None else dict(sites)
    pact = make_pact(fed, **({} if key is None else {"operator": key.public}) | terms)
    check_sites(pact, given)
    if key is None and not pact.keys and all(site.key is None for site in given.values()):
        given, key, public = give_keys(given)
        pact = with_keys(pact, public, key.public)
    books = memory_ledger() if ledger is None else ledger
    return carry_out(start_run(books, pact, now=time.time(), key=key), given, watch=watch)


def run_home(home: RunHome, *, watch: Watch | None = None) -> RunOutcome:
    """Carry out a prepared run in this process, from where its ledger ends."""
    progress = read_state_of(home)
    left = home.pact.names if progress is None else progress.left
    missing = [name for name in left if name not in home.sites]
    if missing:
        raise ProtocolError(
            f"site {missing[0]!r} is not on this machine; run where it has joined: --engine flower --superlink "
            "HOST:PORT"
        )
    sites = {name: read_site(folder) for name, folder in home.sites.items()}
    operator = read_operator(home)
    with operator.ledger:
        return carry_out(operator, sites, watch=watch)


def approve_run(home: RunHome, budget: float) -> None:
    """Let the run of a home cost so much in all; resume it to go on."""
    with anchored(home.folder, Ledger.open(home.ledger)) as ledger:
        approve(ledger, budget, now=time.time())


def _read(home: RunHome) -> tuple[RunState, str] | None:
    """Return how far the run of a home is, and the hash of the last entry; None if it was never begun."""
    with Ledger.open(home.ledger) as ledger:
        last = ledger.last("open")
        return None if last is None or last.seq <= home.entries else (read_run(ledger), ledger.head)


def read_state_of(home: RunHome) -> RunState | None:
    """Return how far the run of a home is; None if it was never begun."""
    found = _read(home)
    return None if found is None else found[0]


def read_progress(home: RunHome) -> RunOutcome | None:
    """Return what came of the run of a home, so far; None if it was never begun."""
    found = _read(home)
    return None if found is None else make_outcome(*found)


def read_outcome(books: AnyLedger) -> RunOutcome:
    """Return what came of the last run of a ledger, or of a JSON export of one, so far."""
    with well_formed("the ledger's last run"):
        entries = list(read_entries(books))
        opened = [place for place, entry in enumerate(entries) if entry.kind == "open"]
        state = replay(entries[opened[-1] :] if opened else [])
        return make_outcome(state, entries[-1].hash)


def resume(
    where: Ledger | str | Path,
    sites: Mapping[str, Site],
    *,
    key: SigningKey | None = None,
    watch: Watch | None = None,
) -> RunOutcome:
    """Continue the last run of a ledger with the same sites, wherever it was stopped."""
    if not isinstance(where, Ledger):
        with Ledger.open(where) as books:
            return resume(books, sites, key=key, watch=watch)
    pact = read_run(where).pact
    check_sites(pact, sites)
    return carry_out(resume_run(where, now=time.time(), key=key), sites, watch=watch)
