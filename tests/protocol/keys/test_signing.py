import os
import shutil
import stat
import subprocess

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from fedpact.errors import MessageError, ProtocolError
from fedpact.protocol.keys.signing import (
    SigningKey,
    check_signature,
    is_signed_by,
    read_key,
    read_public_key,
    save_key,
    sign_value,
)

KEY = SigningKey.from_seed(bytes(range(32)))
OTHER = SigningKey.from_seed(bytes(32))
SEEDS = st.binary(min_size=32, max_size=32)
PLAIN = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"])).filter(lambda key: key != "signature"),
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.lists(st.booleans()),
    max_size=5,
)


def change(text, place, by):
    """Change one byte of hexadecimal digits."""
    raw = bytearray.fromhex(text)
    raw[place % len(raw)] ^= by
    return raw.hex()


@pytest.mark.parametrize(
    ("seed", "public", "message", "signature"),
    [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0"
            "595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eae"
            "b4302aeeb00d291612bb0c00",
        ),
    ],
    ids=["rfc-8032-test-1", "rfc-8032-test-2"],
)
def test_vectors_of_the_standard(seed, public, message, signature):
    key = SigningKey.from_seed(bytes.fromhex(seed))
    assert (key.public, key.sign(bytes.fromhex(message))) == (public, signature)
    assert is_signed_by(public, bytes.fromhex(message), signature)


def test_generated_keys_differ_and_do_not_show_themselves():
    one, two = SigningKey.generate(), SigningKey.generate()
    assert one.public != two.public
    assert repr(one) == f"SigningKey(public='{one.public}')"


@given(SEEDS, st.binary(max_size=100), st.integers(0, 1000), st.integers(1, 255))
def test_any_changed_byte_is_refused(seed, data, place, by):
    key = SigningKey.from_seed(seed)
    signature = key.sign(data)
    assert is_signed_by(key.public, data, signature)
    assert not is_signed_by(key.public, data, change(signature, place, by))
    assert not is_signed_by(change(key.public, place, by), data, signature)
    assert not is_signed_by(key.public, data + bytes([by]), signature)
    if data:
        assert not is_signed_by(key.public, bytes.fromhex(change(data.hex(), place, by)), signature)


def test_any_changed_bit_of_a_signature_is_refused():
    signature = KEY.sign(b"14 samples")
    for place in range(64):
        for bit in range(8):
            assert not is_signed_by(KEY.public, b"14 samples", change(signature, place, 1 << bit))


ANYTHING = st.one_of(
    st.none(),
    st.integers(),
    st.text(),
    st.binary(),
    st.floats(),
    st.lists(st.integers()),
    st.text("0123456789abcdef"),
)


@given(ANYTHING, ANYTHING, ANYTHING)
def test_whatever_is_malformed_is_refused(public, data, signature):
    good = KEY.sign(b"x")
    assert not is_signed_by(public, data, signature)
    assert not is_signed_by(KEY.public, b"x", signature)
    assert not is_signed_by(public, b"x", good)
    assert not is_signed_by(KEY.public, data, good) or data == b"x"
    assert not check_signature(public, data)


def test_a_signature_has_one_spelling():
    signature = KEY.sign(b"x")
    for other in (signature.upper(), signature + "\n", " " + signature, signature[:-1], signature.encode()):
        assert not is_signed_by(KEY.public, b"x", other)
    for public in (KEY.public.upper(), KEY.public + "\n", bytes.fromhex(KEY.public)):
        assert not is_signed_by(public, b"x", signature)


P = 2**255 - 19
SMALL = [
    *(y.to_bytes(32, "little").hex() for y in (0, 1, P - 1, P, P + 1)),
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]


@pytest.mark.parametrize("public", [*SMALL, *(change(public, 31, 0x80) for public in SMALL)])
def test_keys_of_small_order_are_refused(public):
    """One signature fits many messages: the library accepts it, so the test can fail."""
    forged = "01" + 126 * "0"
    messages = [b"%d samples" % m for m in range(200)]
    assert any(_library_accepts(public, message, forged) for message in messages)
    assert not any(is_signed_by(public, message, forged) for message in messages)
    with pytest.raises(ProtocolError, match="small order"):
        read_public_key(public)


def _library_accepts(public, data, signature):
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), data)
    except InvalidSignature:
        return False
    return True


@pytest.mark.parametrize("seed", [b"short", bytes(33), "x" * 32, None, bytearray(32)])
def test_a_seed_is_32_bytes(seed):
    with pytest.raises(ProtocolError, match="seed must be 32 bytes; it is "):
        SigningKey.from_seed(seed)


@given(PLAIN)
def test_signed_values(value):
    signed = sign_value(KEY, value)
    assert {key: entry for key, entry in signed.items() if key != "signature"} == value
    assert check_signature(KEY.public, signed)
    assert check_signature(KEY.public, dict(reversed(signed.items())))
    assert not check_signature(OTHER.public, signed)
    assert not check_signature(KEY.public, {**signed, "one more": 1})
    assert not check_signature(KEY.public, value)


def test_a_value_is_signed_once_and_must_be_plain():
    with pytest.raises(MessageError, match="has a signature already"):
        sign_value(KEY, sign_value(KEY, {"m": 14}))
    with pytest.raises(MessageError, match="plain"):
        sign_value(KEY, {"m": float("nan")})


