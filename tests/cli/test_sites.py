"""Three sites and an operator who share files only: report, gather, plan, pay."""

from __future__ import annotations

import json
import pickle
import warnings

import numpy as np
import pytest

import fedpact as fp

SITES = {"alice": 400, "bob": 300, "carol": 150}
NAMES = [f"model-{index}" for index in range(6)]


def predictions(n, seed):
    rng = np.random.default_rng(seed)
    base = rng.random(n) < 0.5
    return (base ^ (rng.random((len(NAMES), n)) < np.linspace(0.02, 0.4, len(NAMES))[:, None])).astype(int)


def write_csv(path, labels, names=NAMES):
    rows = [",".join(names), *(",".join(["healthy", "ill"][label] for label in row) for row in labels.T)]
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, (site, n) in enumerate(SITES.items()):
        write_csv(tmp_path / f"{site}.csv", predictions(n, seed))
    return tmp_path


@pytest.fixture
def network(folder, fedpact):
    """The federation file, after every site has reported."""
    for site in SITES:
        assert fedpact("report", f"{site}.csv", "--name", site)[0] == 0
    reports = [f"{site}.report.npz" for site in SITES]
    targets = ["--epsilon", "0.15", "--delta", "0.05", "--cost", "bob=2,alice=1,carol=1"]
    code, out, _ = fedpact("gather", *reports, *targets, "-o", "network.toml")
    assert code == 0
    assert "Next: fedpact plan network.toml --confidence 0.95" in out
    return "network.toml"


WRITTEN = {
    "alice.report.npz": ("report", "alice.csv", "--name", "alice"),
    "network.toml": ("gather", "alice.report.npz", "--epsilon", "0.1", "--delta", "0.05", "-o", "network.toml"),
    "alice-bob.toml": ("examples", "alice-bob", "--save", "alice-bob.toml"),
}


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("file", WRITTEN)
def test_a_file_that_is_there_is_replaced_only_on_request(folder, fedpact, file):
    (folder / "alice-bob.toml").write_text("# mine")
    before = (folder / file).read_bytes()
    code, _, err = fedpact(*WRITTEN[file])
    assert (code, (folder / file).read_bytes()) == (1, before)
    assert f"'{file}' is there already; replace it with --force" in err
    assert fedpact(*WRITTEN[file], "--force")[0] == 0
    assert file.endswith(".npz") or (folder / file).read_bytes() != before


def test_files_are_all_that_is_shared(folder, fedpact, network):
    """What the operator plans from three files is what it would plan from all predictions together."""
    code, out, _ = fedpact("plan", network, "--confidence", "0.95", "--json")
    assert code == 0
    shown = json.loads(out)
    together = fp.Federation.from_predictions(
        {site: predictions(n, seed) for seed, (site, n) in enumerate(SITES.items())},
        epsilon=0.15,
        delta=0.05,
        cost=[1, 2, 1],
    )
    plan = fp.plan(together, confidence=0.95)
    assert shown["contributions"] == plan.contributions
    assert shown["confidence"] == 0.95
    assert [more["factor"] for more in shown["more_points"]] == [2, 4, 10, None]
    assert fp.load(network).hypotheses == tuple(NAMES)
    code, out, _ = fedpact("pay", network, "--confidence", "0.95", "--json")
    assert code == 0
    bill = json.loads(out)
    assert bill["contributions"] == plan.contributions
    assert bill["payments"] == {site: plan.contributions[site] * [1, 2, 1][at] for at, site in enumerate(SITES)}
    assert all(bill["met"].values())


def test_a_report_says_what_leaves_the_site(folder, fedpact):
    code, out, _ = fedpact("report", "alice.csv", "--name", "alice", "-o", "sent.npz", "--minimum-count", "5")
    assert code == 0
    assert "How often any two of 6 candidates disagree on 400 points with 2 labels" in out
    assert "Counts below 5, and those that close to 400, are not told apart." in out
    assert f"Wrote sent.npz ({(folder / 'sent.npz').stat().st_size:,} bytes)." in out
    assert fp.sites.read_report("sent.npz").minimum_count == 5
    _, out, _ = fedpact("report", "alice.csv", "--name", "alice", "-o", "sent.npz", "--force", "--json")
    assert json.loads(out) == fp.sites.read_report("sent.npz").to_dict()
    assert (json.loads(out)["H"], json.loads(out)["n"]) == (6, 400)


