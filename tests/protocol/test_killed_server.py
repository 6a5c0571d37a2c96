"""200 times kill -9 of the server: every ledger verifies, and nothing is lost or done twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
KILLS = 200
TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the program said that kills servers; it stops at the first ledger that is not intact."""
    command = [
        sys.executable,
        str(TESTS / "killed_server.py"),
        str(tmp_path_factory.mktemp("servers")),
        str(KILLS),
        "7",
    ]
    paths = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=900, check=False, env={**os.environ, "PYTHONPATH": paths}
    )
    assert found.returncode == 0, found.stderr[-2_000:]
    return json.loads(found.stdout)


def test_servers_were_killed_everywhere(told):
    assert told["kills"] >= KILLS
    struck = set(told["struck"]) & {"open", "ask", "answer", "plan", "choose", "settle", "pay", "close", "resume"}
    assert len(struck) >= 6, f"chance decides where, and these were all: {struck}"


def test_a_killed_run_ends_as_an_undisturbed_one(told):
    """The same plan, candidate, mistakes, payments; the program has checked that nobody is asked or paid twice."""
    assert len(told["runs"]) > 1
    for run in told["runs"]:
        assert run["killed"] == run["plain"]
        assert run["plain"]["status"].startswith("finished")
        assert not run["plain"]["gone"]
        assert sum(run["plain"]["payments"].values()) == 18
