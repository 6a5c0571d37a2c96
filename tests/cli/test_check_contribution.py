import json

import numpy as np
import pytest

import fedpact as fp
from fedpact.statistics.confidence import clopper_pearson
from fedpact.statistics.make_report import report

NAMES = ["forest", "stump"]


def differing(x, m):
    return np.array([[0] * m, [1] * x + [0] * (m - x)])


def write(path, labels, names=NAMES):
    rows = [",".join(names), *(",".join(map(str, row)) for row in labels.T)]
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The two candidates differ on a tenth of what alice reported, and on 12 of 30 samples."""
    monkeypatch.chdir(tmp_path)
    report(differing(10, 100), name="alice", candidates=NAMES).save(tmp_path / "alice.report.npz")
    report(differing(10, 100), name="alice").save(tmp_path / "nameless.npz")
    write(tmp_path / "many.csv", differing(12, 30))
    write(tmp_path / "few.csv", np.where(differing(3, 30), "ill", "well"))
    np.save(tmp_path / "many.npy", differing(12, 30))
    (tmp_path / "UPPER.NPY").write_bytes((tmp_path / "many.npy").read_bytes())
    return tmp_path


def test_a_flagged_site_exits_0_and_shows_the_pair(fedpact, folder):
    code, out, _ = fedpact("check-contribution", "alice.report.npz", "many.csv")
    assert code == 0
    assert out.startswith("alice, 30 samples, 1 pair of candidates: Flagged")
    assert out.splitlines()[2].split() == [
        "forest",
        "stump",
        "0.1",
        "0.1",
        "0.4",
        "3.1e-05",
        "1.5e-05",
        "suspicious",
    ]
    assert "a rate that is off by more than 0.222 is caught with a chance of 0.8" in out


def test_labels_may_be_names(fedpact, folder):
    code, out, _ = fedpact("check-contribution", "alice.report.npz", "few.csv")
    assert code == 0
    assert "The samples look like what was reported." in out
    assert "suspicious" not in out


@pytest.mark.parametrize(
    ("said", "seen"),
    [("alice.report.npz", "many.npy"), ("alice.report.npz", "UPPER.NPY"), ("nameless.npz", "many.csv")],
)
def test_candidates_are_named_by_whichever_file_names_them(fedpact, folder, said, seen):
    code, out, _ = fedpact("check-contribution", said, seen, "--json")
    assert code == 0
    assert json.loads(out)["pairs"][0]["pair"] == NAMES


def test_json_is_the_dictionary_of_the_result(fedpact, folder):
    options = ("--false-alarm-rate", "0.05", "--tolerance", "1/50", "--power", "0.9", "--fresh", "--json")
    _, out, _ = fedpact("check-contribution", "alice.report.npz", "many.csv", *options)
    said = fp.sites.read_report("alice.report.npz")
    seen = fp.check_contribution(
        said, differing(12, 30), false_alarm_rate=0.05, tolerance=0.02, power=0.9, fresh=True
    )
    assert json.loads(out) == seen.to_dict()


def test_limits_that_were_allowed_are_shown(fedpact, folder):
    _, out, _ = fedpact("check-contribution", "alice.report.npz", "many.csv", "--fresh")
    low, high = clopper_pearson(np.array(10), 100, 0.0025)
    assert f" {low:.3g} to {high:.3g} " in out


def test_what_cannot_be_seen_is_said(fedpact, folder):
    write(folder / "two.csv", differing(1, 2))
    code, out, _ = fedpact("check-contribution", "alice.report.npz", "two.csv", "--false-alarm-rate", "0.001")
    assert code == 0
    assert out.splitlines()[-1] == fp.mechanism.ContributionStatus.TOO_FEW.value
    _, out, _ = fedpact(
        "check-contribution", "alice.report.npz", "two.csv", "--power", "0.9999", "--false-alarm-rate", "0.02"
    )
    assert "is caught with a chance of 0.9999" in out


BAD = {
    "no-report": (["alice.npz", "many.csv"], "alice.npz"),
    "no-file": (["alice.report.npz", "samples.csv"], "samples.csv: no such file"),
    "ending": (["alice.report.npz", "alice.report.npz"], "a file of predictions must end in .npy, .csv, .parquet"),
    "other-names": (["alice.report.npz", "other.csv"], "candidate 2 is 'stump' in one and 'tree' in the other"),
    "more-candidates": (["alice.report.npz", "three.csv"], "one row for each of the 2 hypotheses of the report"),
    "more-classes": (["alice.report.npz", "classes.csv"], "at most the n_classes = 2 different labels"),
    "false_alarm_rate": (
        ["alice.report.npz", "many.csv", "--false-alarm-rate", "2"],
        "false_alarm_rate must lie strictly between 0 and 1; it is 2",
    ),
    "scores": (["alice.report.npz", "scores.csv"], "scores.csv: line 2: the label of 'forest' is '0.1'"),
    "scores-npy": (
        ["alice.report.npz", "scores.npy"],
        "scores.npy: 'h1': labels must be whole numbers or strings",
    ),
    "cube": (["alice.report.npz", "cube.npy"], "cube.npy: must be a matrix, candidates by points"),
}


@pytest.mark.parametrize(("words", "message"), BAD.values(), ids=BAD)
def test_bad_requests_are_one_line_and_exit_1(fedpact, folder, words, message):
    write(folder / "other.csv", differing(3, 30), ["forest", "tree"])
    write(folder / "three.csv", np.zeros((3, 4), dtype=int), [*NAMES, "tree"])
    write(folder / "classes.csv", np.array([[0, 1, 2], [0, 1, 2]]))
    write(folder / "scores.csv", np.array([[0.1, 0.9], [0.2, 0.8]]))
    np.save(folder / "scores.npy", [[0.1, 0.9], [0.2, 0.8]])
    np.save(folder / "cube.npy", np.zeros((2, 3, 4)))
    code, out, err = fedpact("check-contribution", *words)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_help_has_an_example(fedpact):
    code, out, _ = fedpact("check-contribution", "--help")
    assert code == 0
    assert "Example: fedpact check-contribution" in " ".join(out.split())


def test_distinct_samples_are_said_to_be_distinct(fedpact, folder):
    code, out, _ = fedpact("check-contribution", "alice.report.npz", "many.csv", "--distinct", "--json")
    assert code == 0
    seen = fp.check_contribution(
        fp.sites.read_report("alice.report.npz"), differing(12, 30), distinct=True, hypotheses=NAMES
    )
    assert (json.loads(out), seen.distinct) == (seen.to_dict(), True)
    code, _, err = fedpact("check-contribution", "alice.report.npz", "many.csv", "--distinct", "--fresh")
    assert code == 1
    assert "leave one of them out" in err
