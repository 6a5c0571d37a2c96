import json
import shutil

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from fedpact.errors import ProtocolError
from fedpact.explain.keys import say_keys_problem
from fedpact.protocol.keys.check_keys import KeysCheckStatus, check_keys
from fedpact.protocol.keys.key_set import add_keys, make_keys, renew_certificate

DAY = 86_400.0
NOW = 100 * DAY


@pytest.fixture
def folder(tmp_path):
    make_keys(tmp_path / "keys", ["alice", "bob"], days=100, now=NOW)
    make_keys(tmp_path / "other", ["alice", "bob"], days=100, now=NOW)
    return tmp_path / "keys"


def test_a_fresh_set_is_sound(folder):
    found = check_keys(folder, now=NOW)
    assert found.is_sound
    assert found.status is KeysCheckStatus.SOUND
    assert all(found.files.values())
    assert len(found.files) == 6 + 2 * 6
    assert list(found.sites) == ["alice", "bob"]
    assert found.handed_over == ()
    ca, server = found.certificates
    assert (ca.file, server.file) == ("operator/tls/ca.crt", "operator/tls/server.crt")
    assert (server.valid_from, server.valid_until) == (NOW - 3600, NOW + 100 * DAY)
    assert server.hosts == ("localhost", "127.0.0.1", "::1")


def test_sites_added_and_certificates_renewed_are_sound(folder):
    add_keys(folder, ["carol"])
    renew_certificate(folder, now=NOW + 200 * DAY)
    assert check_keys(folder, now=NOW + 200 * DAY).status is KeysCheckStatus.SOUND


def test_keys_that_were_handed_over_are_not_missed(folder):
    for name in ("signing.key", "supernode.key"):
        (folder / "sites/bob" / name).unlink()
    found = check_keys(folder, now=NOW)
    assert found.is_sound
    assert found.handed_over == ("bob",)
    assert not found.files["sites/bob/signing.key"]


def test_a_site_is_not_taken_for_another_whose_name_begins_alike(tmp_path):
    folder = tmp_path / "keys"
    make_keys(folder, ["site-1", "site-10"], days=100, now=NOW)
    for name in ("signing.key", "supernode.key"):
        (folder / "sites/site-1" / name).unlink()
    assert check_keys(folder, now=NOW).handed_over == ("site-1",)
    (folder / "sites/site-10/signing.key").unlink()
    assert [problem.code for problem in check_keys(folder, now=NOW).problems] == ["half-handed"]


@pytest.mark.parametrize(
    ("days", "status"),
    [
        (69.9, KeysCheckStatus.SOUND),
        (70.1, KeysCheckStatus.ENDS_SOON),
        (99.9, KeysCheckStatus.ENDS_SOON),
        (100, KeysCheckStatus.UNSOUND),
    ],
)
def test_the_end_is_announced(folder, days, status):
    assert check_keys(folder, now=NOW + days * DAY).status is status


def copy(name, to=None):
    return lambda folder: shutil.copy(folder.parent / "other" / name, folder / (to or name))


def write(name, data):
    return lambda folder: (folder / name).write_bytes(data)


def open_up(name):
    return lambda folder: (folder / name).chmod(0o640)


def remove(name):
    return lambda folder: (folder / name).unlink()


def within(name, to):
    return lambda folder: shutil.copy(folder / name, folder / to)


def use_one_signing_key(folder):
    path = folder / "public-keys.json"
    entry = json.loads(path.read_text())
    entry["sites"]["bob"] = entry["sites"]["alice"]
    path.write_text(json.dumps(entry))
    for name in ("signing.key", "signing.pub"):
        shutil.copy(folder / "sites/alice" / name, folder / "sites/bob" / name)


def use_one_supernode_key(folder):
    for name in ("supernode.key", "supernode.pub"):
        shutil.copy(folder / "sites/alice" / name, folder / "sites/bob" / name)