@pytest.mark.parametrize("value", [{"signature": 3}, {"signature": None, "m": {1, 2}}, {"m": 1}, [], "signature"])
def test_values_that_are_not_signed(value):
    assert not check_signature(KEY.public, value)


def test_a_key_is_saved_for_its_user_only(tmp_path):
    path = tmp_path / "signing.key"
    before = os.umask(0)
    try:
        save_key(KEY, path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith("-----BEGIN PRIVATE KEY-----")
    assert read_key(path).public == KEY.public
    assert read_key(str(path)).sign(b"x") == KEY.sign(b"x")


def test_a_key_is_never_overwritten(tmp_path):
    path = tmp_path / "signing.key"
    save_key(KEY, path)
    with pytest.raises(ProtocolError, match=r"signing\.key: is there already, and keys are never overwritten"):
        save_key(OTHER, path)
    assert read_key(path).public == KEY.public


def test_a_dangling_link_is_not_written_through(tmp_path):
    link = tmp_path / "signing.key"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ProtocolError, match="is there already"):
        save_key(KEY, link)
    assert not (tmp_path / "elsewhere").exists()


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ProtocolError, match="cannot be written: No space left on device"):
        save_key(KEY, tmp_path / "signing.key")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["nowhere/signing.key", "nul\0"])
def test_places_where_no_key_can_be_written(tmp_path, name):
    with pytest.raises(ProtocolError, match="cannot be written"):
        save_key(KEY, f"{tmp_path}/{name}")


def pem(key, encryption=None, form=serialization.PrivateFormat.PKCS8):
    return key.private_bytes(serialization.Encoding.PEM, form, encryption or serialization.NoEncryption())


ED = Ed25519PrivateKey.generate()
LOCKED = serialization.BestAvailableEncryption(b"secret")
EC = ec.generate_private_key(ec.SECP384R1())
OPENSSH = serialization.PrivateFormat.OpenSSH
SPKI = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
SSH = (serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
BAD = {
    "empty": (b"", "not a private key in PEM"),
    "text": (b"hello\nworld", "not a private key in PEM"),
    "bytes": (bytes(range(256)), "not a private key in PEM"),
    "cut": (KEY.to_pem()[:60], "not a private key in PEM"),
    "encrypted": (pem(ED, LOCKED), "the private key is encrypted"),
    "encrypted-old": (
        pem(EC, LOCKED, serialization.PrivateFormat.TraditionalOpenSSL),
        "the private key is encrypted",
    ),
    "ecdsa": (pem(EC), r"a key of another kind \(ECDSA on secp384r1\)"),
    "rsa": (pem(rsa.generate_private_key(65537, 2048)), r"a key of another kind \(RSA\)"),
    "openssh": (pem(EC, form=OPENSSH), "a key of OpenSSH"),
    "public-pem": (ED.public_key().public_bytes(*SPKI), "a public key"),
    "public-ssh": (EC.public_key().public_bytes(*SSH), "a public key"),
    "public-hex": (KEY.public.encode() + b"\n", "a public key"),
    "certificate": (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "a certificate"),
    "large": (b"x" * 70_000, "larger than any key"),
}


@pytest.mark.parametrize(("data", "problem"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_what_is_not_a_signing_key_is_named(tmp_path, data, problem, mode):
    path = tmp_path / "signing.key"
    path.write_bytes(data)
    path.chmod(mode)
    with pytest.raises(ProtocolError, match=problem) as refused:
        read_key(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_key_that_others_can_read_is_refused_as_ssh_does(tmp_path, mode):
    path = tmp_path / "my signing.key"
    save_key(KEY, path)
    path.chmod(mode)
    with pytest.raises(ProtocolError, match=f"mode {mode:04o}.*run: chmod 600 '{path}'"):
        read_key(path)
    path.chmod(0o400)
    assert read_key(path).public == KEY.public


@pytest.mark.parametrize("read", [read_key, read_public_key])
def test_files_that_are_not_there(tmp_path, read):
    with pytest.raises(ProtocolError, match="no such file; make keys with: fedpact keys make"):
        read(tmp_path / "nowhere")
    with pytest.raises(ProtocolError, match="not a file"):
        read(tmp_path)


def test_public_keys_are_read_from_digits_and_files(tmp_path):
    path = tmp_path / "signing.pub"
    path.write_text(KEY.public + "\n")
    assert read_public_key(path) == read_public_key(str(path)) == read_public_key(KEY.public.upper()) == KEY.public


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (KEY.to_pem(), "this is a private key, to be shown to nobody"),
        (KEY.public.encode()[1:], "64 hexadecimal digits, and this is not; it has 63 characters"),
        (b"\xff\xfe", "64 hexadecimal digits"),
        (SMALL[1].encode(), "small order"),
    ],
    ids=["private", "short", "bytes", "small"],
)
def test_files_that_are_not_public_keys(tmp_path, data, problem):
    path = tmp_path / "signing.pub"
    path.write_bytes(data)
    with pytest.raises(ProtocolError, match=f"{path}: .*{problem}"):
        read_public_key(path)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_reads_the_key(tmp_path):
    save_key(KEY, tmp_path / "signing.key")
    shown = subprocess.run(
        ["openssl", "pkey", "-in", tmp_path / "signing.key", "-noout", "-text"], capture_output=True, text=True
    )
    assert "ED25519 Private-Key" in shown.stdout
