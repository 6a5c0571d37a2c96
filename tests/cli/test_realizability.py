import json
from dataclasses import replace

import numpy as np
import pytest

import fedpact as fp

LABELS = ["ill", "well", "well", "ill"]
FOREST = ["ill", "well", "well", "ill"]
STUMP = ["ill", "ill", "well", "ill"]


def write(path, **columns):
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two sites: at alice's the forest is right, at bob's, given as numbers, it is wrong once."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "alice.csv", forest=FOREST, stump=STUMP)
    write(tmp_path / "alice-labels.csv", label=LABELS)
    np.save(tmp_path / "bob.npy", [[0, 1, 1], [1, 1, 1]])
    np.save(tmp_path / "bob-labels.npy", [0, 1, 0])
    return tmp_path


ALICE, BOB = "alice=alice.csv,alice-labels.csv", "bob=bob.npy,bob-labels.npy"


def test_a_right_candidate_is_found(fedpact, folder):
    code, out, _ = fedpact("realizability", ALICE)
    assert code == 0
    assert "Of 2 candidates, 'forest' has the fewest mistakes." in out
    assert out.splitlines()[2].split()[:4] == ["alice", "4", "0", "0"]
    assert "Not refuted: some candidate makes no mistake" in out
    assert "1 of 2 candidates makes no mistake on 4 samples" in out
    assert "teacher" not in out


def test_what_stands_without_one_is_said(fedpact, folder):
    code, out, _ = fedpact("realizability", ALICE, BOB)
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.startswith(("alice ", "bob ", "all sites "))]
    assert [row[-6:][:4] for row in rows] == [
        ["alice", "4", "0", "0"],
        ["bob", "3", "1", "0.333333"],
        ["sites", "7", "1", "0.142857"],
    ]
    assert "Refuted: every candidate makes more mistakes" in out
    assert "The best, 'forest', is wrong on 1 of 7 samples" in out
    assert "If the sites label new samples by 'forest'" in out


