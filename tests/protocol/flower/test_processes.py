import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from fedpact.protocol.flower.processes import ProcessGroup, find_cause

CHILD = "import time; time.sleep(600)"
PARENT = f"""
import subprocess, sys, time
child = [sys.executable, "-c", {CHILD!r}]
subprocess.Popen(child)
subprocess.Popen(child, start_new_session=True)
time.sleep(600)
"""
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); {CHILD}"


@pytest.fixture
def group(tmp_path):
    processes = ProcessGroup(tmp_path, dict(os.environ))
    yield processes
    processes.end()


def wait_for(claim):
    until = time.monotonic() + 20
    while not claim():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_ending_ends_children_in_sessions_of_their_own(group):
    group.start("parent", [sys.executable, "-c", PARENT])
    wait_for(lambda: len(group.living()) == 3)
    group.end()
    assert group.living() == []


def test_ending_leaves_everybody_else_alone(group, tmp_path):
    with subprocess.Popen([sys.executable, "-c", CHILD]) as mine:
        other = ProcessGroup(tmp_path, dict(os.environ))
        other.start("other", [sys.executable, "-c", CHILD])
        group.start("one", [sys.executable, "-c", CHILD])
        group.end()
        assert mine.poll() is None
        assert other.started["other"].poll() is None
        other.end()
        mine.kill()


def test_children_of_a_killed_parent_are_ended_too(group):
    parent = group.start("parent", [sys.executable, "-c", PARENT])
    wait_for(lambda: len(group.living()) == 3)
    os.kill(parent.pid, signal.SIGKILL)
    group.end()
    assert group.living() == []


def test_who_does_not_listen_is_killed(group):
    group.start("stubborn", [sys.executable, "-c", STUBBORN])
    wait_for(lambda: group.new_log("stubborn") == "on\n")
    group.end(patience=0.3)
    assert group.living() == []


def test_a_name_started_anew_has_a_new_log(group):
    group.start("one", [sys.executable, "-c", "print('first')"]).wait()
    group.start("one", [sys.executable, "-c", "print('second')"]).wait()
    assert group.new_log("one") == "second\n"
    assert group.log_of("one").read_text() == "first\nsecond\n"


DEPLOYMENT = """
import sys, time
from pathlib import Path
from fedpact.protocol.flower import local

local.superlink_command = lambda *_: [sys.executable, "-c", "import time; time.sleep(600)"]
local.is_healthy = lambda connection: True
with local.deploy(Path(sys.argv[1]), {}, None) as deployment:
    print(*(process.pid for process in deployment.processes.living()), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_deployment_that_is_told_to_stop_takes_its_processes_along(tmp_path, number):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", DEPLOYMENT, str(tmp_path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as driver:
        pids = [int(pid) for pid in driver.stdout.readline().split()]
        driver.send_signal(number)
        assert driver.wait(timeout=30) != 0
    assert len(pids) == 1
    assert not psutil.pid_exists(pids[0])


SAID = {
    "[Errno 98] error while attempting to bind on address: address already in use": "its port is in use",
    "ssl.SSLError: certificate verify failed: certificate has expired (_ssl.c:992)": "has expired",
    "ssl.SSLError: certificate verify failed: self-signed certificate": "not trusted",
    "ModuleNotFoundError: No module named 'fedpact'": "a Python module is missing",
    "INFO: hello\n\x1b[91mERROR\x1b[0m: something new\n\n": "it says 'ERROR: something new'",
    "": "it says nothing",
}


def test_what_a_process_wrote_becomes_one_line():
    for text, line in SAID.items():
        assert line in find_cause(text)
        assert "\n" not in find_cause(text)
