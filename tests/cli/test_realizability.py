import json

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


BAD = {
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
    write(folder / "other.csv", forest=[0, 1, 1], tree=[1, 1, 1])
    write(folder / "one.csv", forest=[0, 1, 1])
    code, out, err = fedpact("realizability", ALICE, site)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_no_site_is_wrong_usage(fedpact):
    assert fedpact("realizability")[0] == 2


def test_help_has_an_example(fedpact):
    code, out, _ = fedpact("realizability", "--help")
    assert code == 0
    assert "Example: fedpact realizability" in " ".join(out.split())
