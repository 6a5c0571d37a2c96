"""Certificates as TLS sees them: real handshakes on the loopback, with OpenSSL in strict mode."""

import ssl
import time
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509

from fedpact.errors import ProtocolError
from fedpact.protocol.keys.certificates import (
    hosts_of,
    is_issued_by,
    make_authority,
    make_ec_key,
    make_server_certificate,
    read_certificate,
    read_days,
    read_ec_key,
    read_hosts,
    to_pem,
)
from handshake import shake_hands

DAY = 86_400.0


class Server:
    """Files of one authority and one server."""

    def __init__(self, folder, *, now, days=365, hosts=(), authority=None):
        self.authority = authority or make_authority(now)
        self.key = make_ec_key()
        self.certificate = make_server_certificate(
            self.authority, self.key.public_key(), read_hosts(hosts), days=days, now=now
        )
        self.root = to_pem(self.authority.certificate)
        self.crt, self.pem = to_pem(self.certificate), to_pem(self.key)
        (folder / "server.pem").write_bytes(self.pem + self.crt)
        self.file = folder / "server.pem"


@pytest.fixture
def now():
    return time.time()


def test_openssl_accepts_every_host_in_strict_mode_and_no_other(tmp_path, now):
    server = Server(tmp_path, now=now, hosts=["fl.example.org", "192.0.2.7", "bücher.example"])
    for name in ("localhost", "127.0.0.1", "::1", "fl.example.org", "192.0.2.7", "xn--bcher-kva.example"):
        assert shake_hands(server.file, server.root, name) == b"hello"
    server = Server(tmp_path, now=now)
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shake_hands(server.file, server.root, "fl.example.org")


def test_another_authority_is_refused_and_so_is_a_server_that_acts_as_one(tmp_path, now):
    server = Server(tmp_path, now=now)
    with pytest.raises(ssl.SSLCertVerificationError, match=r"unable to get local issuer|self.signed"):
        shake_hands(server.file, to_pem(make_authority(now).certificate))
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(server.file, server.crt)


@pytest.mark.parametrize(
    ("made", "problem"), [(-20 * DAY, "certificate has expired"), (2 * DAY, "certificate is not yet valid")]
)
def test_the_wrong_time_is_refused(tmp_path, now, made, problem):
    server = Server(tmp_path, now=now + made, days=10, authority=make_authority(now - 30 * DAY))
    with pytest.raises(ssl.SSLCertVerificationError, match=problem):
        shake_hands(server.file, server.root)


def test_a_certificate_ends_with_its_authority():
    authority = make_authority(0)
    made = make_server_certificate(authority, make_ec_key().public_key(), ["a"], days=3650, now=3000 * DAY)
    assert made.not_valid_after_utc == authority.certificate.not_valid_after_utc
    with pytest.raises(ProtocolError, match="own certificate ended on 1979-12-31; make a new set"):
        make_server_certificate(authority, make_ec_key().public_key(), ["a"], days=1, now=3651 * DAY)


def test_times_are_those_asked_for():
    made = make_server_certificate(make_authority(0), make_ec_key().public_key(), ["a"], days=7, now=1.75)
    start = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert (made.not_valid_before_utc, made.not_valid_after_utc) == (
        start - timedelta(hours=1),
        start + timedelta(days=7),
    )


def test_who_issued_what():
    mine, other, key = make_authority(0), make_authority(0), make_ec_key()
    made = make_server_certificate(mine, key.public_key(), read_hosts(["a.b"]), days=7, now=0)
    assert is_issued_by(made, mine.certificate)
    assert not is_issued_by(made, other.certificate)
    assert key.public_key() == made.public_key() != mine.certificate.public_key()
    assert hosts_of(made) == ("a.b", "localhost", "127.0.0.1", "::1")
    assert hosts_of(mine.certificate) == ()
    assert mine.certificate.subject != other.certificate.subject
    assert made.extensions.get_extension_for_class(x509.KeyUsage).critical


def test_keys_and_certificates_are_read_as_written():
    key, authority = make_ec_key(), make_authority(0)
    assert to_pem(read_ec_key(to_pem(key))) == to_pem(key)
    assert read_certificate(to_pem(authority.certificate)) == authority.certificate
    for read in (read_ec_key, read_certificate):
        with pytest.raises(ProtocolError, match="not "):
            read(b"nothing")


def test_hosts_that_are_none():
    for host in (
        *("", " ", "a b", "fl.example.org:9092", "https://fl.example.org", "*.example.org", "-a", "a..b", "[::1]"),
        *("a" * 64, "é" * 64, 3, None, "a\nb", "a\0", "example.org.", ".".join(["a" * 60] * 5)),
    ):
        with pytest.raises(ProtocolError, match="host must be a name such as"):
            read_hosts([host])


def test_hosts_are_listed_once_in_one_spelling():
    assert read_hosts(["FL.Example.org", "fl.example.org", "0:0::1", "super_link"]) == (
        *("fl.example.org", "::1", "super_link"),
        *("localhost", "127.0.0.1"),
    )
    with pytest.raises(ProtocolError, match="hosts must be a list"):
        read_hosts("localhost")


def test_days_that_are_none():
    for days in (0, -1, 3651, 1.5, "7", None, True, 10**30):
        with pytest.raises(ProtocolError, match="days must be a whole number from 1 to 3650"):
            read_days(days)