@pytest.mark.slow
def test_a_noisy_report_is_planned_with_at_a_confidence_only(folder, fedpact):
    for site in SITES:
        assert (
            fedpact("report", f"{site}.csv", "--name", site, "--classes", "healthy,ill", "--privacy", "2,1e-3")[0]
            == 0
        )
    reports = [f"{site}.report.npz" for site in SITES]
    assert fedpact("gather", *reports, "--epsilon", "0.2", "--delta", "0.1", "-o", "noisy.toml")[0] == 0
    code, _, err = fedpact("plan", "noisy.toml")
    assert code == 1
    assert "plan(fed, confidence=0.95)" in err
    assert fedpact("plan", "noisy.toml", "--confidence", "0.9")[0] == 0
    assert fedpact("pay", "noisy.toml", "--confidence", "0.9")[0] == 0


def test_what_a_plan_at_a_confidence_says(fedpact, network):
    _, out, _ = fedpact("plan", network, "--confidence", "0.95", "--teacher", "model-0")
    assert "All this holds with probability 0.95 over the sites' unlabelled points" in out
    assert "With 2 times the points it would cost about" in out
    assert "The samples are labelled by 'model-0'" in out
    code, out, _ = fedpact("verify", network, "--m", "100,0,100", "--confidence", "0.95", "--json")
    assert (code, json.loads(out)["confidence"], json.loads(out)["feasible"]) == (0, 0.95, True)


def refused(fedpact, *words):
    code, _, err = fedpact(*words)
    assert code == 1
    assert len(err.splitlines()) == 1
    return err


def test_reports_on_other_candidates_are_refused_by_name(folder, fedpact):
    write_csv(folder / "bob.csv", predictions(300, 1), names=[*NAMES[:-1], "other"])
    for site in SITES:
        fedpact("report", f"{site}.csv", "--name", site)
    reports = [f"{site}.report.npz" for site in SITES]
    err = refused(fedpact, "gather", *reports, "--epsilon", "0.1", "--delta", "0.05", "-o", "x.toml")
    assert "'alice' and 'bob' have different candidates: candidate 6 is 'model-5' in one and 'other'" in err
    assert not (folder / "x.toml").exists()


def test_a_report_is_not_a_federation(fedpact, network):
    for command in ("plan", "check"):
        assert "fedpact gather" in refused(fedpact, command, "alice.report.npz")


def test_a_plan_that_takes_counts_for_the_truth_says_so(fedpact, network):
    assert "with a confidence (--confidence 0.95) the plan allows for that" in fedpact("plan", network)[1]
    assert "--confidence" not in fedpact("plan", network, "--confidence", "0.9")[1]
    assert "--confidence" not in fedpact("plan", "alice-bob")[1]


def test_a_report_never_replaces_the_predictions_nor_leaves_its_folder(folder, fedpact):
    before = (folder / "alice.csv").read_text()
    assert "another file" in refused(fedpact, "report", "alice.csv", "--name", "alice", "-o", "./alice.csv")
    assert (folder / "alice.csv").read_text() == before
    assert "--output" in refused(fedpact, "report", "alice.csv", "--name", "../alice")


def test_what_was_done_to_counts_is_said(folder, fedpact):
    fedpact("report", "alice.csv", "--name", "alice", "--minimum-count", "5")
    fedpact("report", "bob.csv", "--name", "bob", "--classes", "healthy,ill", "--privacy", "9,0.1")
    targets = ("--epsilon", "0.2", "--delta", "0.1")
    _, out, _ = fedpact("gather", "alice.report.npz", "bob.report.npz", *targets, "-o", "mixed.toml")
    said = " ".join(out.split())
    assert "on 300 to 400 points of each agent; small counts hidden by alice; noise added by bob" in said


