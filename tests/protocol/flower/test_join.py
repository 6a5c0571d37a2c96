"""Joining a federation: nothing is started without a site's folder and a safe line, and nothing is left behind."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError, ProtocolError
from fedpact.protocol.flower import join as module
from fedpact.protocol.flower import processes
from fedpact.protocol.flower.join import join_command, join_federation
from fedpact.protocol.flower.processes import flower_environment, free_port
from fedpact.protocol.keys.key_set import make_keys
from fedpact.protocol.keys.signing import read_public_key
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.write_site import write_site

AWAY = "fl.example.org:9092"


@pytest.fixture
def clinic(tmp_path):
    return write_site(simulate_sites(alice_bob())["alice"], tmp_path / "clinic")


@pytest.fixture
def keys(tmp_path):
    made = make_keys(tmp_path / "keys", ["alice", "bob"])
    return tmp_path / "keys" / made.folders["alice"]


def option(command, name):
    return command[command.index(name) + 1]


def test_with_keys_there_is_tls_and_a_key_and_nothing_insecure(clinic, keys, monkeypatch):
    monkeypatch.chdir(clinic.parent)
    free = free_port()
    command = join_command("clinic", AWAY, keys=keys.relative_to(clinic.parent), port=free)
    assert command[0].endswith("/flower-supernode")
    assert (option(command, "--superlink"), option(command, "--port")) == (AWAY, str(free))
    assert option(command, "--host") == "127.0.0.1", "its own processes reach it, and nobody else"
    assert str(clinic) in option(command, "--node-config")
    assert option(command, "--root-certificates") == str(keys / "ca.crt")
    assert option(command, "--auth-supernode-private-key") == str(keys / "supernode.key")
    assert "--insecure" not in command


@pytest.mark.parametrize("here", ["127.0.0.1:9092", "[::1]:9092", "localhost:9092"])
def test_without_keys_only_this_machine_is_joined(clinic, here):
    assert join_command(clinic, here)[-1] == "--insecure"
    port = free_port()
    assert join_command(clinic / "site.toml", here, port=port) == join_command(clinic, here, port=port)


@pytest.mark.parametrize("away", [AWAY, "10.0.0.7:9092", "localhost.example.org:9092", "127.0.0.1.org:1"])
def test_another_machine_is_not_joined_without_keys(clinic, away):
    with pytest.raises(ProtocolError, match="is not joined without keys; give the folder of yours"):
        join_command(clinic, away)


@pytest.mark.parametrize("missing", ["ca.crt", "supernode.key"])
def test_a_folder_of_keys_that_is_not_whole(clinic, keys, missing):
    (keys / missing).unlink()
    for superlink in (AWAY, "127.0.0.1:9092"):
        with pytest.raises(
            ProtocolError, match=f"has no {missing}; it must be the folder that 'fedpact keys make'"
        ):
            join_command(clinic, superlink, keys=keys)


BAD = {
    "no-folder": ("nowhere", "no such folder"),
    "no-site": (".", "not a site's folder; there is no site.toml in it"),
}


@pytest.mark.parametrize("kind", BAD)
def test_nothing_is_started_for_what_is_no_site(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(module, "ProcessGroup", None)
    folder, line = BAD[kind]
    with pytest.raises(FederationError, match=line):
        join_federation(tmp_path / folder, "127.0.0.1:9092")
    assert not (tmp_path / folder / ".flower").exists()


def test_a_site_whose_files_are_gone(clinic):
    (clinic / "predictions.csv").unlink()
    with pytest.raises(FederationError, match=r"predictions\.csv"):
        join_command(clinic, "127.0.0.1:9092")


@pytest.mark.parametrize("address", ["localhost", "localhost:abc", "https://fl.example.org:9092"])
def test_an_address_that_is_none(clinic, keys, address):
    with pytest.raises(FederationError, match="--superlink must be HOST:PORT"):
        join_command(clinic, address, keys=keys)


def test_a_port_is_found(clinic):
    assert option(join_command(clinic, "127.0.0.1:9092"), "--port").isdigit()


def name_keys(clinic, keys, **named):
    path = clinic / "site.toml"
    lines = [f'{key} = "{file}"\n' for key, file in {"key": keys / "signing.key", **named}.items()]
    path.write_text("".join(lines) + path.read_text())


def test_the_folder_of_keys_is_the_one_that_the_site_names(clinic, keys):
    name_keys(clinic, keys, operator=keys / "operator.pub")
    assert join_command(clinic, AWAY, keys=keys)


@pytest.mark.parametrize("given", ["signing.pub", "signing.key"])
def test_the_keys_of_another_site_are_refused(clinic, keys, given):
    name_keys(clinic, keys)
    other = keys.parent / "bob"
    shown = read_public_key(other / "signing.pub")[:16], read_public_key(keys / "signing.pub")[:16]
    if given == "signing.key":
        (other / "signing.pub").unlink()
    with pytest.raises(ProtocolError) as refused:
        join_command(clinic, AWAY, keys=other)
    assert str(refused.value) == (
        f"{other} has the signing key {shown[0]}..., and {clinic / 'site.toml'} names the key {shown[1]}...; give "
        "the folder of keys of 'alice', or name its signing.key in site.toml"
    )


def test_the_keys_of_another_operator_are_refused(clinic, keys, tmp_path):
    make_keys(tmp_path / "other", ["alice"])
    name_keys(clinic, keys, operator=tmp_path / "other" / "operator" / "signing.pub")
    with pytest.raises(ProtocolError, match=r"is of an operator with the key .* names one with the key"):
        join_command(clinic, AWAY, keys=keys)


NODE = """#!{python}
import os, signal, subprocess, sys, time
from pathlib import Path
home = Path(os.environ["FLWR_HOME"])
def end(number, frame):
    with (home / "signals").open("a") as file:
        file.write(f"{{number}} ")
    if {is_stubborn}:
        return
    print("SuperNode terminated gracefully.", flush=True)
    sys.exit(0)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, end)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
