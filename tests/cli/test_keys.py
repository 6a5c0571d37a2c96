import json

import pytest

import fedpact as fp


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_make_says_what_goes_where_and_what_is_next(fedpact, here):
    code, out, _ = fedpact("keys", "make", "my keys", "--sites", "alice, Bob & Co", "--host", "fl.example.org")
    assert code == 0
    lines = [line.strip() for line in out.splitlines()]
    assert lines[0].startswith("Keys in my keys: Keys were made for the operator and every site")
    assert "my keys/sites/bob-co" in out
    assert "Bob & Co alone, all of it" in out
    assert "as fl.example.org, localhost, 127.0.0.1, ::1" in out
    assert "fedpact superlink --keys 'my keys' --listen 0.0.0.0:9092\n" in out
    assert "fedpact run FILE --engine flower --superlink 127.0.0.1:9093 --keys 'my keys'\n" in out
    assert "fedpact site join SITE_FOLDER --superlink fl.example.org:9092 --keys KEYS\n" in out


def test_add_speaks_of_the_new_sites_only(fedpact, here):
    fedpact("keys", "make", "keys", "--sites", "alice")
    code, out, _ = fedpact("keys", "add", "keys", "--sites", "bob,carol")
    assert code == 0
    assert "sites/alice" not in out
    assert "fedpact superlink" not in out
    assert [name for name in ("alice", "bob", "carol") if f"keys/sites/{name} " in out] == ["bob", "carol"]
    assert list(fp.protocol.read_keys("keys").sites) == ["alice", "bob", "carol"]


def test_a_server_of_this_machine_only_is_said_to_be_one(fedpact, here):
    told = "if there are any: fedpact keys renew keys --host NAME"
    assert told in fedpact("keys", "make", "keys", "--sites", "alice")[1]
    assert told not in fedpact("keys", "renew", "keys", "--host", "fl.example.org")[1]


def test_renew_and_check(fedpact, here):
    fedpact("keys", "make", "keys", "--sites", "alice", "--days", "3")
    code, out, _ = fedpact("keys", "check", "keys")
    assert code == 0
    assert "ends within 30 days; renew it: fedpact keys renew" in out
    code, out, _ = fedpact("keys", "renew", "keys", "--days", "90", "--host", "192.0.2.7")
    assert code == 0
    assert out.startswith("Keys in keys: The server has a new certificate; restart it.")
    assert "as 192.0.2.7, localhost" in out
    code, out, err = fedpact("keys", "check", "keys")
    assert (code, err) == (0, "")
    assert "operator/tls/server.crt: valid from " in out
    assert "Every key and certificate is sound." in out


def test_json_is_the_result(fedpact, here):
    code, out, _ = fedpact("keys", "make", "keys", "--sites", "alice,bob", "--json")
    assert code == 0
    assert fp.protocol.KeySet.from_dict(json.loads(out)).sites == fp.protocol.read_keys("keys").sites
    code, out, _ = fedpact("keys", "add", "keys", "--sites", "carol", "--json")
    assert json.loads(out)["new_sites"] == ["carol"]
    code, out, _ = fedpact("keys", "renew", "keys", "--json")
    assert fp.protocol.KeySet.from_dict(json.loads(out)).status is fp.protocol.KeysStatus.RENEWED
    code, out, _ = fedpact("keys", "check", "keys", "--json")
    assert fp.protocol.KeysCheck.from_dict(json.loads(out)) == fp.protocol.check_keys("keys")


def test_no_private_key_is_ever_printed(fedpact, here):
    shown = "".join(
        "".join(fedpact("keys", *words)[1:])
        for words in [
            ("make", "keys", "--sites", "alice"),
            ("add", "keys", "--sites", "bob", "--json"),
            ("renew", "keys"),
            ("check", "keys", "--json"),
        ]
    )
    for path in here.rglob("*.key"):
        assert not any(line in shown for line in path.read_text().splitlines())


