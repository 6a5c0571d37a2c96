import socket
import ssl
import sys
import threading
import time
from contextlib import nullcontext

import pytest

from fedpact.errors import FederationError, ProtocolError
from fedpact.protocol.flower import local, superlink
from fedpact.protocol.flower.processes import free_port
from fedpact.protocol.flower.superlink import (
    SuperLinkConnection,
    check_line,
    insist_on_health,
    is_healthy,
    say_silence,
    write_app,
)
from fedpact.protocol.keys.key_set import make_keys


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
        connection.is_over("17")
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


HEALTHY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Server:
    """Greets everybody like a SuperLink, with TLS or without, until it is left."""

    def __init__(self, keys=None, says=HEALTHY):
        self._says, self._context = says, None
        if keys is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(keys / "server.crt", keys / "server.key")
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)

    def _serve(self):
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            with peer:
                peer.settimeout(5)
                try:
                    line = peer if self._context is None else self._context.wrap_socket(peer, server_side=True)
                    with line:
                        line.recv(1000)
                        line.sendall(self._says)
                except OSError:
                    continue

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(timeout=10)


def connect(server, keys, tmp_path):
    return SuperLinkConnection(address=server.address, root_certificates=keys / "ca.crt", home=tmp_path)


def make_tls(folder, **options):
    make_keys(folder, ["alice"], **options)
    return folder / "operator" / "tls"


@pytest.fixture
def keys(tmp_path):
    return make_tls(tmp_path / "keys")


def test_a_good_certificate_is_accepted(tmp_path, keys):
    with Server(keys) as server:
        assert is_healthy(connect(server, keys, tmp_path))


def test_an_expired_certificate_is_named(tmp_path):
    keys = make_tls(tmp_path / "keys", days=1, now=time.time() - 2 * 86_400)
    with Server(keys) as server, pytest.raises(ProtocolError, match=r"not accepted \(certificate has expired\)"):
        is_healthy(connect(server, keys, tmp_path))


def test_a_certificate_of_somebody_else_is_named(tmp_path, keys):
    other = make_tls(tmp_path / "other")
    with Server(keys) as server, pytest.raises(ProtocolError, match="check its dates and names"):
        is_healthy(connect(server, other, tmp_path))


def test_whoever_speaks_alike_is_let_through(tmp_path, keys):
    with Server() as plain, Server(keys) as secure:
        check_line(plain.address, None, tmp_path)
        check_line(secure.address, keys / "ca.crt", tmp_path)
        assert say_silence(plain.address) is None


def test_a_superlink_with_tls_wants_keys(tmp_path, keys):
    with Server(keys) as secure, pytest.raises(ProtocolError, match="speaks TLS only; give the folder of keys"):
        check_line(secure.address, None, tmp_path)


def test_keys_are_not_shown_to_a_superlink_without_tls(tmp_path, keys):
    with Server() as plain, pytest.raises(ProtocolError, match="speaks no TLS; ask the operator"):
        check_line(plain.address, keys / "ca.crt", tmp_path)


def test_nobody_there_is_no_error_but_is_said(tmp_path, keys):
    address = f"127.0.0.1:{free_port()}"
    assert say_silence(address) == "Connection refused"
    check_line(address, None, tmp_path)
    check_line(address, keys / "ca.crt", tmp_path)


def test_a_superlink_that_is_still_starting_is_let_through(tmp_path):
    with Server(says=b"HTTP/1.1 503 Not Yet\r\nContent-Length: 0\r\n\r\n") as busy:
        check_line(busy.address, None, tmp_path)


def test_a_superlink_that_never_gets_healthy_is_one_clear_line(tmp_path, monkeypatch):
    sleep = [sys.executable, "-c", "import time; print('waiting', flush=True); time.sleep(600)"]
    monkeypatch.setattr(local, "superlink_command", lambda *_: sleep)
    deployment = local.deploy(tmp_path, {}, None, start_within=1.0)
    with pytest.raises(ProtocolError, match="did not come up within 1 s; it says 'waiting'"), deployment:
        pass


def test_a_port_in_use_is_one_clear_line(tmp_path, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setattr(local, "free_port", lambda: taken.getsockname()[1])
        with pytest.raises(ProtocolError, match="its port is in use"), local.deploy(tmp_path, {}, None):
            pass


def test_the_project_points_at_the_two_apps_and_flower_takes_it(tmp_path):
    from flwr.cli.config_utils import load_and_validate

    for number in range(2):
        folder = write_app(tmp_path / "app", {"operator": "/srv/operator", "number": number})
    project, warnings = load_and_validate(folder / "pyproject.toml")
    assert warnings == []
    app = project["tool"]["flwr"]["app"]
    assert app["components"] == {
        "serverapp": "fedpact.protocol.flower.server_app:app",
        "clientapp": "fedpact.protocol.flower.client_app:app",
    }
    assert app["config"] == {"operator": "/srv/operator", "number": 1}
