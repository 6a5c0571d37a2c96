"""``fedpact reproduce`` as a user meets it."""

import json

import pytest

import fedpact as fp
from fedpact.explain.words import words_of


def test_reproduce_prints_both_and_what_is_wrong(fedpact, tmp_path):
    words = ("reproduce", "price-of-stability", "--quick", "--plot", str(tmp_path / "s.png"))
    code, out, _ = fedpact(*words)
    assert code == 0
    assert ["1/16", "20", "17", "1.176", "5.000", "1.333"] in [line.split() for line in out.splitlines()]
    assert "about three times too large" in out
    assert (tmp_path / "s.png").stat().st_size > 5000
    code, out, _ = fedpact("reproduce", "price-of-stability", "--quick", "--json")
    printed, found = json.loads(out), fp.experiments.reproduce("price-of-stability", quick=True).to_dict()
    assert printed.pop("wall_time").keys() == found.pop("wall_time").keys()
    assert printed == found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("obliviousness", "--m", "130"), "m must have one number per agent"),
        (("obliviousness", "--m", "130,130", "--plot", "map.svg"), "--plot is about the maps; leave it out"),
        (("obliviousness", "--m", "130,130", "--set", "parts=2"), "--set is about the maps"),
        (("obliviousness", "--m", "130,130", "--epsilon", "2"), "epsilon must lie between 0 and 1"),
        (("obliviousness", "--epsilon", "0.1"), "--epsilon belongs to --m"),
        (("truthfulness", "--set", "reports=0"), "reports must be 1 or more"),
        (("truthfulness", "--seeds", "-1"), "seeds must be"),
        (("contribution-check", "--set", "level=0"), "level must lie"),
        (("contribution-check", "--set", "sites=0"), "sites must"),
        (("coverage", "--seeds", "0"), "seeds must"),
        (("coverage", "--set", "confidence=2"), "confidence must lie"),
        (("coverage", "--set", "method=exact"), "method must be one of lp, union, tree"),
        (("federated", "--set", 'federations=["banks"]'), "federations must be some of writers, hospitals"),
        (("federated", "--set", "delta=1"), "delta must lie strictly between 0 and 1"),
        (("federated",), "without data there is only --quick"),
        (("price-of-stability", "--set", 'epsilon=["0.7"]'), "epsilon must lie"),
        (("price-of-stability", "--set", "delta=2"), "delta must lie strictly between 0 and 1"),
        (("price-of-stability", "--set", "delta=often"), "delta must be a number, such as 0.5; it is 'often'"),
        (("price-of-stability", "--set", "epsilom=2"), "no parameter 'epsilom'; did you mean 'epsilon'?"),
        (("price-of-stability", "--set", "delta"), "KEY=VALUE"),
        (("price-of-stability", "--settings", "none.toml"), "settings cannot be read"),
        (("price-of-stability", "--seeds", "3"), "draws nothing at random"),
        (("price-of-stability", "--data", "."), "reads no data"),
        (("price-of-stability", "--engine", "moon"), "engine must be one of local, ray"),
        (("price-of-stability", "--address", "here:1"), 'address belongs to engine "ray"'),
        (("price-of-stability", "--out", "nowhere"), "out must be a folder"),
    ],
)
def test_what_cannot_be_reproduced_is_said(fedpact, words, said):
    code, _, err = fedpact("reproduce", *words)
    assert code == 1
    assert said in err


def test_every_parameter_is_shown_and_can_be_given_back(fedpact, tmp_path):
    code, out, _ = fedpact("reproduce", "price-of-stability", "--show-settings")
    assert code == 0
    own = tmp_path / "own.toml"
    own.write_text(out.replace("delta = 0.5", "delta = 0.1"))
    code, out, _ = fedpact("reproduce", "price-of-stability", "--quick", "--settings", str(own), "--json")
    assert code == 0
    assert json.loads(out)["settings"]["delta"] == 0.1
    assert len(json.loads(out)["results"]["rows"]) == 2


def test_only_experiments_can_be_reproduced(fedpact):
    assert fedpact("reproduce", "everything")[0] == 2


def test_the_neighbours_of_a_plan_are_reached_by_either_agent_and_the_reports_printed(fedpact):
    code, out, _ = fedpact("reproduce", "obliviousness", "--m", "130,130")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    for plan in ("131, 130", "129, 130", "130, 131", "130, 129"):
        reached = [line for line in lines if " ".join(line).startswith(f"({plan}) agent-")]
        assert [line[3] for line in reached] == ["reached", "reached"]
        assert all(len(line[4]) == 8 for line in reached)
    assert "Locally oblivious" in out
    assert "- paying nothing: agent-1 lies" in out
    assert "- paying the own cost: no lie pays" in out
    entry = json.loads(fedpact("reproduce", "obliviousness", "--m", "130,130", "--json")[1])
    assert fp.mechanism.Obliviousness.from_dict(entry["obliviousness"]).is_oblivious
    assert [name for name, lie in entry["lies"].items() if lie is None] == ["the own cost"]