(home / "pids").write_text(f"{{os.getpid()}} {{child.pid}}")
print({says!r}, flush=True)
if {code} is not None:
    sys.exit({code})
while True:
    time.sleep(0.05)
"""
JOIN = """
import sys
from fedpact.protocol.flower import join, processes
processes.flower_command = lambda name: sys.argv[2]
join.GOODBYE, join._AFTER = float(sys.argv[3]), 0.1
sys.exit(join.join_federation(sys.argv[1], "127.0.0.1:1"))
"""


@pytest.fixture
def fake(tmp_path):
    """Makes a command that stands for Flower's SuperNode, with a process of its own beside it."""

    def make(says="SuperNode ID: 7", code=None, is_stubborn=False):
        path = tmp_path / "flower-supernode"
        path.write_text(NODE.format(python=sys.executable, says=says, code=code, is_stubborn=is_stubborn))
        path.chmod(0o755)
        return path

    return make


def is_alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for(claim):
    until = time.monotonic() + 30
    while not claim():
        assert time.monotonic() < until
        time.sleep(0.02)


ENDS = {
    "Ctrl-C": (signal.SIGINT, 130, {}),
    "SIGTERM": (signal.SIGTERM, 143, {}),
    "the terminal closes": (signal.SIGHUP, 129, {}),
    "it will not end": (signal.SIGTERM, 143, {"is_stubborn": True}),
}


@pytest.mark.parametrize("kind", ENDS)
def test_a_signal_is_passed_on_once_and_nothing_is_left(clinic, fake, kind):
    number, code, settings = ENDS[kind]
    patience = "0.3" if settings else "20"
    command = [sys.executable, "-c", JOIN, str(clinic), str(fake(**settings)), patience]
    env = {**os.environ, "PYTHONPATH": flower_environment(clinic)["PYTHONPATH"]}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env, start_new_session=True) as process:
        lines = []
        wait_for(lambda: lines.append(process.stderr.readline()) or "connected" in lines[-1])
        home = clinic / ".flower"
        pids = [int(pid) for pid in (home / "pids").read_text().split()]
        os.killpg(process.pid, number)  # as a terminal does
        rest = process.communicate(timeout=30)[1]
    assert process.returncode == code, rest
    assert (home / "signals").read_text().split()[:1] == [str(int(signal.SIGTERM))]
    assert settings or (home / "signals").read_text().split() == [str(int(signal.SIGTERM))]
    assert not any(is_alive(pid) for pid in pids)
    assert "Traceback" not in rest
    assert [line.split(";")[0] for line in lines] == [
        "joining 127.0.0.1:1",
        "nobody answers at 127.0.0.1:1 yet (Connection refused)",
        "connected to 127.0.0.1:1",
    ]


def join_with(command, clinic, monkeypatch, superlink="127.0.0.1:1", **options):
    monkeypatch.setattr(processes, "flower_command", lambda name: str(command))
    monkeypatch.setattr(module, "_AFTER", 0.1)
    said = []
    try:
        return join_federation(clinic, superlink, say=said.append, **options), said
    except ProtocolError as error:
        return str(error), said


FAILS = {
    "not-registered": ("ERROR: Exit Code: 305\n[code: 2004]", "ask the operator to start the run first"),
    "address": ("ERROR: Exit Code: 600\nx", "--superlink must be HOST:PORT"),
    "something-new": ("ERROR: something new", "it says 'ERROR: something new'"),
}


@pytest.mark.parametrize("kind", FAILS)
def test_what_flower_says_when_it_gives_up_becomes_one_line(clinic, fake, monkeypatch, kind):
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    says, line = FAILS[kind]
    log = clinic / ".flower" / "supernode.log"
    failed, said = join_with(fake(says=says, code=1), clinic, monkeypatch)
    assert failed.startswith("the SuperNode ended: ")
    assert line in failed
    assert failed.endswith(f"(log: {log})")
    assert not any("ERROR" in shown for shown in said), "Flower's own output is in the log"
    assert {number: signal.getsignal(number) for number in before} == before


def test_flower_s_own_output_on_demand(clinic, fake, monkeypatch):
    code, said = join_with(fake(says="what Flower says", code=0), clinic, monkeypatch, is_verbose=True)
    assert (code, said[-1]) == (0, "what Flower says")


def test_what_the_site_answers_is_shown_and_what_it_answered_before_is_not(clinic, fake, monkeypatch):
    (clinic / ".flower").mkdir()
    (clinic / ".flower" / "answers.log").write_text("09:00:00 of yesterday\n")
    path = fake(code=0)
    waits = '(home / "answers.log").open("a").write("10:00:00 waiting: 3 of 19\\n")\nprint('
    path.write_text(path.read_text().replace("print('SuperNode", waits + "'SuperNode"))
    code, said = join_with(path, clinic, monkeypatch)
    assert (code, said[2:]) == (
        0,
        ["connected to 127.0.0.1:1; waiting for requests, until Ctrl-C", "10:00:00 waiting: 3 of 19"],
    )


def test_a_site_that_was_given_a_key_and_does_not_sign_is_told(clinic, keys, fake, monkeypatch):
    _, said = join_with(fake(code=0), clinic, monkeypatch, keys=keys)
    assert said[0].startswith("site.toml names no key, so an operator that knows this site by its key")
    assert f'key = "{keys / "signing.key"}"' in said[0]
