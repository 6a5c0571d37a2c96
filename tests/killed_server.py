"""Kill a server with -9 again and again, and say what is left; a program of its own, since it forks.

``python killed_server.py FOLDER KILLS SEED`` runs a federation with a SQLite ledger and sites in folders, in a
child process that is killed at a random moment and started again until its run is finished; then the next run
begins, until there were enough kills. The children are forked from this process, which has loaded everything and
knows the plan. Prints JSON: what came of every run, what an undisturbed one comes to, and where it was struck.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from carrier import OPERATOR, check_books, kept_plan, key_of, plan_by, run_with, small_federation
from fedpact.errors import LedgerError
from fedpact.protocol.keys.signing import save_key
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from fedpact.protocol.operator.operator import continue_or_start, resume_run
from fedpact.protocol.operator.outcome import make_outcome
from fedpact.protocol.operator.run_state import replay
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import carry_out
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site_files import read_site
from fedpact.protocol.site.write_site import write_site

LONGEST = 60.0


def write_sites(fed, home, seed):
    """Write a folder for every site, with its key."""
    for name, site in simulate_sites(fed, teacher="none", seed=seed).items():
        (home / name).mkdir(parents=True)
        save_key(key_of(name), home / name / "signing.key")
        write_site(site, home / name, key="signing.key", operator=OPERATOR.public)


class DeadlyLedger(Ledger):
    """A ledger whose process is killed once it has appended so many times, before anybody hears of the last."""

    lives = 0

    def append_all(self, items, *, run, at):
        entries = super().append_all(items, run=run, at=at)
        self.lives -= 1
        if not self.lives:
            os.kill(os.getpid(), signal.SIGKILL)
        return entries


def serve(fed, home, appends):
    """Be the server: continue the run of the ledger, or start it."""
    sites = {name: read_site(home / name) for name in fed.names}
    keys = {name: key_of(name).public for name in fed.names}
    pact = make_pact(fed, keys=keys, operator=OPERATOR.public, false_alarm_rate=1e-6, retry=0.2)
    with DeadlyLedger.open_or_create(home / "books.db") as ledger:
        ledger.lives = appends
        carry_out(plan_by(kept_plan, continue_or_start(ledger, pact, entries=0, key=OPERATOR)), sites)


def live(fed, home, most, appends=0):
    """Start a server and kill it after some seconds or appends: whether it was killed, and how long it lived."""
    start = time.monotonic()
    child = os.fork()
    if not child:
        try:
            serve(fed, home, appends)
            os._exit(0)
        finally:
            os._exit(1)
    while time.monotonic() - start < most:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            if status not in (0, signal.SIGKILL):
                raise SystemExit(f"the server failed with status {status}")
            return bool(status), time.monotonic() - start
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status), time.monotonic() - start


def look(home):
    """Check the ledger after a kill, and say what its last entry is."""
    path = home / "books.db"
    if not path.exists() or not path.stat().st_size:
        return "nothing yet"
    try:
        check = verify_ledger(path)
    except LedgerError:
        assert not path.stat().st_size, "SQLite has undone a creation that was cut short"
        return "nothing yet"
    if not check.is_intact:
        raise SystemExit(f"after a kill: {check.why}")
    with Ledger.open_or_create(path) as ledger:
        return [entry.kind for entry in ledger.entries()][-1] if len(ledger) else "no entry yet"


def conclude(fed, home):
    """Read the books of a finished run, and check them."""
    with Ledger.open(home / "books.db") as ledger:
        entries = list(ledger.entries())
        before = len(ledger)
        again = resume_run(ledger, now=time.time(), key=OPERATOR)
        assert again.is_over, "a finished run stays finished"
        assert len(ledger) == before
    check_books(entries, fed)
    assert [entry.kind for entry in entries].count("open") == 1
    outcome = make_outcome(replay(entries), entries[-1].hash)
    drawn = {name: read_site(home / name).store.load(outcome.run).get("drawn", 0) for name in fed.names}
    assert drawn == outcome.contributions, "sites and ledger agree on who labelled how much"
    kept = ("hypothesis", "contributions", "payments", "withheld", "met", "gone", "refusals", "status")
    found = outcome.to_dict()
    mistakes = next(entry.body["mistakes"] for entry in entries if entry.kind == "choose")
    return {**{key: found[key] for key in kept}, "plan": found["plan"]["contributions"], "mistakes": mistakes}


def draw_end(rng, whole):
    """Draw when to kill: at some time of a whole life, or after one of the next appends."""
    return (rng.uniform(0, whole), 0) if rng.random() < 0.5 else (LONGEST, rng.randint(1, 8))


def main(folder, kills, seed):
    """Kill until there were enough kills."""
    fed, rng, done, struck, runs = small_federation(), random.Random(seed), 0, [], []
    while done < kills:
        number = len(runs)
        plain, hurt = Path(folder, f"{number}-plain"), Path(folder, f"{number}-killed")
        for home in (plain, hurt):
            write_sites(fed, home, number)
        _, whole = live(fed, plain, LONGEST)
        is_killed, lives = True, 0
        while is_killed:
            is_killed, _ = live(fed, hurt, *(draw_end(rng, whole) if done < kills else (LONGEST,)))
            lives += 1
            done += is_killed
            if is_killed:
                struck.append(look(hurt))
        runs.append({"plain": conclude(fed, plain), "killed": conclude(fed, hurt), "lives": lives})
    json.dump({"kills": done, "struck": struck, "runs": runs}, sys.stdout)


if __name__ == "__main__":
    run_with()
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
