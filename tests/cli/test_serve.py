"""``fedpact serve``: a real server, from its start to Ctrl-C."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

COMMAND = [sys.executable, "-m", "fedpact", "serve"]


@contextlib.contextmanager
def served(*arguments, **environment):
    """Serve on a free port; yields the process and its address."""
    command = [*COMMAND, "--port", "0", "--json", *arguments]
    env = {key: value for key, value in os.environ.items() if key != "FEDPACT_TOKEN"} | environment
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            yield process, json.loads(line)["address"]
        finally:
            process.kill()


def children(pid):
    """Processes whose parent is ``pid``."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if stat.read_text().rpartition(")")[2].split()[1] == str(pid):
                found.append(int(stat.parent.name))
    return found


@pytest.fixture
def refused(fedpact, monkeypatch):
    monkeypatch.delenv("FEDPACT_TOKEN", raising=False)

    def run(*words):
        code, out, err = fedpact("serve", *words)
        assert (code, out) == (1, "")
        assert err.count("\n") == 1
        return err

    return run


def test_it_opens_on_the_file_and_ends_with_ctrl_c_leaving_nothing():
    with served("examples/alice-bob.toml") as (process, address):
        page = httpx.get(address, follow_redirects=True)
        assert page.status_code == 200
        assert "alice" in page.text
        workers = children(process.pid)
        assert len(workers) >= 2
        process.send_signal(signal.SIGINT)
        assert process.wait(20) in (0, 130)
    assert not any(Path("/proc", str(pid)).exists() for pid in workers)


def test_workers_end_with_a_server_that_is_killed():
    with served() as (process, address):
        search = f"{address}federations/arizona-hospitals/parts/plan.json?method=exact&seconds=200"
        assert httpx.get(search).status_code == 200
        workers = children(process.pid)
        process.kill()
        process.wait(20)
    for _ in range(100):
        if not any(Path("/proc", str(pid)).exists() for pid in workers):
            return
        time.sleep(0.1)
    pytest.fail("a worker outlives its server")


def test_other_machines_need_a_token(refused):
    assert "--token" in refused("--host", "0.0.0.0")
    assert "at least 16" in refused("--token", "short")
    with served(FEDPACT_TOKEN="a-token-of-some-length") as (_, address):
        assert address.endswith("?token=a-token-of-some-length")
        assert httpx.get(address.split("?")[0]).status_code == 401
        with httpx.Client(follow_redirects=True) as browser:
            assert browser.get(address).status_code == 200


def test_a_port_that_is_taken_is_said(refused):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "take another with --port" in refused("--port", str(taken.getsockname()[1]))
    assert "port must be" in refused("--port", "70000")


def test_what_is_wrong_with_a_file_is_said_before_anything_listens(refused):
    assert "neither a file nor an example" in refused("nowhere")
    assert "up to 3 agents; the federation has 17" in refused("arizona-hospitals", "--max-agents", "3")
