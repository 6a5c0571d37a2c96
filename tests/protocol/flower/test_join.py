"""Joining a federation: only with a site's folder and over a safe line; it waits, and leaves when told to."""

import os
import signal
import subprocess
import sys

import httpx
import pytest

from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError, ProtocolError
from fedpact.protocol.flower import join as module
from fedpact.protocol.flower.join import check_site, join_federation
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


def test_a_site_is_joined_with_its_keys(clinic, keys, monkeypatch):
    monkeypatch.chdir(clinic.parent)
    assert check_site("clinic", AWAY, keys.relative_to(clinic.parent)) == (clinic, keys)


@pytest.mark.parametrize("here", ["127.0.0.1:9092", "[::1]:9092", "localhost:9092"])
def test_without_keys_only_this_machine_is_joined(clinic, here):
    assert check_site(clinic, here, None) == check_site(clinic / "site.toml", here, None) == (clinic, None)


@pytest.mark.parametrize("away", [AWAY, "10.0.0.7:9092", "localhost.example.org:9092", "127.0.0.1.org:1"])
def test_another_machine_is_not_joined_without_keys(clinic, away):
    with pytest.raises(ProtocolError, match="is not joined without keys; give the folder of yours"):
        check_site(clinic, away, None)


@pytest.mark.parametrize("missing", ["ca.crt", "supernode.key"])
def test_a_folder_of_keys_that_is_not_whole(clinic, keys, missing):
    (keys / missing).unlink()
    for superlink in (AWAY, "127.0.0.1:9092"):
        with pytest.raises(
            ProtocolError, match=f"has no {missing}; it must be the folder that 'fedpact keys make'"
        ):
            check_site(clinic, superlink, keys)


BAD = {
    "no-folder": ("nowhere", "no such folder"),
    "no-site": (".", "not a site's folder; there is no site.toml in it"),
}


@pytest.mark.parametrize("kind", BAD)
def test_nothing_is_started_for_what_is_no_site(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(module, "connect", None)
    folder, line = BAD[kind]
    with pytest.raises(FederationError, match=line):
        join_federation(tmp_path / folder, "127.0.0.1:9092")
    assert not (tmp_path / folder / ".flower").exists()


def test_a_site_whose_files_are_gone(clinic):
    (clinic / "predictions.csv").unlink()
    with pytest.raises(FederationError, match=r"predictions\.csv"):
        check_site(clinic, "127.0.0.1:9092", None)


@pytest.mark.parametrize("address", ["localhost", "localhost:abc", "https://fl.example.org:9092"])
def test_an_address_that_is_none(clinic, keys, address):
    with pytest.raises(FederationError, match="--superlink must be HOST:PORT"):
        check_site(clinic, address, keys)


def name_keys(clinic, keys, **named):
    path = clinic / "site.toml"
    lines = [f'{key} = "{file}"\n' for key, file in {"key": keys / "signing.key", **named}.items()]
    path.write_text("".join(lines) + path.read_text())


def test_the_folder_of_keys_is_the_one_that_the_site_names(clinic, keys):
    name_keys(clinic, keys, operator=keys / "operator.pub")
    assert check_site(clinic, AWAY, keys)


@pytest.mark.parametrize("given", ["signing.pub", "signing.key"])
def test_the_keys_of_another_site_are_refused(clinic, keys, given):
    name_keys(clinic, keys)
    other = keys.parent / "bob"
    shown = read_public_key(other / "signing.pub")[:16], read_public_key(keys / "signing.pub")[:16]
    if given == "signing.key":
        (other / "signing.pub").unlink()
    with pytest.raises(ProtocolError) as refused:
        check_site(clinic, AWAY, other)
    assert str(refused.value) == (
        f"{other} has the signing key {shown[0]}..., and {clinic / 'site.toml'} names the key {shown[1]}...; give "
        "the folder of keys of 'alice', or name its signing.key in site.toml"
    )


def test_the_keys_of_another_operator_are_refused(clinic, keys, tmp_path):
    make_keys(tmp_path / "other", ["alice"])
    name_keys(clinic, keys, operator=tmp_path / "other" / "operator" / "signing.pub")
    with pytest.raises(ProtocolError, match=r"is of an operator with the key .* names one with the key"):
        check_site(clinic, AWAY, keys)


ENDS = {
    "Ctrl-C": (signal.SIGINT, 130),
    "SIGTERM": (signal.SIGTERM, 143),
    "the terminal closes": (signal.SIGHUP, 129),
}


@pytest.mark.parametrize("kind", ENDS)
def test_it_waits_for_a_superlink_that_is_not_there_until_it_is_told_to_leave(clinic, kind):
    number, code = ENDS[kind]
    superlink = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "fedpact", "site", "join", str(clinic), "--superlink", superlink]
    env = {**os.environ, "PYTHONPATH": flower_environment(clinic)["PYTHONPATH"]}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env, start_new_session=True) as process:
        lines = [process.stderr.readline() for _ in range(2)]
        os.killpg(process.pid, number)  # as a terminal does
        rest = process.communicate(timeout=30)[1]
    assert (process.returncode, rest) == (code, "")
    assert [line.strip() for line in lines] == [
        f"joining {superlink}; Flower's own log is {clinic / '.flower' / 'flower.log'}",
        f"nobody answers at {superlink} (Connection refused); waiting for it",
    ]


class EndOfTest(BaseException):
    """Stands for the signal that ends a node."""


@pytest.fixture
def superlink(monkeypatch):
    """Joins a SuperLink that answers as it is told; returns what was said, and how it ended."""
    monkeypatch.setattr(module, "say_silence", lambda superlink: None)
    monkeypatch.setattr(module, "check_line", lambda *_: None)
    monkeypatch.setattr(module, "_LOOK_EVERY", 0.0)
    monkeypatch.setattr(module, "_TRY_EVERY", 0.0)

    def join(clinic, *errors, **options):
        left, said = list(errors), []

        def connect(superlink, keys):
            raise left.pop(0) if left else EndOfTest

        monkeypatch.setattr(module, "connect", connect)
        try:
            join_federation(clinic, "127.0.0.1:1", say=lambda what, line: said.append((what, line)), **options)
        except (EndOfTest, ProtocolError) as end:
            return said, end

    return join


def answered(code):
    request = httpx.Request("POST", "https://127.0.0.1:1")
    return httpx.HTTPStatusError("no", request=request, response=httpx.Response(code, request=request))


@pytest.mark.parametrize("error", [httpx.ConnectError("gone"), httpx.ReadTimeout("slow"), answered(502)])
def test_a_superlink_that_goes_away_is_waited_for(clinic, superlink, error):
    said, end = superlink(clinic, error, error)
    assert isinstance(end, EndOfTest)
    assert [what for what, _ in said] == ["joining", "waiting", "waiting"]


@pytest.mark.parametrize("code", [401, 403, 400])
def test_a_superlink_that_refuses_is_one_line(clinic, superlink, code):
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    _, end = superlink(clinic, answered(code))
    assert str(end).startswith("the SuperLink at 127.0.0.1:1 refuses this node: its key is not registered")
    assert {number: signal.getsignal(number) for number in before} == before


def test_a_site_that_was_given_a_key_and_does_not_sign_is_told(clinic, keys, superlink):
    said, _ = superlink(clinic, keys=keys)
    assert said[0][1].startswith("site.toml names no key, so an operator that knows this site by its key")
    assert f'key = "{keys / "signing.key"}"' in said[0][1]