def test_json_is_the_dictionary_of_the_result(fedpact, folder):
    code, out, _ = fedpact("realizability", ALICE, BOB, "--noise", "1/10", "--false-alarm-rate", "0.2", "--json")
    assert code == 0
    codes = {"ill": 0, "well": 1}
    alice = [[codes[label] for label in row] for row in (FOREST, STUMP)], [codes[label] for label in LABELS]
    expected = fp.realizability(
        {"alice": alice, "bob": ([[0, 1, 1], [1, 1, 1]], [0, 1, 0])},
        noise=0.1,
        false_alarm_rate=0.2,
        hypotheses=["forest", "stump"],
    )
    assert json.loads(out) == expected.to_dict()


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run whose labels alternate, so that no candidate is right."""
    monkeypatch.chdir(tmp_path)
    fed = fp.examples.alice_bob()
    made = fp.protocol.simulate_sites(fed, seed=1)
    sites = {name: replace(own, labeller=lambda places: np.arange(len(places)) % 2) for name, own in made.items()}
    with fp.protocol.Ledger.create("run.ledger") as ledger:
        outcome = fp.protocol.run(fed, sites, method="tree", ledger=ledger)
        fp.protocol.export_ledger(ledger, "run.json")
    return outcome


@pytest.mark.parametrize("where", ["run.ledger", "run.json", "sqlite:///run.ledger"])
def test_a_run_is_tested_by_its_books(fedpact, run, where):
    code, out, _ = fedpact("realizability", where, "--json")
    assert code == 0
    assert json.loads(out) == fp.realizability(run).to_dict()
    code, out, _ = fedpact("realizability", where, "--epsilon", "alice=0.9,bob=0.05", "--chosen", "xA")
    assert code == 0
    assert "'xA' against each site's epsilon" in out
    assert "more at" in out


def test_a_home_is_tested_too(fedpact, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert fedpact("run", "alice-bob", "--seed", "1", "--home", "one")[0] == 0
    code, out, _ = fedpact("realizability", "one")
    assert code == 0
    assert "Not refuted: some candidate makes no mistake" in out
    assert "label 56 more at alice and 57 more at bob to settle it" in out


def test_a_ledger_leads_on_where_every_candidate_erred(fedpact, run):
    for words in ((), ("--kind", "choose"), ("--last", "20")):
        code, out, _ = fedpact("ledger", "show", "run.ledger", *words)
        assert code == 0
        assert out.splitlines()[-1].endswith("settle it: fedpact realizability run.ledger")
    for words in (("--kind", "open"), ("--json",)):
        assert "realizability" not in fedpact("ledger", "show", "run.ledger", *words)[1]


def test_counts_are_read_from_files(fedpact, folder):
    (folder / "carol.csv").write_text("candidate,mistakes\nforest,2\nstump,7\n")
    code, out, _ = fedpact("realizability", ALICE, "carol=carol.csv,120", "--epsilon", "0.05", "--json")
    assert code == 0
    seen = fp.Realizability.from_dict(json.loads(out))
    assert (seen.samples, seen.mistakes["stump"]) == ({"alice": 4, "carol": 120}, {"alice": 1, "carol": 7})
    assert (seen.chosen, seen.targets["carol"].verdict) == ("forest", "unsettled")


BAD = {
    "counts-no-file": ("bob=none.csv,3", "none.csv: no such file"),
    "counts-header": ("bob=alice.csv,3", "alice.csv: line 1 must be candidate,mistakes; it is 'forest,stump'"),
    "counts-row": ("bob=row.csv,3", "row.csv: line 2 must be a candidate and its mistakes; it is 'forest'"),
    "counts-number": ("bob=number.csv,3", "number.csv: line 2: mistakes of 'forest' must be a whole number >= 0"),
    "counts-twice": ("bob=again.csv,3", "again.csv: every candidate must have a line, and only one"),
    "counts-above": ("bob=counts.csv,3", "site 'bob': mistakes must be whole numbers between 0 and m = 3"),
    "counts-names": ("bob=trees.csv,9", "'alice' and 'bob' predict with different candidates: candidate 2"),
    "counts-m": ("bob=counts.csv," + "9" * 5000, "counts.csv: M must be a number"),
    "no-labels": ("bob=alice.csv", "a site must be given as SITE=PREDICTIONS,LABELS"),
    "no-name": ("alice.csv,alice-labels.csv", "a site must be given as SITE=PREDICTIONS,LABELS"),
    "no-file": ("bob=alise.csv,alice-labels.csv", "alise.csv: no such file"),
    "ending": (
        "bob=alice.txt,alice-labels.csv",
        "alice.txt: a file of predictions must end in .npy, .csv, .parquet",
    ),
    "two-columns": ("bob=alice.csv,alice.csv", "alice.csv: labels must be one column (.csv) or one row (.npy)"),
    "kinds": ("bob=bob.npy,alice-labels.csv", "those of label are strings and those of h2 whole numbers"),
    "lengths": (
        "bob=bob.npy,short.npy",
        "must predict the same points; their numbers are {'h1': 3,",
    ),
    "pickled": ("bob=bob.npy,pickled.npy", "pickled.npy: not an .npy array that can be read without pickle"),
    "binary": ("bob=binary.csv,bob-labels.npy", "binary.csv: not a text of values separated by commas"),
    "empty": ("bob=empty.csv,bob-labels.npy", "empty.csv: line 1: every column must have the name of a candidate"),
    "header-only": ("bob=header.csv,bob-labels.npy", "header.csv: there must be a point, a line after the names"),
    "twice": ("bob=twice.csv,bob-labels.npy", "twice.csv: line 1: every column must have the name of a candidate"),
    "ragged": ("bob=ragged.csv,bob-labels.npy", "ragged.csv: line 3 must have 2 labels"),
    "nan": (
        "bob=nan.csv,bob-labels.npy",
        "nan.csv: line 3: the label of 'forest' is 'nan'",
    ),
    "gap": (
        "bob=gap.csv,bob-labels.npy",
        "gap.csv: line 2: the label of 'stump' is empty",
    ),
    "other-names": (
        "bob=other.csv,bob-labels.npy",
        "'alice' and 'bob' predict with different candidates: candidate 2 is 'stump' in one",
    ),
    "fewer": ("bob=one.csv,bob-labels.npy", "one has 2 candidates and the other 1"),
    "again": (ALICE, "every site must be given once; 'alice' is there twice"),
}


@pytest.mark.parametrize(("site", "message"), BAD.values(), ids=BAD)
def test_bad_files_are_one_line_and_exit_1(fedpact, folder, site, message):
    np.save(folder / "short.npy", [0, 1])
    np.save(folder / "pickled.npy", np.array([{}, None], dtype=object))
    (folder / "binary.csv").write_bytes(b"\xff\xfe\x00a")
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("forest,stump\n")
    (folder / "twice.csv").write_text("forest,forest\n0,1\n")
    (folder / "ragged.csv").write_text("forest,stump\n0,1\n0\n")
    (folder / "nan.csv").write_text("forest\n0\nnan\n")
    (folder / "gap.csv").write_text("forest,stump\n0,\n")
    (folder / "row.csv").write_text("candidate,mistakes\nforest\n")
    write(folder / "number.csv", candidate=["forest", "stump"], mistakes=[1.5, 2])
    write(folder / "again.csv", candidate=["forest", "forest"], mistakes=[1, 2])
    write(folder / "counts.csv", candidate=["forest", "stump"], mistakes=[1, 7])
    write(folder / "trees.csv", candidate=["forest", "tree"], mistakes=[1, 7])
    write(folder / "other.csv", forest=[0, 1, 1], tree=[1, 1, 1])
    write(folder / "one.csv", forest=[0, 1, 1])
    code, out, err = fedpact("realizability", ALICE, site)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert message in err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nowhere", "there is no run at 'nowhere'; of labelled samples give SITE=PREDICTIONS,LABELS or"),
        (".", "it is a folder, and not the home of a run"),
        ("alice.csv", "alice.csv is not a ledger"),
        ("mysql://host/runs", "a ledger is kept in SQLite or PostgreSQL, not in 'mysql'"),
    ],
)
def test_what_is_no_run_is_one_line(fedpact, folder, given, message):
    code, out, err = fedpact("realizability", given)
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert message in err


def test_no_site_is_wrong_usage(fedpact):
    assert fedpact("realizability")[0] == 2


def test_help_has_an_example(fedpact):
    code, out, _ = fedpact("realizability", "--help")
    assert code == 0
    assert "Example: fedpact realizability" in " ".join(out.split())
