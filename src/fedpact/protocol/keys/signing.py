"""Ed25519 signatures, by which a site or the operator stands for what it sent.

Keys and signatures are written as lowercase hexadecimal digits, and only so: a signature has one spelling. Public
keys of small order are refused everywhere, since with them one signature fits many messages, so whoever holds one
could deny what it signed. A private key is a PKCS8 PEM file that only its user can read.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from os import PathLike
from typing import Any, Final, final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from fedpact.describe.parsing import one_line
from fedpact.errors import MessageError, ProtocolError
from fedpact.protocol.canonical import to_canonical
from fedpact.protocol.files import find_open_mode, read_as, write_new

SIGNATURE: Final = "signature"

_PUBLIC = re.compile(r"[0-9a-f]{64}")
_SIGNATURE = re.compile(r"[0-9a-f]{128}")
_P = 2**255 - 19
_ORDER_8 = (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
)
_SMALL_ORDER = frozenset(
    {*map(bytes.fromhex, _ORDER_8), *(y.to_bytes(32, "little") for y in (0, 1, _P - 1, _P, _P + 1))}
)
"""Every encoding, without the sign bit, of a point whose order divides 8."""


@final
class SigningKey:
    """A private Ed25519 key; shows its public half only.

    Examples
    --------
    >>> key = SigningKey.from_seed(bytes(32))
    >>> key
    SigningKey(public='3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29')
    >>> is_signed_by(key.public, b"14 samples", key.sign(b"14 samples"))
    True
    >>> is_signed_by(key.public, b"15 samples", key.sign(b"14 samples"))
    False
    """

    __slots__ = ("_key", "_public")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._public = key.public_key().public_bytes_raw().hex()

    @classmethod
    def generate(cls) -> SigningKey:
        """Make a new key from the system's randomness."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_seed(cls, seed: bytes) -> SigningKey:
        """Make the key of 32 bytes, the same every time; whoever knows them can sign."""
        if not isinstance(seed, bytes) or len(seed) != 32:
            given = f"{len(seed)} bytes" if isinstance(seed, bytes) else f"a {type(seed).__name__}"
            raise ProtocolError(f"seed must be 32 bytes; it is {given}")
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def public(self) -> str:
        """The public key, 64 hexadecimal digits."""
        return self._public

    def sign(self, data: bytes) -> str:
        """Sign bytes; 128 hexadecimal digits, the same every time."""
        return self._key.sign(data).hex()

    def to_pem(self) -> bytes:
        """Return the private key as unencrypted PKCS8 PEM."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def __repr__(self) -> str:
        return f"SigningKey(public={self._public!r})"


def is_public_key(text: object) -> bool:
    """Whether this is a public key as :attr:`SigningKey.public` gives it: 64 lowercase digits, of full order.

    Examples
    --------
    >>> is_public_key(SigningKey.from_seed(bytes(32)).public), is_public_key(64 * "0")
    (True, False)
    """
    if not isinstance(text, str) or not _PUBLIC.fullmatch(text):
        return False
    raw = bytes.fromhex(text)
    return raw[:31] + bytes([raw[31] & 0x7F]) not in _SMALL_ORDER


def is_signed_by(public: object, data: object, signature: object) -> bool:
    """Whether ``signature`` is that of ``data`` by the key ``public``; whatever is malformed is not.

    Examples
    --------
    >>> is_signed_by("not a key", b"14 samples", None)
    False
    """
    if not isinstance(public, str) or not isinstance(signature, str) or not isinstance(data, bytes):
        return False
    if not is_public_key(public) or not _SIGNATURE.fullmatch(signature):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), data)
    except InvalidSignature:
        return False
    return True


def sign_value(key: SigningKey, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``value`` with a signature over its canonical JSON.

    Examples
    --------
    >>> key = SigningKey.from_seed(bytes(32))
    >>> signed = sign_value(key, {"site": "alice", "m": 14})
    >>> check_signature(key.public, signed), check_signature(key.public, {**signed, "m": 15})
    (True, False)
    """
    if SIGNATURE in value:
        raise MessageError("value has a signature already; sign it without")
    return {**value, SIGNATURE: key.sign(to_canonical(dict(value)))}


def check_signature(public: object, value: object) -> bool:
    """Whether a value carries the signature by ``public`` of everything else in it."""
    if not isinstance(value, dict) or SIGNATURE not in value:
        return False
    rest = {key: entry for key, entry in value.items() if key != SIGNATURE}
    try:
        data = to_canonical(rest)
    except MessageError:
        return False
    return is_signed_by(public, data, value[SIGNATURE])


def save_key(key: SigningKey, path: str | PathLike[str]) -> None:
    """Write a private key as PKCS8 PEM to a file that is not there yet and that only this user can read."""
    write_new(path, key.to_pem())


def parse_key(data: bytes) -> SigningKey:
    """Read an unencrypted Ed25519 key, or say on one line what it is instead."""
    try:
        key = load_pem_private_key(data, password=None)
    except TypeError:
        raise ProtocolError(
            "the private key is encrypted, and nobody is asked for a passphrase; "
            "decrypt it: openssl pkey -in KEY -out signing.key"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise ProtocolError(
            "not a private key in PEM (nor is a public key, a certificate or a key of OpenSSH); an Ed25519 key "
            "in PKCS8 is wanted, signing.key"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        kind = type(key).__name__.removesuffix("PrivateKey")
        kind = f"ECDSA on {key.curve.name}" if isinstance(key, EllipticCurvePrivateKey) else kind
        raise ProtocolError(f"a key of another kind ({kind}); an Ed25519 key is wanted, signing.key")
    return SigningKey(key)


def read_key(path: str | PathLike[str]) -> SigningKey:
    """Read what :func:`save_key` wrote.

    Raises
    ------
    ProtocolError
        If there is no such file, if it is not an unencrypted Ed25519 key, or if others can read it.
    """
    key = read_as(path, parse_key)
    if mode := find_open_mode(path):
        fix = f"chmod 600 {shlex.quote(str(path))}"
        raise ProtocolError(one_line(f"{path}: others can use this private key (mode {mode}); run: {fix}"))
    return key


def parse_public_key(data: bytes) -> str:
    """Read 64 hexadecimal digits, or say on one line what is there instead."""
    text = data.decode("ascii", "replace").strip().lower()
    if "private key-----" in text:
        raise ProtocolError("this is a private key, to be shown to nobody; signing.pub is wanted")
    if not _PUBLIC.fullmatch(text):
        raise ProtocolError(
            f"a public key is 64 hexadecimal digits, and this is not; it has {len(text)} characters"
        )
    if not is_public_key(text):
        raise ProtocolError(
            "a public key of small order, with which one signature fits many messages; make a new one"
        )
    return text


def read_public_key(path_or_hex: str | PathLike[str]) -> str:
    """Read 64 hexadecimal digits, given as such or in a file.

    Examples
    --------
    >>> read_public_key("3B6A27BCCEB6A42D62A3A8D02A6F0D73653215771DE243A63AC048A18B59DA29")[:8]
    '3b6a27bc'
    """
    given = str(path_or_hex).strip().lower()
    return parse_public_key(given.encode()) if _PUBLIC.fullmatch(given) else read_as(path_or_hex, parse_public_key)
