"""A process that appends is killed at any moment, twenty times: what it acknowledged is there, nothing is torn.

One process imports the package and forks the writers, so that each starts at once and dies amid its work.
"""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger

WRITERS = """
import os, sys
from fedpact.protocol.ledger.store import Ledger

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # at once, so that no line is cut

def write(where):
    with Ledger.open(where) as ledger:
        say("pid", os.getpid())
        while True:
            bodies = [("k", {"text": "x" * (len(ledger) * 7919 % 6000)}) for _ in range(len(ledger) % 3 + 1)]
            for entry in ledger.append_all(bodies, run="r", at=0.0):
                say(entry.seq, entry.hash)

for line in sys.stdin:
    if os.fork() == 0:
        write(line.strip())
    os.wait()
    say("over")
"""


@pytest.fixture
def writers():
    """A process that forks a writer for every place it is given, one after the other."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    yield process
    process.stdin.close()
    process.stdout.read()
    assert process.wait(timeout=60) == 0
    process.stdout.close()


def write_and_kill(writers, place, seconds):
    """Let a writer append for a while, and kill it; returns what it acknowledged."""
    print(place, file=writers.stdin, flush=True)
    word, pid = writers.stdout.readline().split()
    assert word == "pid"
    time.sleep(seconds)
    os.kill(int(pid), signal.SIGKILL)
    lines = iter(writers.stdout.readline, "over\n")
    return {int(seq): head for seq, head in (line.split() for line in lines)}


def test_a_ledger_survives_the_death_of_its_writers(place, writers):
    Ledger.create(place).close()
    rng = random.Random(7)
    acknowledged, lengths = {}, []
    for _ in range(20):
        acknowledged |= write_and_kill(writers, place, rng.uniform(0, 0.05))
        found = verify_ledger(place)
        assert (found.is_intact, found.why) == (True, None)
        with Ledger.open(place) as ledger:
            kept = {entry.seq: entry.hash for entry in ledger.entries()}
        assert acknowledged.items() <= kept.items()
        lengths.append(len(kept))
    assert lengths == sorted(lengths)
    assert lengths[-1] >= len(acknowledged) > 0
    with Ledger.open(place) as ledger:
        ledger.append("after", {}, run="r", at=0.0)
    found = verify_ledger(place)
    assert found.is_intact
