"""For tests of the Run page: events of a stream, and another process that holds a ledger or carries out a run."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import fedpact as fp

_HOLD = """
import sqlite3, sys
ledger = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
while not ledger.execute("SELECT count(*) FROM entries").fetchone()[0]:
    pass
ledger.execute("BEGIN " + sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""
_RUN = "import sys, fedpact as fp; fp.protocol.run_home(fp.protocol.read_home(sys.argv[1]))"


def wait_until(is_true, what, seconds=60):
    """Look again and again."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.01)


@contextlib.contextmanager
def held(ledger, how="IMMEDIATE"):
    """Let nobody write to a ledger that has an entry, or with ``EXCLUSIVE`` even read it.

    Another process does it: in this one, whoever reads the file would give up its locks.
    """
    wait_until(lambda: is_ledger(ledger), "a ledger")
    command = [sys.executable, "-I", "-S", "-c", _HOLD, str(ledger), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        try:
            yield
        finally:
            process.kill()


def is_ledger(path):
    try:
        with fp.protocol.Ledger.open(path):
            return True
    except fp.errors.LedgerError:
        return False


@contextlib.contextmanager
def running(home):
    """Carry out a prepared run in another process."""
    with subprocess.Popen([sys.executable, "-c", _RUN, str(home)]) as process:
        try:
            yield process
        finally:
            process.kill()


def read_entries(ledger):
    with fp.protocol.Ledger.open(ledger) as opened:
        return list(opened.entries())


def prepare(folder, fed=None, **terms):
    """Prepare a run whose sites are made up."""
    made = fp.examples.alice_bob() if fed is None else fed
    pact = fp.protocol.make_pact(made, method="tree", **terms)
    return fp.protocol.prepare_home(folder, pact, fp.protocol.simulate_sites(made, seed=1))


def stream(client, address, **options):
    """Yield the events of a stream: kind, id, data; comments are passed over."""
    with client.stream("GET", address, **options) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        event, deadline = {}, time.monotonic() + 60
        for line in answer.iter_lines():
            assert time.monotonic() < deadline, "what was waited for did not come"
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                event[name] = value
            elif event:
                yield event["event"], event.get("id"), json.loads(event["data"])
                event = {}


def is_alive(pid):
    return Path("/proc", str(pid)).exists()


def own_workers():
    """Return the worker processes that this one has started."""
    return [int(place.name) for place in Path("/proc").glob("[0-9]*") if _is_own_worker(place)]


def _is_own_worker(place):
    try:
        parent = (place / "stat").read_text().rpartition(")")[2].split()[1]
        return parent == str(os.getpid()) and b"fedpact.web.worker" in (place / "cmdline").read_bytes()
    except OSError:
        return False
