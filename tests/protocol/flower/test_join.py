"""The command that joins a federation: nothing is started without a site's folder and a safe line."""

import pytest

from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError, ProtocolError
from fedpact.protocol.flower import join as module
from fedpact.protocol.flower.join import join_command, join_federation
from fedpact.protocol.keys.key_set import make_keys
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site_files import write_site

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
    command = join_command("clinic", AWAY, keys=keys.relative_to(clinic.parent), port=9200)
    assert command[0].endswith("/flower-supernode")
    assert (option(command, "--superlink"), option(command, "--port")) == (AWAY, "9200")
    assert option(command, "--host") == "127.0.0.1", "its own processes reach it, and nobody else"
    assert str(clinic) in option(command, "--node-config")
    assert option(command, "--root-certificates") == str(keys / "ca.crt")
    assert option(command, "--auth-supernode-private-key") == str(keys / "supernode.key")
    assert "--insecure" not in command


@pytest.mark.parametrize("here", ["127.0.0.1:9092", "[::1]:9092", "localhost:9092"])
def test_without_keys_only_this_machine_is_joined(clinic, here):
    assert join_command(clinic, here)[-1] == "--insecure"
    assert join_command(clinic / "site.toml", here) == join_command(clinic, here)


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
    monkeypatch.setattr(module.subprocess, "Popen", None)
    folder, line = BAD[kind]
    with pytest.raises(FederationError, match=line):
        join_federation(tmp_path / folder, "127.0.0.1:9092")
    assert not (tmp_path / folder / ".flower").exists()


def test_a_site_whose_files_are_gone(clinic):
    (clinic / "predictions.csv").unlink()
    with pytest.raises(FederationError, match=r"predictions\.csv"):
        join_command(clinic, "127.0.0.1:9092")
