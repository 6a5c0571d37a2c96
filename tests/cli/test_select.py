"""``fedpact select`` as a user meets it: labels that are known, and people who label through CSV files."""

from __future__ import annotations

import contextlib
import csv
import json

import numpy as np
import pytest

import fedpact as fp
from fedpact.cli import complete
from fedpact.selection.result import SCOPES, WAYS

RNG = np.random.default_rng(0)
TRUTH = {"north": RNG.integers(0, 2, 40), "South-East": RNG.integers(0, 2, 30)}
SAYS = {
    site: np.stack([np.where(RNG.random(len(own)) < at / 12, 1 - own, own) for at in range(7)])
    for site, own in TRUTH.items()
}
WORDS = np.array(["ill", "well"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A federation in numbers and the same in words, with labels of both."""
    monkeypatch.chdir(tmp_path)
    for name, code in (("numbers", lambda own: own), ("words", lambda own: WORDS[own])):
        says = {site: code(own) for site, own in SAYS.items()}
        fed = fp.Federation.from_predictions(says, epsilon=0.1, delta=0.1, name=name)
        fed.save(tmp_path / f"{name}.json")
        (tmp_path / name).mkdir()
    fed.replace(epsilon=0.2).save(tmp_path / "others.json")
    np.save(tmp_path / "numbers" / "north.npy", TRUTH["north"])
    (tmp_path / "numbers" / "south-east.csv").write_text("".join(f"{label}\n" for label in TRUTH["South-East"]))
    for site, own in TRUTH.items():
        (tmp_path / "words" / f"{site}.csv").write_text("label\n" + "".join(f"{WORDS[label]}\n" for label in own))
    return tmp_path


@pytest.mark.parametrize("name", ["numbers", "words"])
def test_json_is_the_dictionary_of_the_result(fedpact, folder, name):
    options = ["--assume", "agnostic", "--batch", "3", "--seed", "4", "--max-labels", "50"]
    code, out, err = fedpact("select", f"{name}.json", "--labels", name, *options, "--json")
    assert (code, err) == (0, "")
    truth = TRUTH if name == "numbers" else {site: WORDS[own] for site, own in TRUTH.items()}
    found = fp.select(f"{name}.json", truth, assume="agnostic", batch=3, rng=4, max_labels=50)
    assert json.loads(out) == found.to_dict()


def test_the_answer_is_said_with_a_row_for_each_site(fedpact, folder):
    code, out, _ = fedpact("select", "numbers.json", "--labels", "numbers", "--assume", "agnostic")
    assert code == 0
    assert out.startswith("numbers: Every site has a candidate whose error is within 0.1 of its best: ")
    assert [line.split()[:2] for line in out.splitlines()[4:6]] == [["north", "h1"], ["South-East", "h1"]]


def test_a_candidate_labels_and_every_option_arrives(fedpact):
    words = ["select", "alice-bob", "--truth", "xA", "--how", "implied-free", "--m", "alice=3,bob=2", "--json"]
    found = fp.select("alice-bob", "xA", ask="implied-free", plan=[3, 2], rng=0)
    assert json.loads(fedpact(*words)[1]) == found.to_dict()
    words = ["select", "alice-bob", "--truth", "xA", "--assume", "noisy", "--noise", "1/20", "--scope", "each"]
    found = fp.select("alice-bob", "xA", assume="noisy", noise=0.05, scope="each", weights={"xA": 2, "xB": 1})
    assert json.loads(fedpact(*words, "--weights", "xA=2,xB=1", "--json")[1]) == found.to_dict()


def test_weights_may_follow_what_was_chosen_before_and_rates_be_estimates(fedpact, folder):
    options = ["--assume", "agnostic", "--weights", "chosen-before", "--confidence", "0.9", "--json"]
    found = fp.select("numbers.json", TRUTH, assume="agnostic", weights="chosen-before", confidence=0.9)
    assert json.loads(fedpact("select", "numbers.json", "--labels", "numbers", *options)[1]) == found.to_dict()


def test_labels_of_a_table_are_a_file_of_points(fedpact, folder):
    (folder / "points.csv").write_text("point,label\nxB,0\nxA,1\n")
    code, out, _ = fedpact("select", "alice-bob", "--labels", "points.csv", "--json")
    assert code == 0
    assert json.loads(out)["chosen"] == {"alice": "xA", "bob": "xA"}


def test_plot_writes_a_figure(fedpact, folder):
    assert fedpact("select", "alice-bob", "--truth", "xA", "--plot", "found.svg")[0] == 0
    assert (folder / "found.svg").read_text().startswith("<?xml")


def test_two_at_once_wait_for_each_other(fedpact, folder, monkeypatch):
    seen = []
    monkeypatch.setattr("fedpact.cli.select.alone_at", lambda path: seen.append(path) or contextlib.nullcontext())
    assert fedpact("select", "alice-bob", "--state", "s.json", "--ask", "asks.csv")[0] == 0
    assert [path.name for path in seen] == [".s.json.lock"]


def test_site_names_that_differ_in_capitals_have_files_of_their_own(fedpact, folder):
    says = {"North": SAYS["north"], "north": SAYS["South-East"]}
    fp.Federation.from_predictions(says, epsilon=0.1, delta=0.1).save(folder / "twins.json")
    (folder / "twins").mkdir()
    np.save(folder / "twins" / "north.npy", TRUTH["South-East"])
    code, _, err = fedpact("select", "twins.json", "--labels", "twins")
    assert (code, "labels of site 'North' are missing: twins has no North.csv" in err) == (1, True)
    np.save(folder / "twins" / "North.npy", TRUTH["north"])
    assert fedpact("select", "twins.json", "--labels", "twins")[0] == 0


def test_labels_that_nobody_predicts_are_noted(fedpact, folder):
    np.save(folder / "numbers" / "north.npy", TRUTH["north"] + 7 * (np.arange(len(TRUTH["north"])) > 20))
    code, _, err = fedpact("select", "numbers.json", "--labels", "numbers", "--assume", "agnostic")
    assert code == 0
    assert "at 'north' some points are labelled" in err


def test_a_state_is_never_written_over_by_its_asks(fedpact, folder):
    code, _, err = fedpact("select", "numbers.json", "--state", "new.json", "--ask", "new.json")
    assert (code, "--state and --ask must be two files" in err) == (1, True)
    assert not (folder / "new.json").exists()


def test_a_spent_budget_is_no_decision_and_may_be_raised(fedpact, folder):
    words = ["select", "numbers.json", "--assume", "agnostic", "--state", "spent.json", "--ask", "next.csv"]
    fedpact(*words, "--max-labels", "2")
    rows = read(folder / "next.csv")
    fill(folder / "next.csv", rows, TRUTH | {"wanted": {(row["site"], int(row["point"])) for row in rows}})
    _, out, _ = fedpact(*words, "--tell", "next.csv")
    assert "Everything is decided" not in out
    assert "No label is asked for" in out
    code, out, _ = fedpact(*words, "--max-labels", "6")
    assert (code, "Wrote next.csv" in out) == (0, True)


def test_scopes_and_ways_are_those_of_the_library():
    assert (complete.SCOPES, complete.WAYS) == (SCOPES, WAYS)


def read(path):
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def fill(path, rows, labels):
    """Write rows back, with the labels that there are for them."""
    for row in rows:
        key = row["site"], int(row["point"])
        row["label"] = str(labels[row["site"]][key[1] - 1]) if key in labels["wanted"] else ""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


LABELLED = {
    "realizable": ("words", []),
    "agnostic": ("words", ["--assume", "agnostic"]),
    "noisy": ("numbers", ["--assume", "noisy", "--noise", "0.05", "--scope", "each"]),
    "implied-free": ("numbers", ["--how", "implied-free"]),
}


def label_all(fedpact, folder, name, options, rng=None):
    """Label round by round: whole rounds, or with ``rng`` in random parts, with files lost and steps repeated."""
    state, asks, asked = folder / f"{rng is None}.json", folder / "asks.csv", set()
    labels = {**({site: WORDS[own] for site, own in TRUTH.items()} if name == "words" else TRUTH), "wanted": set()}
    words = ["select", f"{name}.json", "--state", str(state), "--batch", "4"]
    code, out, err = fedpact(*words, "--ask", str(asks), *options, "--json")
    while True:
        assert (code, err) == (0, "")
        if json.loads(out)["status"] != "open":  # maybe before the last round is labelled: labels are still taken
            fill(asks, read(asks), {**labels, "wanted": asked})
            return json.loads(fedpact(*words, "--tell", str(asks), "--json")[1]), asked
        rows = read(asks)
        waiting = {(row["site"], int(row["point"])) for row in rows}
        asked |= waiting
        labels["wanted"] = waiting if rng is None else {one for one in sorted(waiting) if rng.random() < 0.5}
        if rng is not None and rng.random() < 0.3:
            asks.unlink()
            fedpact(*words, "--ask", str(asks))
            assert {(row["site"], int(row["point"])) for row in read(asks)} == waiting
        fill(asks, rows, labels)
        if rng is not None and rng.random() < 0.3:
            assert fedpact(*words, "--tell", str(asks))[0] == 0
        code, out, err = fedpact(*words, "--tell", str(asks), "--ask", str(asks), "--json")


@pytest.mark.parametrize("case", LABELLED)
def test_parts_lost_files_and_repeats_end_where_one_go_does(fedpact, folder, case):
    name, options = LABELLED[case]
    whole, asked = label_all(fedpact, folder, name, options)
    assert sum(whole["labels_asked"].values()) == len(asked) > 0
    (folder / "asks.csv").unlink()
    for seed in range(2):
        found, again = label_all(fedpact, folder, name, options, np.random.default_rng(seed))
        assert again == asked
        for key in ("chosen", "status", "labels_asked", "rounds", "certified_epsilon"):
            assert found[key] == whole[key]
        (folder / "False.json").unlink()
        (folder / "asks.csv").unlink()


def test_what_is_written_is_said_and_nothing_once_all_is_decided(fedpact, folder):
    words = ["select", "alice-bob", "--state", "s.json", "--ask", "asks.csv"]
    _, out, _ = fedpact(*words, "--batch", "2")
    assert "Wrote asks.csv: 2 points to label." in out
    assert out.endswith("Next: fedpact select alice-bob --state s.json --tell asks.csv --ask asks.csv --batch 2\n")
    rows = read(folder / "asks.csv")
    assert [list(row.values()) for row in rows] == [["alice", "1", "xA", ""], ["alice", "2", "xB", ""]]
    assert "All of them were asked before" in fedpact(*words)[1]
    fill(folder / "asks.csv", rows, {"alice": [0, 1], "wanted": {("alice", 1), ("alice", 2)}})
    _, out, _ = fedpact(*words, "--tell", "asks.csv")
    assert "2 labels taken from asks.csv; 0 still to come." in out
    assert "Everything is decided: no label is wanted, and asks.csv was not written." in out
    assert read(folder / "asks.csv") == rows
    assert "'xB' differs from the truth" in fedpact("select", "alice-bob", "--state", "s.json")[1]


def _die(*_):
    raise KeyboardInterrupt


def test_the_state_is_there_before_the_asks(fedpact, folder, monkeypatch):
    words = ["select", "alice-bob", "--state", "s.json", "--ask", "asks.csv", "--batch", "2"]
    with monkeypatch.context() as patched:
        patched.setattr("fedpact.cli.asks.write_asks", _die)
        assert fedpact(*words)[0] == 130
    assert not (folder / "asks.csv").exists()
    assert fedpact(*words)[0] == 0
    assert len(read(folder / "asks.csv")) == 2


def test_spreadsheets_may_change_capitals_separators_and_order(fedpact, folder):
    words = ["select", "words.json", "--state", "s.json", "--ask", "asks.csv", "--batch", "3"]
    fedpact(*words)
    lines = [f"{row['point']}.0;WELL;{row['site']};seen" for row in reversed(read(folder / "asks.csv"))]
    (folder / "filled.csv").write_text("\n".join(["Point;Label;Site;note", *lines]) + "\n", encoding="utf-8-sig")
    code, out, _ = fedpact(*words, "--tell", "filled.csv")
    assert code == 0
    assert "3 labels taken from filled.csv" in out


def test_a_label_that_nobody_predicts_has_to_be_meant(fedpact, folder):
    words = ["select", "words.json", "--assume", "agnostic", "--state", "s.json"]
    fedpact(*words, "--ask", "asks.csv")
    (row, *_) = read(folder / "asks.csv")
    (folder / "odd.csv").write_text(f"site,point,label\n{row['site']},{row['point']},odd\n")
    code, _, err = fedpact(*words, "--tell", "odd.csv")
    assert (code, "line 2: no candidate predicts 'odd', but 'ill', 'well'; if it is meant" in err) == (1, True)
    assert fedpact(*words, "--tell", "odd.csv", "--any-label")[0] == 0


BAD_LABELS = {
    "no-folder": (["--labels", "nowhere"], "labels must be a folder with a file for every site"),
    "no-file": (["--labels", "half"], "labels of site 'South-East' are missing: half has no south-east.csv"),
    "two-files": (["--labels", "double"], "stand in both"),
    "length": (["--labels", "short"], "short/north.csv: labels must be one for each of 40 points; they are 39"),
    "coding": (["--labels", "words"], "labels are strings and predictions whole numbers"),
    "columns": (["--labels", "wide"], "wide/north.csv: labels must be one column"),
    "truth": (["--truth", "h9"], "labels: no candidate is called 'h9'"),
    "noise": (["--truth", "h1", "--assume", "noisy", "--noise", "0.5"], "noise must"),
    "no-noise": (["--truth", "h1", "--assume", "noisy"], "noise"),
    "assume": (["--truth", "h1", "--assume", "agnostc"], "assume must be one of"),
    "scope": (["--truth", "h1", "--scope", "all"], "scope must be one of each, one"),
    "how": (["--truth", "h1", "--how", "magic"], "ask (--how) must be one of adaptive, implied-free"),
    "batch": (["--truth", "h1", "--batch", "0"], "batch"),
    "seed": (["--truth", "h1", "--seed", "-1"], "rng"),
    "budget": (["--truth", "h1", "--max-labels", "-1"], "max_labels"),
    "weights": (["--truth", "h1", "--weights", "h9=1"], "weights: no candidate is called 'h9'"),
    "weights-word": (["--truth", "h1", "--weights", "most"], "weights must map candidates to numbers"),
    "plan": (["--truth", "h1", "--m", "1,1"], "a plan is for 'implied-free'"),
    "both": (["--truth", "h1", "--labels", "words"], "select needs labels"),
    "neither": ([], "select needs labels"),
    "ask": (["--ask", "asks.csv"], "--ask and --tell need --state FILE"),
    "state-and-labels": (["--truth", "h1", "--state", "s.json", "--ask", "a.csv"], "--state is for people"),
    "nothing-yet": (["--state", "none.json", "--tell", "a.csv"], "none.json: there is no such state"),
    "no-ask": (["--state", "none.json"], "none.json: there is no such state"),
    "no-place": (
        ["--state", "no/s.json", "--ask", "a.csv"],
        "no/s.json cannot be written: there is no such folder",
    ),
    "ask-over-it": (["--state", "s.json", "--ask", "numbers.json"], "is there already, and holds no asks"),
}


@pytest.mark.parametrize("case", BAD_LABELS)
def test_bad_requests_are_one_line_and_exit_1(fedpact, folder, case):
    options, message = BAD_LABELS[case]
    for name in ("half", "double", "short", "wide"):
        (folder / name).mkdir()
        np.save(folder / name / "north.npy", TRUTH["north"])
    (folder / "double" / "north.csv").write_text("label\n0\n")
    for name, columns in (("short", 1), ("wide", 2)):
        (folder / name / "north.npy").unlink()
        lines = [",".join(["01"[label]] * columns) for label in TRUTH["north"][: 39 if name == "short" else 40]]
        (folder / name / "north.csv").write_text("\n".join([",".join("ab"[:columns]), *lines]) + "\n")
    code, out, err = fedpact("select", "numbers.json", *options)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_reports_are_refused_with_what_to_send_instead(fedpact, folder):
    report = fp.report(SAYS["north"], name="north")
    fp.Federation.from_reports([report], epsilon=0.1, delta=0.1).save(folder / "reports.json")
    for options in (["--labels", "numbers"], ["--truth", "h1"], ["--state", "s.json", "--ask", "asks.csv"]):
        code, _, err = fedpact("select", "reports.json", *options)
        assert code == 1
        assert len(err.splitlines()) == 1
        assert "let sites send predictions" in err


BAD_ANSWERS = {
    "no-file": (None, "no such file"),
    "empty": ("", "there is nothing in it"),
    "no-column": ("site,point\nnorth,1\n", "the first line must name the column label once"),
    "site": ("site,point,label\nsouth,1,1\n", "line 2: no site is called 'south'"),
    "point": ("site,point,label\nnorth,0,1\n", "line 2: point '0' of 'north' was not asked"),
    "word": ("site,point,label\nnorth,first,1\n", "line 2: point 'first' of 'north' was not asked"),
    "not-asked": ("site,point,label\nnorth,{free},1\n", "of 'north' was not asked"),
    "coding": ("site,point,label\nnorth,{asked},ill\n", "line 2: no candidate predicts 'ill', but 0, 1"),
    "twice": (
        "site,point,label\nnorth,{asked},0\nnorth,{asked},1\n",
        "line 3: point {asked} of 'north' is labelled",
    ),
    "two-values": ("site,point,label\nnorth,{told},{other}\n", "was told to be"),
    "quote": ('site,point,label\nnorth,"1,1\n', "not CSV"),
}


@pytest.mark.parametrize("case", BAD_ANSWERS)
def test_bad_answers_are_one_line_and_change_nothing(fedpact, folder, case):
    text, message = BAD_ANSWERS[case]
    words = ["select", "numbers.json", "--assume", "agnostic", "--state", "s.json"]
    fedpact(*words, "--ask", "asks.csv", "--batch", "2")
    told, asked = [int(row["point"]) for row in read(folder / "asks.csv") if row["site"] == "north"]
    (folder / "first.csv").write_text(f"site,point,label\nnorth,{told},1\n")
    assert fedpact(*words, "--tell", "first.csv")[0] == 0
    free = next(point for point in range(1, 41) if point not in (told, asked))
    known = {"told": told, "asked": asked, "free": free, "other": 0}
    if text is not None:
        (folder / "answers.csv").write_text(text.format(**known))
    before = (folder / "s.json").read_bytes()
    code, out, err = fedpact(*words, "--tell", "answers.csv", "--ask", "next.csv")
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert message.format(**known) in err
    assert (folder / "s.json").read_bytes() == before
    assert not (folder / "next.csv").exists()


BAD_STATES = {
    "federation": (lambda text: text, "others.json", [], "the state is of another federation"),
    "empty": (lambda text: "", "numbers.json", [], "the state cannot be read"),
    "half": (lambda text: text[: len(text) // 2], "numbers.json", [], "the state cannot be read"),
    "list": (lambda text: "[]", "numbers.json", [], "must be a dictionary"),
    "key": (lambda text: text.replace('"rounds"', '"round"'), "numbers.json", [], "the state cannot be read"),
    "points": (
        lambda text: text.replace('"points": [', '"points": [99, '),
        "numbers.json",
        [],
        "the state is broken",
    ),
    "scope": (
        lambda text: text,
        "numbers.json",
        ["--scope", "one"],
        "was begun with scope 'each' and now it is 'one'",
    ),
    "seed": (lambda text: text, "numbers.json", ["--seed", "7"], "was begun with seed 0 and now it is 7"),
}


@pytest.mark.parametrize("case", BAD_STATES)
def test_bad_states_are_one_line(fedpact, folder, case):
    harm, file, options, message = BAD_STATES[case]
    state = folder / "s.json"
    fedpact("select", "numbers.json", "--assume", "agnostic", "--state", "s.json", "--ask", "asks.csv")
    state.write_text(harm(state.read_text()))
    code, out, err = fedpact("select", file, "--state", "s.json", "--ask", "asks.csv", *options)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_labels_that_were_not_told_are_not_written_over(fedpact, folder):
    words = ["select", "numbers.json", "--state", "s.json", "--ask", "asks.csv"]
    fedpact(*words)
    rows = read(folder / "asks.csv")
    fill(folder / "asks.csv", rows, {**TRUTH, "wanted": {(row["site"], int(row["point"])) for row in rows}})
    code, _, err = fedpact(*words)
    assert (code, "this label was not told yet; give the file with --tell as well" in err) == (1, True)
    assert fedpact(*words, "--tell", "asks.csv")[0] == 0