def test_labels_that_no_candidate_predicts_are_noted(folder, fedpact):
    (folder / "truth.csv").write_text("label\n" + "Ill\n" * 150)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        code, _, err = fedpact("realizability", "carol=carol.csv,truth.csv")
    doubt, note = err.splitlines()
    assert (code, note) == (0, "note: at 'carol' some samples are labelled 'Ill', which no candidate predicts")
    assert doubt.startswith("warning: carol.csv: 'Ill' and 'ill' are taken for two labels; if they are one, ")


class Trap:
    def __reduce__(self):
        return (open, ("trapped", "w"))


BAD = {
    "nan.csv": (b"a,b\n1,nan\n", "nan.csv"),
    "no-points.csv": (b"a,b\n", "no-points.csv"),
    "ragged.csv": (b"a,b\n1,2\n1\n", "line 3"),
    "pickle.npy": (pickle.dumps(Trap()), "without pickle"),
    "missing.csv": (None, "missing.csv"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_predictions_are_one_line_and_execute_nothing(folder, fedpact, name):
    content, says = BAD[name]
    if content is not None:
        (folder / name).write_bytes(content)
    assert says in refused(fedpact, "report", name, "--name", "alice")
    assert not (folder / "trapped").exists()
    assert not (folder / "alice.report.npz").exists()


def test_unknown_labels_are_refused(folder, fedpact):
    assert "'ill'" in refused(fedpact, "report", "alice.csv", "--name", "alice", "--classes", "healthy,sick")


@pytest.mark.parametrize("budget", ["1", "1,2,3", "0,1e-6", "1,0", "a,b"])
def test_a_budget_is_checked(folder, fedpact, budget):
    refused(fedpact, "report", "alice.csv", "--name", "alice", "--classes", "healthy,ill", "--privacy", budget)


def test_privacy_needs_the_labels_to_be_declared(folder, fedpact):
    assert "--classes" in refused(fedpact, "report", "alice.csv", "--name", "alice", "--privacy", "1,1e-6")


def test_truncated_and_changed_reports_are_refused(folder, fedpact, network):
    whole = (folder / "alice.report.npz").read_bytes()
    for damaged in (whole[:-40], pickle.dumps(Trap())):
        (folder / "alice.report.npz").write_bytes(damaged)
        err = refused(fedpact, "plan", network)
        assert "alice" in err
        assert "not a fedpact report" in err
        assert not (folder / "trapped").exists()


def test_a_site_with_ten_points_can_still_take_part(folder, fedpact):
    """Its own samples have to do what its estimates cannot."""
    write_csv(folder / "carol.csv", predictions(10, 2))
    for site in SITES:
        fedpact("report", f"{site}.csv", "--name", site)
    fedpact(
        "gather", *[f"{site}.report.npz" for site in SITES], "--epsilon", "0.15", "--delta", "0.05", "-o", "x.toml"
    )
    code, out, _ = fedpact("plan", "x.toml", "--confidence", "0.95", "--json")
    assert code == 0
    quotas = json.loads(out)["contributions"]
    assert quotas["carol"] > 0
    shares = ",".join(f"{site}={count}" for site, count in quotas.items())
    code, out, _ = fedpact("verify", "x.toml", "--m", shares, "--confidence", "0.95", "--json")
    assert (code, json.loads(out)["feasible"]) == (0, True)


def test_a_site_whose_capacity_is_not_named_has_no_limit(fedpact, network):
    words = (
        "gather",
        "alice.report.npz",
        "bob.report.npz",
        "--epsilon",
        "0.2",
        "--delta",
        "0.1",
        "-o",
        "few.toml",
    )
    assert fedpact(*words, "--capacity", "bob=10")[0] == 0
    assert [agent.capacity for agent in fp.load("few.toml").agents] == [None, 10]
    assert "capacity names 'bbo', who is not in the federation" in refused(
        fedpact, *words, "--capacity", "bbo=10", "--force"
    )
