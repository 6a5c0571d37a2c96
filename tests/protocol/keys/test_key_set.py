import contextlib
import json
import math
import os
import shutil
import ssl
import stat
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.errors import ProtocolError
from fedpact.protocol.keys import key_set as keys
from fedpact.protocol.keys.certificates import read_certificate
from fedpact.protocol.keys.check_keys import KeysCheckStatus, check_keys
from fedpact.protocol.keys.key_set import (
    KeysStatus,
    add_keys,
    complete_keys,
    make_keys,
    read_keys,
    renew_certificate,
)
from fedpact.protocol.keys.signing import read_key, read_public_key
from handshake import shake_hands

DAY = 86_400.0
OPERATOR = {"signing.key", "signing.pub", "tls/ca.key", "tls/ca.crt", "tls/server.key", "tls/server.crt"}
SITE = {"signing.key", "signing.pub", "supernode.key", "supernode.pub", "operator.pub", "ca.crt"}


@pytest.fixture
def made(tmp_path):
    return make_keys(tmp_path / "keys", ["alice", "bob"], hosts=["fl.example.org"], days=10, now=100 * DAY)


def files(folder):
    """Everything below a folder, by its path: what it holds and who may read it."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode) for path in paths}


def test_everything_is_there_and_private(tmp_path, made):
    found = files(tmp_path / "keys")
    assert set(found) == {
        "public-keys.json",
        *(f"operator/{name}" for name in OPERATOR),
        *(f"sites/{site}/{name}" for site in ("alice", "bob") for name in SITE),
    }
    for name, (_, mode) in found.items():
        assert stat.S_IMODE(mode) == (0o600 if name.endswith(".key") else 0o644), name
    for folder in ("", "operator", "operator/tls", "sites", "sites/alice"):
        assert stat.S_IMODE((tmp_path / "keys" / folder).stat().st_mode) == 0o700
    assert [path.name for path in tmp_path.iterdir()] == ["keys"]


def test_the_answer_says_what_the_files_say(tmp_path, made):
    folder = tmp_path / "keys"
    assert made.operator == read_key(folder / "operator/signing.key").public
    for name, place in made.folders.items():
        assert made.sites[name] == read_key(folder / place / "signing.key").public
        assert made.sites[name] == read_public_key(folder / place / "signing.pub")
        assert made.operator == read_public_key(folder / place / "operator.pub")
        assert (folder / place / "ca.crt").read_bytes() == (folder / "operator/tls/ca.crt").read_bytes()
    index = json.loads((folder / "public-keys.json").read_text())
    assert index == {"format": 1, "operator": made.operator, "sites": made.sites, "folders": made.folders}
    assert made.hosts == ("fl.example.org", "localhost", "127.0.0.1", "::1")
    assert made.valid_until == 110 * DAY
    assert (made.status, made.new_sites) == (KeysStatus.MADE, ("alice", "bob"))


def test_keys_differ_everywhere(tmp_path, made):
    private = [data for name, (data, _) in files(tmp_path / "keys").items() if name.endswith(".key")]
    assert len(set(private)) == len(private) == 7


def test_a_site_trusts_the_server_until_its_certificate_ends(tmp_path):
    """OpenSSL looks at the clock, so the keys are made in its past."""
    now, folder = time.time(), tmp_path / "keys"
    make_keys(folder, ["alice"], hosts=["fl.example.org"], days=10, now=now - 20 * DAY)
    tls, root = folder / "operator/tls", (folder / "sites/alice/ca.crt").read_bytes()
    with pytest.raises(ssl.SSLCertVerificationError, match="certificate has expired"):
        shake_hands(tls / "server.crt", root, "fl.example.org", key=tls / "server.key")
    assert [problem.code for problem in check_keys(folder).problems] == ["ended-renew"]
    renew_certificate(folder)
    assert shake_hands(tls / "server.crt", root, "fl.example.org", key=tls / "server.key") == b"hello"
    assert check_keys(folder).is_sound


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_ssh_reads_the_supernode_s_key(tmp_path, made):
    site = tmp_path / "keys/sites/bob"
    shown = subprocess.run(["ssh-keygen", "-y", "-f", site / "supernode.key"], capture_output=True, text=True)
    assert shown.stdout.split()[:2] == (site / "supernode.pub").read_text().split()[:2]


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)


@settings(max_examples=20)
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_any_names_have_folders_of_their_own(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("any") / "keys"
    found = make_keys(folder, names)
    assert list(found.sites) == names
    assert {f"sites/{path.name}" for path in (folder / "sites").iterdir()} == set(found.folders.values())
    assert len(set(found.folders.values())) == len(names)
    assert read_keys(folder).sites == found.sites
    shutil.rmtree(folder.parent)


def test_folders_are_safe_everywhere(tmp_path):
    found = make_keys(tmp_path / "keys", ["../../etc", "CON", "北京", "東京", "a/b", "A b"])
    assert [place.removeprefix("sites/") for place in found.folders.values()] == [
        *("etc", "con-2", "site", "site-2", "a-b", "a-b-2"),
    ]


def test_requests_that_are_none(tmp_path):
    for sites, options, problem in (
        ([], {}, "at least one site"),
        (["alice", "alice"], {}, "two sites must not have one name; 'alice' is given twice"),
        ([""], {}, "non-empty name; one is ''"),
        (["  "], {}, "non-empty name"),
        ([3], {}, "non-empty name; one is 3"),
        (["\ud800"], {}, "non-empty name"),
        (["alice"], {"hosts": ["a b"]}, "host must be"),
        (["alice"], {"days": 0}, "days must be"),
    ):
        with pytest.raises(ProtocolError, match=problem):
            make_keys(tmp_path / "keys", sites, **options)
        assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path, made):
    before = files(tmp_path)
    with pytest.raises(ProtocolError, match="keys are here already, and are never overwritten; fedpact keys add"):
        make_keys(tmp_path / "keys", ["carol"])
    with pytest.raises(ProtocolError, match="site 'bob' has keys already"):
        add_keys(tmp_path / "keys", ["carol", "bob"])
    with pytest.raises(ProtocolError, match="is there already; name a folder that is to be made"):
        make_keys(tmp_path, ["carol"])
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "problem"),
    [("nowhere/keys", "there is no folder"), ("nul\0", "null byte"), ("file/keys", "cannot be written here")],
)
def test_places_where_no_folder_can_be_made(tmp_path, name, problem):
    (tmp_path / "file").touch()
    with pytest.raises(ProtocolError, match=problem):
        make_keys(f"{tmp_path}/{name}", ["alice"])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path):
    (tmp_path / "keys").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ProtocolError, match="is there already"):
        make_keys(tmp_path / "keys", ["alice"])


class Interrupted(BaseException):
    """As when somebody presses Ctrl-C."""


@pytest.fixture
def interrupt(monkeypatch):
    """Let the n-th file that is written be the last."""

    def after(count):
        left = iter(range(count))

        def write(path, data, **mode):
            if next(left, None) is None:
                raise Interrupted
            real(path, data, **mode)

        monkeypatch.setattr(keys, "write_new", write)

    real = keys.write_new
    return after


def test_an_interrupted_make_leaves_nothing(tmp_path, interrupt):
    for count in range(12):
        interrupt(count)
        with pytest.raises(Interrupted):
            make_keys(tmp_path / "keys", ["alice", "bob"])
        assert list(tmp_path.iterdir()) == []


def test_an_interrupted_add_leaves_what_was(tmp_path, made, interrupt):
    before = files(tmp_path)
    for count in range(9):
        interrupt(count)
        with pytest.raises(Interrupted):
            add_keys(tmp_path / "keys", ["carol", "dave"])
        assert files(tmp_path) == before
        assert len(list((tmp_path / "keys/sites").iterdir())) == 2


def test_a_set_to_sign_with_is_sound_grows_and_is_completed_for_flower(tmp_path):
    folder, signing = tmp_path / "keys", {"signing.key", "signing.pub"}
    made = make_keys(folder, ["alice"], for_flower=False)
    assert (made.hosts, made.valid_until) == ((), math.inf)
    assert type(made).from_dict(made.to_dict()) == made
    add_keys(folder, ["bob"])
    before = files(folder)
    assert set(before) == {
        "public-keys.json",
        *(f"operator/{name}" for name in signing),
        *(f"sites/{site}/{name}" for site in ("alice", "bob") for name in (*signing, "operator.pub")),
    }
    for place in (folder, folder / "sites/bob"):
        found = check_keys(place)
        assert (found.status, found.certificates) == (KeysCheckStatus.SOUND, ())
        assert all(found.files.values())
    (folder / "sites/bob/signing.key").unlink()
    assert check_keys(folder).handed_over == ("bob",)
    (folder / "sites/bob/signing.key").write_bytes(before["sites/bob/signing.key"][0])
    (folder / "sites/bob/signing.key").chmod(0o600)
    assert complete_keys(folder).hosts == ("localhost", "127.0.0.1", "::1")
    after = files(folder)
    assert {name: after[name] for name in before} == before, "what is there stays as it is"
    assert {name.removeprefix("sites/bob/") for name in after if "bob" in name} == SITE
    assert {name.removeprefix("operator/") for name in after if name.startswith("operator/")} == OPERATOR
    assert check_keys(folder).is_sound
    complete_keys(folder)
    assert files(folder) == after, "a set that is complete is not changed"


def test_a_completion_that_was_interrupted_is_taken_up_again(tmp_path, interrupt):
    make_keys(tmp_path / "keys", ["alice", "bob"], for_flower=False)
    for count in (1, 3, 5, 6, 7):
        interrupt(count)
        with contextlib.suppress(Interrupted):
            complete_keys(tmp_path / "keys")
    interrupt(100)
    complete_keys(tmp_path / "keys")
    assert check_keys(tmp_path / "keys").is_sound
    assert len(files(tmp_path / "keys")) == 1 + len(OPERATOR) + 2 * len(SITE)


def test_a_renewal_completes_a_set_to_sign_with_for_the_hosts_that_are_named(tmp_path):
    make_keys(tmp_path / "keys", ["alice"], for_flower=False)
    renewed = renew_certificate(tmp_path / "keys", hosts=["fl.example.org"], days=10, now=100 * DAY)
    assert (renewed.hosts[0], renewed.valid_until) == ("fl.example.org", 110 * DAY)
    assert check_keys(tmp_path / "keys", now=100 * DAY).is_sound


def test_certificates_that_sites_trust_are_not_made_anew(tmp_path, made):
    shutil.rmtree(tmp_path / "keys/operator/tls")
    with pytest.raises(
        ProtocolError, match=r"operator/tls: is missing, and sites trust its ca\.crt; bring it back"
    ):
        complete_keys(tmp_path / "keys")
    assert "missing" in {problem.code for problem in check_keys(tmp_path / "keys").problems}


def test_sites_are_added(tmp_path, made):
    before = files(tmp_path / "keys")
    found = add_keys(tmp_path / "keys", ["Alice", "carol"])
    after = files(tmp_path / "keys")
    assert {name for name in before if after[name] != before[name]} == {"public-keys.json"}
    assert set(after) - set(before) == {f"sites/{site}/{name}" for site in ("alice-2", "carol") for name in SITE}
    assert found.new_sites == ("Alice", "carol")
    assert found.folders["Alice"] == "sites/alice-2"
    assert {name: found.sites[name] for name in made.sites} == made.sites
    assert found.status is KeysStatus.ADDED
    assert read_keys(tmp_path / "keys").to_dict() == {
        **found.to_dict(),
        "new_sites": [],
        "status": KeysStatus.FOUND.value,
    }
    place = tmp_path / "keys" / found.folders["Alice"]
    assert read_public_key(place / "operator.pub") == made.operator


def test_a_folder_that_is_there_or_listed_is_not_taken(tmp_path, made):
    (tmp_path / "keys/sites/carol").mkdir()
    shutil.rmtree(tmp_path / "keys/sites/alice")
    found = add_keys(tmp_path / "keys", ["Carol", "Alice"])
    assert (found.folders["Carol"], found.folders["Alice"]) == ("sites/carol-2", "sites/alice-2")


def test_a_certificate_is_renewed_and_nothing_else(tmp_path, made):
    before = files(tmp_path / "keys")
    found = renew_certificate(tmp_path / "keys", days=20, now=200 * DAY)
    after = files(tmp_path / "keys")
    assert {name for name in after if after[name] != before.get(name)} == {"operator/tls/server.crt"}
    assert set(after) == set(before)
    assert (found.hosts, found.valid_until) == (made.hosts, 220 * DAY)
    assert found.status is KeysStatus.RENEWED
    root = read_certificate(before["operator/tls/ca.crt"][0])
    read_certificate(after["operator/tls/server.crt"][0]).verify_directly_issued_by(root)


def test_a_certificate_is_renewed_for_other_hosts(tmp_path, made):
    found = renew_certificate(tmp_path / "keys", hosts=["192.0.2.7"], now=200 * DAY)
    assert found.hosts == ("192.0.2.7", "localhost", "127.0.0.1", "::1")


def test_a_renewal_that_fails_leaves_the_old_certificate(tmp_path, made, monkeypatch):
    before = files(tmp_path)

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ProtocolError, match="No space left on device"):
        renew_certificate(tmp_path / "keys", now=200 * DAY)
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("operator/tls/ca.key", None, r"ca\.key: no such file"),
        ("operator/tls/ca.key", b"x", r"ca\.key: not an unencrypted private key"),
        ("operator/tls/ca.crt", b"x", r"ca\.crt: not a certificate"),
        ("operator/tls/server.key", b"x", r"server\.key: not an unencrypted private key"),
        ("operator/tls/server.crt", b"x", r"server\.crt: not a certificate"),
        ("public-keys.json", None, r"public-keys\.json: no such file; make keys with: fedpact keys make"),
        ("public-keys.json", b"{", r"public-keys\.json: not JSON"),
        ("public-keys.json", b"[" * 50_000, r"public-keys\.json: not JSON"),
        ("public-keys.json", b"[]", 'must hold "operator"'),
        ("public-keys.json", b'{"format": 1, "operator": 3, "sites": {}, "folders": {}}', "64 hex"),
        ("public-keys.json", b'{"format": 1, "sites": {"a": "b"}, "folders": {}}', "for the same sites"),
        ("public-keys.json", b'{"format": 2}', "the file has keys format 2; this fedpact reads format 1: install"),
        ("public-keys.json", b'{"sites": {}}', r"no keys format, as fedpact 0\.1 wrote it"),
    ],
)
def test_sets_that_cannot_be_renewed(tmp_path, made, name, data, problem):
    path = tmp_path / "keys" / name
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(ProtocolError, match=problem):
        renew_certificate(tmp_path / "keys")


def test_the_key_of_another_authority_signs_nothing(tmp_path, made):
    make_keys(tmp_path / "other", ["alice"])
    shutil.copy(tmp_path / "other/operator/tls/ca.key", tmp_path / "keys/operator/tls/ca.key")
    with pytest.raises(ProtocolError, match=r"ca\.key: not the key of ca\.crt"):
        renew_certificate(tmp_path / "keys")


def test_a_folder_outside_is_never_looked_at(tmp_path, made):
    path = tmp_path / "keys/public-keys.json"
    entry = json.loads(path.read_text())
    path.write_text(json.dumps({**entry, "folders": {**entry["folders"], "bob": "../elsewhere"}}))
    with pytest.raises(ProtocolError, match=r"every folder must be \"sites/\" and a plain name; one is '../elsew"):
        read_keys(tmp_path / "keys")