def test_a_plan_where_it_cannot_hold_is_said(fedpact):
    _, out, _ = fedpact("reproduce", "obliviousness", "--m", "400,400")
    assert "It cannot hold: no reports lead to this plan" in out


def test_maps_are_printed_with_what_is_wrong(fedpact, tmp_path):
    words = ["reproduce", "obliviousness", "--store", str(tmp_path / "store"), "--workers", "1"]
    for change in ("pac=[130, 400]", "expected=[20]", "parts=2"):
        words += ["--set", change]
    code, out, _ = fedpact(*words, "--plot", str(tmp_path / "map.svg"))
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert ["130", "8", "x"] in lines
    assert ["400", "x", "x"] in lines
    assert "none of which asks more than 7 of agent 2" in out
    assert (tmp_path / "map.svg").stat().st_size > 5000
    entry = json.loads(fedpact(*words, "--json")[1])
    assert [point["status"] for point in entry["results"]["pac"]["points"]] == ["HOLDS"] + 3 * ["TOO_LARGE"]


def test_misreports_are_tried_with_every_planner(fedpact, tmp_path):
    words = ["reproduce", "truthfulness", "--store", str(tmp_path), "--workers", "1", "--seeds", "1"]
    words += ["--set", "reports=5", "--set", 'examples=["alice-bob"]']
    code, out, _ = fedpact(*words)
    assert code == 0
    assert ["lp", "2", "10", "0"] in [line.split() for line in out.splitlines()]
    assert "- 50 misreports: no misreport paid" in out
    entry = json.loads(fedpact(*words, "--json")[1])
    assert [row["tried"] for row in entry["results"]["rows"]] == [10] * 5


def test_honest_and_lying_sites_are_counted(fedpact, tmp_path):
    words = [
        "reproduce",
        "contribution-check",
        "--store",
        str(tmp_path / "store"),
        "--workers",
        "1",
        "--seeds",
        "1",
    ]
    for change in ("quotas=[30]", "lies=[0.5, 1.0]", "lying_sites=20"):
        words += ["--set", change]
    code, out, _ = fedpact(*words, "--plot", str(tmp_path / "c.svg"))
    assert code == 0
    assert "arizona-hospitals: honest sites, level 0.01" in out
    results = json.loads(fedpact(*words, "--json")[1])["results"]
    flagged = sum(row["flagged"] for row in results["honest"])
    assert ["30", "17,000", str(flagged)] in [line.split()[:3] for line in out.splitlines()]
    said = words_of("contribution-simulation").say(f"status.{results['status']}")
    assert said[1:-1] in out
    assert (tmp_path / "c.svg").stat().st_size > 5000


def test_missed_targets_are_counted(fedpact, tmp_path):
    words = ["reproduce", "coverage", "--store", str(tmp_path / "store"), "--workers", "1"]
    words += ["--seeds", "2", "--set", "points=[30]"]
    code, out, _ = fedpact(*words, "--plot", str(tmp_path / "c.svg"))
    assert code == 0
    assert "True targets missed by union; confident plans promise at most 0.05" in out
    assert ["30", "confident", "2", "0"] in [line.split()[:4] for line in out.splitlines()]
    assert "- no row refutes the promise" in out
    assert (tmp_path / "c.svg").stat().st_size > 5000
    entry = json.loads(fedpact(*words, "--json")[1])
    assert [row["federations"] for row in entry["results"]["rows"]] == [2, 2, 2]


def test_a_plan_from_reports_is_printed(fedpact, tmp_path):
    words = ["reproduce", "digits", "--store", str(tmp_path / "store"), "--workers", "1"]
    words += ["--set", "candidates=[10]", "--set", "epsilon=[0.3]"]
    code, out, _ = fedpact(*words, "--plot", str(tmp_path / "d.svg"))
    assert code == 0
    assert "About what a plan with confidence would cost with more unlabelled points" in out
    assert [line.split()[:4] for line in out.splitlines() if line.startswith("0 ")][:2] == [
        ["0", "10", "0.3", "-"],
        ["0", "10", "0.3", "0.95"],
    ]
    assert (tmp_path / "d.svg").stat().st_size > 5000
    entry = json.loads(fedpact(*words, "--json")[1])
    assert [one["confidence"] for one in entry["results"]["runs"][0]["plans"]] == [None, 0.95]
    assert "seconds" not in str(entry["results"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hospitals", "--data", "nowhere"), "there is no folder 'nowhere'"),
        (
            ("hospitals", "--data", "."),
            "data must be a folder that holds heart_disease_4hospitals.csv; '.' does not",
        ),
        (("hospitals",), "data must be a folder that holds heart_disease_4hospitals.csv"),
        (("digits", "--data", "."), "digits reads no data"),
        (("digits", "--set", 'candidates=["many"]'), "candidates must be a number"),
        (("digits", "--set", "candidates=10"), "candidates must be a list"),
        (("digits", "--seeds", "-1"), "seeds must be"),
    ],
)
def test_what_cannot_be_planned_from_is_said(fedpact, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    code, _, err = fedpact("reproduce", *words)
    assert code == 1
    assert said in err
    assert len(err.splitlines()) == 1
