import socket
import ssl
import sys
import threading
from contextlib import nullcontext
from dataclasses import replace

import pytest

from fedpact.errors import FederationError, ProtocolError
from fedpact.protocol.flower import superlink
from fedpact.protocol.flower.local import LocalDeployment
from fedpact.protocol.flower.superlink import SuperLinkConnection, insist_on_health, is_healthy
from flower_keys import make_keys


@pytest.mark.parametrize("address", ["10.0.0.1:9092", "example.org:9092", "[2001:db8::1]:9092"])
def test_another_machine_is_not_reached_without_tls(tmp_path, address):
    with pytest.raises(ProtocolError, match="without TLS"):
        SuperLinkConnection(address=address, root_certificates=None, home=tmp_path)


def test_root_certificates_must_be_there(tmp_path):
    with pytest.raises(ProtocolError, match="are not a file"):
        SuperLinkConnection(address="127.0.0.1:1", root_certificates=tmp_path / "ca.crt", home=tmp_path)


def test_nobody_at_the_address_is_one_clear_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ProtocolError, match=f"no SuperLink answers at {address}"):
            insist_on_health(SuperLinkConnection(address=address, root_certificates=None, home=tmp_path))


@pytest.mark.parametrize(
    "address",
    ["localhost", "localhost:", "localhost:abc", ":9092", "a:0", "a:65536", "https://a:1", "a b:1", "::1:1"],
)
def test_an_address_without_a_port_is_one_clear_line(tmp_path, address):
    with pytest.raises(FederationError, match=r"--superlink must be HOST:PORT, as in fl.*; it is '"):
        SuperLinkConnection(address=address, root_certificates=None, home=tmp_path)


@pytest.mark.parametrize(
    "answer", ['{"success": false}', "", "no json", '{"runs": []}', '{"runs": [{"status": "x"}]}']
)
def test_an_answer_of_flower_without_runs_is_one_clear_line(tmp_path, monkeypatch, answer):
    command = tmp_path / "flwr"
    command.write_text(f"#!/bin/sh\necho '{answer}'\n")
    command.chmod(0o755)
    monkeypatch.setattr(superlink, "flower_command", lambda name: str(command))
    connection = SuperLinkConnection(address="127.0.0.1:1", root_certificates=None, home=tmp_path)
    with pytest.raises(ProtocolError) as refused:
        connection.status("17")
    assert "at 127.0.0.1:1 does not say what was asked for" in str(refused.value)
    assert f"does another process, with another SuperLink, use {tmp_path} at the same time?" in str(refused.value)
    with pytest.raises(ProtocolError, match="does not say what was asked for"):
        connection.submit(tmp_path)


@pytest.mark.parametrize(("said", "is_raised"), [("Public key already in use", False), ("No such file", True)])
def test_a_node_that_is_registered_already_may_be_registered_again(tmp_path, monkeypatch, said, is_raised):
    command = tmp_path / "flwr"
    command.write_text(f"#!/bin/sh\necho '{said}'\nexit 1\n")
    command.chmod(0o755)
    monkeypatch.setattr(superlink, "flower_command", lambda name: str(command))
    connection = SuperLinkConnection(address="127.0.0.1:1", root_certificates=None, home=tmp_path)
    with pytest.raises(ProtocolError, match=said) if is_raised else nullcontext():
        connection.register(tmp_path / "supernode.pub")


class Server:
    """A TLS server that greets everybody like a healthy SuperLink."""

    def __init__(self, keys):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(keys.server_certificate, keys.server_key)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)

    def _serve(self):
        peer, _ = self._socket.accept()
        with peer:
            try:
                with self._context.wrap_socket(peer, server_side=True) as secure:
                    secure.recv(1000)
                    secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            except OSError:
                return

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._thread.join(timeout=10)
        self._socket.close()


def connect(server, keys, tmp_path):
    return SuperLinkConnection(address=server.address, root_certificates=keys.ca_certificate, home=tmp_path)


def test_a_good_certificate_is_accepted(tmp_path):
    keys = make_keys(tmp_path, 0)
    with Server(keys) as server:
        assert is_healthy(connect(server, keys, tmp_path))


def test_an_expired_certificate_is_named(tmp_path):
    keys = make_keys(tmp_path, 0, days=-1)
    with Server(keys) as server, pytest.raises(ProtocolError, match=r"not accepted \(certificate has expired\)"):
        is_healthy(connect(server, keys, tmp_path))


def test_a_certificate_of_somebody_else_is_named(tmp_path):
    keys = make_keys(tmp_path / "one", 0)
    other = replace(keys, ca_certificate=make_keys(tmp_path / "two", 0).ca_certificate)
    with Server(keys) as server, pytest.raises(ProtocolError, match="check its dates and names"):
        is_healthy(connect(server, other, tmp_path))


def test_every_node_needs_a_key(tmp_path):
    with pytest.raises(ProtocolError, match="2 nodes and only 1 key pairs"):
        LocalDeployment(tmp_path / "home", [{"site": "a"}, {"site": "b"}], keys=make_keys(tmp_path, 1))


def test_a_superlink_that_never_gets_healthy_is_one_clear_line(tmp_path, monkeypatch):
    sleep = [sys.executable, "-c", "import time; print('waiting', flush=True); time.sleep(600)"]
    monkeypatch.setattr(LocalDeployment, "_superlink_command", lambda self: sleep)
    deployment = LocalDeployment(tmp_path, [], start_within=1.0)
    with pytest.raises(ProtocolError, match="did not get healthy in 1 s; it says 'waiting'"), deployment:
        pass
    assert deployment.pids() == []


def test_a_port_in_use_is_one_clear_line(tmp_path):
    deployment = LocalDeployment(tmp_path, [])
    host, port = deployment.connection.address.split(":")
    with socket.socket() as taken:
        taken.bind((host, int(port)))
        with pytest.raises(ProtocolError, match="its port is in use"), deployment:
            pass
    assert deployment.pids() == []