ED = Ed25519PrivateKey.generate()
OPENSSH = ED.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
OPENSSH_PUBLIC = ED.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
TLS = "operator/tls"
BROKEN = {
    "operator-pub": (
        copy("operator/signing.pub"),
        ["operator/signing.pub: not the key that public-keys.json lists"],
    ),
    "operator-key": (copy("operator/signing.key"), ["operator/signing.key: not the key of signing.pub"]),
    "site-pub": (
        copy("sites/bob/signing.pub"),
        ["sites/bob/signing.pub: not the key that public-keys.json lists"],
    ),
    "site-key": (copy("sites/bob/signing.key"), ["sites/bob/signing.key: not the key of signing.pub"]),
    "site-key-junk": (write("sites/bob/signing.key", b"x"), ["sites/bob/signing.key: not a private key in PEM"]),
    "site-pub-junk": (write("sites/bob/signing.pub", b"x"), ["sites/bob/signing.pub: a public key is 64 hex"]),
    "site-operator": (copy("sites/bob/operator.pub"), ["sites/bob/operator.pub: not the operator's key"]),
    "site-root": (copy("sites/bob/ca.crt"), ["sites/bob/ca.crt: not this authority's certificate"]),
    "site-root-junk": (write("sites/bob/ca.crt", b""), ["sites/bob/ca.crt: not a certificate in PEM"]),
    "supernode": (copy("sites/bob/supernode.key"), ["sites/bob/supernode.key: not the key of supernode.pub"]),
    "supernode-junk": (
        write("sites/bob/supernode.pub", b"x"),
        ["sites/bob/supernode.pub: not an elliptic-curve key"],
    ),
    "supernode-ed": (write("sites/bob/supernode.key", OPENSSH), ["supernode.key: not an elliptic-curve key"]),
    "supernode-ed-pub": (
        write("sites/bob/supernode.pub", OPENSSH_PUBLIC),
        ["supernode.pub: not an elliptic-curve"],
    ),
    "supernode-pkcs8": (within("sites/bob/signing.key", "sites/bob/supernode.key"), ["not an elliptic-curve key"]),
    "ca-key": (copy(f"{TLS}/ca.key"), ["ca.key: not the key of ca.crt"]),
    "server-key": (copy(f"{TLS}/server.key"), ["server.key: not the key of server.crt"]),
    "server-crt": (
        copy(f"{TLS}/server.crt"),
        ["server.key: not the key of server.crt", "server.crt: not issued by the authority of ca.crt"],
    ),
    "server-crt-junk": (write(f"{TLS}/server.crt", b"x"), ["server.crt: not a certificate in PEM"]),
    "server-key-junk": (write(f"{TLS}/server.key", b"x"), ["server.key: not an unencrypted private key in PEM"]),
    "no-ca": (remove(f"{TLS}/ca.crt"), ["operator/tls/ca.crt: is missing"]),
    "no-operator-key": (remove("operator/signing.key"), ["operator/signing.key: is missing"]),
    "no-supernode-pub": (remove("sites/bob/supernode.pub"), ["sites/bob/supernode.pub: is missing"]),
    "open-operator": (open_up("operator/signing.key"), ["operator/signing.key: others can use this private key"]),
    "open-ca": (open_up(f"{TLS}/ca.key"), ["ca.key: others can use this private key (mode 0640); run: chmod 600"]),
    "open-server": (open_up(f"{TLS}/server.key"), ["server.key: others can use this private key"]),
    "open-site": (open_up("sites/bob/signing.key"), ["sites/bob/signing.key: others can use this private key"]),
    "open-supernode": (
        open_up("sites/bob/supernode.key"),
        ["sites/bob/supernode.key: others can use this private"],
    ),
    "one-signing-key": (use_one_signing_key, ["keys: sites 'alice' and 'bob' have one signing key"]),
    "one-supernode-key": (use_one_supernode_key, ["keys: sites 'alice' and 'bob' have one SuperNode key"]),
    "leftover": (
        lambda folder: (folder / "sites/carol").mkdir(),
        ["sites/carol: not listed in public-keys.json; remove it"],
    ),
}


@pytest.mark.parametrize(("spoil", "expected"), BROKEN.values(), ids=BROKEN)
def test_every_problem_is_one_line(folder, spoil, expected):
    spoil(folder)
    found = check_keys(folder, now=NOW)
    assert found.status is KeysCheckStatus.UNSOUND
    assert not found.is_sound
    assert len(found.problems) == len(expected)
    for problem, part in zip(map(say_keys_problem, found.problems), expected, strict=True):
        assert part in problem
        assert problem.startswith(str(folder))
        assert "\n" not in problem


@pytest.mark.parametrize(
    ("days", "problems"),
    [
        (101, ["server.crt: the certificate ended on 1970-07-20 00:00 UTC; renew it: fedpact keys renew"]),
        (
            4000,
            [
                "ca.crt: the certificate ended on 1980-04-09 00:00 UTC; make a new set of keys",
                "server.crt: the certificate ended on",
            ],
        ),
        (
            -1,
            [
                "ca.crt: the certificate is not valid before 1970-04-10 23:00 UTC; is the clock right?",
                "server.crt: the certificate is not valid before",
            ],
        ),
    ],
    ids=["server", "authority", "early"],
)
def test_certificates_out_of_time(folder, days, problems):
    said = map(say_keys_problem, check_keys(folder, now=NOW + days * DAY).problems)
    assert [part in problem for part, problem in zip(problems, said, strict=True)] == [True] * len(problems)


def test_all_problems_are_found_at_once(folder):
    for spoil, _ in (BROKEN["site-key"], BROKEN["open-ca"], BROKEN["leftover"]):
        spoil(folder)
    assert len(check_keys(folder, now=NOW + 101 * DAY).problems) == 4


def test_a_folder_without_keys(tmp_path):
    with pytest.raises(ProtocolError, match=r"public-keys\.json: no such file; make keys with: fedpact keys make"):
        check_keys(tmp_path)
