"""Looking at a SuperLink before anything is sent there: does it speak as this site would?"""

import socket
import ssl
import threading

import pytest

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.local import free_port
from fedpact.protocol.flower.preflight import check_line, check_port, say_silence
from flower_keys import make_keys

HEALTHY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Server:
    """Greets everybody like a SuperLink, with TLS or without, until it is left."""

    def __init__(self, keys=None, says=HEALTHY):
        self._says, self._context = says, None
        if keys is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(keys.server_certificate, keys.server_key)
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


@pytest.fixture
def keys(tmp_path):
    return make_keys(tmp_path / "keys", 0)


def test_whoever_speaks_alike_is_let_through(tmp_path, keys):
    with Server() as plain, Server(keys) as secure:
        check_line(plain.address, None, tmp_path)
        check_line(secure.address, keys.ca_certificate, tmp_path)
        assert say_silence(plain.address) is None


def test_a_superlink_with_tls_wants_keys(tmp_path, keys):
    with Server(keys) as secure, pytest.raises(ProtocolError, match="speaks TLS only; give the folder of keys"):
        check_line(secure.address, None, tmp_path)


def test_keys_are_not_shown_to_a_superlink_without_tls(tmp_path, keys):
    with Server() as plain, pytest.raises(ProtocolError, match="speaks no TLS; ask the operator"):
        check_line(plain.address, keys.ca_certificate, tmp_path)


def test_a_certificate_of_somebody_else_is_refused(tmp_path, keys):
    other = make_keys(tmp_path / "other", 0)
    with Server(keys) as secure, pytest.raises(ProtocolError, match="shows a certificate that is not accepted"):
        check_line(secure.address, other.ca_certificate, tmp_path)


def test_nobody_there_is_no_error_but_is_said(tmp_path, keys):
    address = f"127.0.0.1:{free_port()}"
    assert say_silence(address) == "Connection refused"
    check_line(address, None, tmp_path)
    check_line(address, keys.ca_certificate, tmp_path)


def test_a_superlink_that_is_still_starting_is_let_through(tmp_path):
    with Server(says=b"HTTP/1.1 503 Not Yet\r\nContent-Length: 0\r\n\r\n") as busy:
        check_line(busy.address, None, tmp_path)


def test_a_free_port_is_free():
    check_port(free_port())
