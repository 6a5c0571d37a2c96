"""A small certificate authority, so that sites know the server that they send to.

The authority's certificate lasts ten years and is what sites trust; the server's is renewed as often as wanted
without any site noticing. Both carry what OpenSSL asks for in strict mode (the default since Python 3.13): basic
constraints, key usage, and the identifiers of the subject's and the authority's key. The server's always names the
loopback addresses, since a SuperLink's own processes reach it there over TLS, too.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from fedpact.describe.numbers import shorten
from fedpact.errors import ProtocolError

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
MOST_DAYS: Final = 3650
EARLIER: Final = timedelta(hours=1)
"""Certificates are valid from a little before they are made, for sites whose clocks are slow."""

_USES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement"),
    *("key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)
_OF_AUTHORITY, _OF_SERVER = ("key_cert_sign", "crl_sign"), ("digital_signature",)
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A key that signs certificates, and its own certificate."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate


def make_ec_key() -> ec.EllipticCurvePrivateKey:
    """Make a key for TLS."""
    return ec.generate_private_key(ec.SECP256R1())


def to_pem(made: ec.EllipticCurvePrivateKey | x509.Certificate) -> bytes:
    """Write a certificate, or a private key as PKCS8, in PEM."""
    if isinstance(made, x509.Certificate):
        return made.public_bytes(Encoding.PEM)
    return made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def read_ec_key(data: bytes) -> ec.EllipticCurvePrivateKey:
    """Read what :func:`to_pem` wrote."""
    try:
        key = load_pem_private_key(data, password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        raise ProtocolError("not an unencrypted private key in PEM") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ProtocolError("not an elliptic-curve key")
    return key


def read_certificate(data: bytes) -> x509.Certificate:
    """Read a certificate in PEM."""
    try:
        certificate = x509.load_pem_x509_certificate(data)
        certificate.public_key()
    except (ValueError, UnsupportedAlgorithm):
        raise ProtocolError("not a certificate in PEM") from None
    return certificate


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    Examples
    --------
    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "192.168.0.2", "example.org")]
    [True, True, True, False, False, False]
    """
    address = _to_address(host.strip("[]"))
    return host == "localhost" or (address is not None and address.is_loopback)


def _to_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _read_host(host: Any) -> str:
    """Return an address or the ASCII form of a name."""
    text = host.strip() if isinstance(host, str) else ""
    if address := _to_address(text):
        return str(address)
    try:
        name = text.lower() if text.isascii() else text.encode("idna").decode()
    except UnicodeError:
        name = ""
    if not _NAME.fullmatch(name):
        raise ProtocolError(
            f"host must be a name such as fl.example.org or an address such as 192.0.2.7, without a port; "
            f"it is {shorten(host)}"
        )
    return name


def read_hosts(hosts: Sequence[str]) -> tuple[str, ...]:
    """Check the names and addresses by which sites reach the server; the loopback addresses are always among them.

    Examples
    --------
    >>> read_hosts(["fl.example.org", "192.0.2.7", "127.0.0.1"])
    ('fl.example.org', '192.0.2.7', '127.0.0.1', 'localhost', '::1')
    """
    if isinstance(hosts, str):
        raise ProtocolError(f"hosts must be a list of names and addresses; it is {shorten(hosts)}")
    return tuple(dict.fromkeys([*map(_read_host, hosts), *LOOPBACK]))


def _to_general_name(host: str) -> x509.GeneralName:
    address = _to_address(host)
    return x509.DNSName(host) if address is None else x509.IPAddress(address)


def hosts_of(certificate: x509.Certificate) -> tuple[str, ...]:
    """List the names and addresses that a certificate is for."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ()
    return tuple(str(name.value) for name in names if isinstance(name, x509.DNSName | x509.IPAddress))


def to_time(seconds: float) -> datetime:
    """Convert seconds since the epoch to what certificates hold, which is whole seconds."""
    return datetime.fromtimestamp(int(seconds), UTC)


def read_days(days: Any) -> int:
    """Check for how many days a certificate is to be valid."""
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MOST_DAYS:
        raise ProtocolError(f"days must be a whole number from 1 to {MOST_DAYS}; it is {shorten(days)}")
    return days


def _sign(
    subject: str,
    public: ec.EllipticCurvePublicKey,
    by: Authority | ec.EllipticCurvePrivateKey,
    times: tuple[datetime, datetime],
    *extensions: x509.ExtensionType,
) -> x509.Certificate:
    """Sign a server's certificate by an authority, or an authority's by its own key."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)])
    issuer, key = (by.certificate.subject, by.key) if isinstance(by, Authority) else (name, by)
    is_authority = issuer is name
    uses = _OF_AUTHORITY if is_authority else _OF_SERVER
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(times[0] - EARLIER)
        .not_valid_after(times[1])
        .add_extension(x509.KeyUsage(**{use: use in uses for use in _USES}), critical=True)
        .add_extension(x509.BasicConstraints(is_authority, 0 if is_authority else None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(key, hashes.SHA256())


def make_authority(now: float) -> Authority:
    """Make an authority that signs servers' certificates and nothing else."""
    key, made = make_ec_key(), to_time(now)
    identity = x509.SubjectKeyIdentifier.from_public_key(key.public_key()).digest.hex()[:16]
    times = made, made + timedelta(days=MOST_DAYS + 1)
    return Authority(key=key, certificate=_sign(f"fedpact authority {identity}", key.public_key(), key, times))


def make_server_certificate(
    authority: Authority, public: ec.EllipticCurvePublicKey, hosts: Sequence[str], *, days: int, now: float
) -> x509.Certificate:
    """Certify a server's key for the hosts, at most for as long as the authority itself is valid."""
    made, last = to_time(now), authority.certificate.not_valid_after_utc
    if last <= made:
        raise ProtocolError(f"the authority's own certificate ended on {last:%Y-%m-%d}; make a new set of keys")
    return _sign(
        "fedpact server",
        public,
        authority,
        (made, min(made + timedelta(days=days), last)),
        x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]),
        x509.SubjectAlternativeName(list(map(_to_general_name, hosts))),
        x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()),
    )


def is_issued_by(certificate: x509.Certificate, authority: x509.Certificate) -> bool:
    """Whether the authority's key signed the certificate under the authority's name."""
    try:
        certificate.verify_directly_issued_by(authority)
    except (InvalidSignature, TypeError, ValueError):
        return False
    return True