def test_problems_are_lines_and_exit_1(fedpact, here):
    fedpact("keys", "make", "keys", "--sites", "alice,bob")
    (here / "keys/operator/signing.key").chmod(0o644)
    (here / "keys/sites/bob/ca.crt").unlink()
    for words in ([], ["--json"]):
        code, out, err = fedpact("keys", "check", "keys", *words)
        assert code == 1
        assert err.splitlines() == [
            "error: keys/sites/bob/ca.crt: is missing; bring it back",
            "error: keys/operator/signing.key: others can use this private key (mode 0644); "
            "run: chmod 600 keys/operator/signing.key",
        ]
        assert "unsound" in out or "Some files must not be used as they are" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["make", "keys", "--sites", "carol"], "keys: keys are here already, and are never overwritten; "),
        (["make", "new", "--sites", "a,a"], "two sites must not have one name; 'a' is given twice"),
        (["make", "new", "--sites", " , "], "sites must be a list separated by commas"),
        (["make", "new", "--sites", "a", "--days", "0"], "days must be a whole number from 1 to 3650; it is 0"),
        (["make", "new", "--sites", "a", "--host", "h:80"], "host must be a name such as fl.example.org or an "),
        (["add", "keys", "--sites", "alice"], "site 'alice' has keys already, and keys are never overwritten"),
        (["add", "nowhere", "--sites", "a"], "nowhere/public-keys.json: no such file; make keys with: fedpact"),
        (["renew", "nowhere"], "nowhere/public-keys.json: no such file"),
        (["check", "nowhere"], "nowhere/public-keys.json: no such file"),
    ],
)
def test_bad_requests_are_one_line_and_exit_1(fedpact, here, words, message):
    fedpact("keys", "make", "keys", "--sites", "alice")
    before = sorted(here.rglob("*"))
    code, out, err = fedpact("keys", *words)
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {message}")
    assert err.count("\n") == 1
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize(("gone", "left"), [("signing.key", "supernode.key"), ("supernode.key", "signing.key")])
def test_half_of_a_site_s_private_keys_is_a_problem(fedpact, here, gone, left):
    fedpact("keys", "make", "keys", "--sites", "alice,bob")
    (here / "keys/sites/alice" / gone).unlink()
    code, out, err = fedpact("keys", "check", "keys")
    assert code == 1
    assert err == (
        f"error: keys/sites/alice/{gone}: is missing, and {left} is here; bring it back, or hand over both and "
        "keep none\n"
    )
    assert [line.split() for line in out.splitlines()[2:4]] == [["alice", "incomplete"], ["bob", "here"]]
    (here / "keys/sites/alice" / left).unlink()
    code, out, err = fedpact("keys", "check", "keys")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[2:4]] == [["alice", "handed", "over"], ["bob", "here"]]


def test_a_site_checks_the_folder_that_it_was_handed(fedpact, here):
    fedpact("keys", "make", "all", "--sites", "alice,bob")
    (here / "all/sites/alice").rename(here / "mine")
    code, out, err = fedpact("keys", "check", "mine")
    assert (code, err) == (0, "")
    assert "ca.crt: valid from " in out
    assert "Every key and certificate is sound." in out
    code, out, _ = fedpact("keys", "check", "mine", "--json")
    found = fp.protocol.KeysCheck.from_dict(json.loads(out))
    assert found == fp.protocol.check_keys("mine")
    assert found.sites == {"mine": (here / "mine/signing.pub").read_text().strip()}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda own: (own / "signing.key").unlink(), "mine/signing.key: is missing; bring it back, or ask"),
        (lambda own: (own / "ca.crt").unlink(), "mine/ca.crt: is missing; bring it back, or ask"),
        (lambda own: (own / "supernode.key").chmod(0o644), "mine/supernode.key: others can use this private key"),
        (lambda own: (own / "signing.key").chmod(0o644), "mine/signing.key: others can use this private key"),
        (lambda own: (own / "operator.pub").write_text("x"), "mine/operator.pub: a public key is 64 hex"),
        (
            lambda own: (own / "../all/sites/bob/signing.key").rename(own / "signing.key"),
            "mine/signing.key: not the key of signing.pub",
        ),
        (
            lambda own: (own / "../all/sites/bob/supernode.pub").rename(own / "supernode.pub"),
            "mine/supernode.key: not the key of supernode.pub",
        ),
    ],
)
def test_a_site_is_told_what_is_wrong_with_its_keys(fedpact, here, change, problem):
    fedpact("keys", "make", "all", "--sites", "alice,bob")
    (here / "all/sites/alice").rename(here / "mine")
    change(here / "mine")
    code, _, err = fedpact("keys", "check", "mine")
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith(f"error: {problem}")


def test_a_site_s_authority_that_has_ended_is_said(here):
    fp.protocol.make_keys("all", ["alice"], now=0)
    found = fp.protocol.check_keys("all/sites/alice", now=1e10)
    assert [problem.code for problem in found.problems] == ["ended-ask"]
