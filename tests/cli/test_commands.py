"""The command line as a user meets it: answers, JSON, one-line errors, exit codes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

import fedpact as fp
from fedpact.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"
ALICE_BOB = str(EXAMPLES / "alice-bob.toml")


def list_commands(command, path="fedpact"):
    """Every command and every group of commands, by what to type."""
    for name in getattr(command, "commands", ()):
        inner = command.get_command(None, name)
        yield f"{path} {name}", inner
        yield from list_commands(inner, f"{path} {name}")


COMMANDS = {path: one for path, one in list_commands(get_command(app)) if not one.hidden}


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_has_an_example_and_json(path):
    command = COMMANDS[path]
    assert re.search(rf"Example.*{path}", command.help, flags=re.DOTALL)
    if not hasattr(command, "commands"):
        assert any("--json" in parameter.opts for parameter in command.params)


def test_verify_prints_one_row_per_agent_and_the_verdict(fedpact):
    code, out, _ = fedpact("verify", ALICE_BOB, "--m", "1,1")
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines() if line.startswith(("alice ", "bob "))] == [
        ["alice", "1", "0.32"],
        ["bob", "1", "0.32"],
    ]
    assert "2 samples for a cost of 2, the per-agent guarantee does not hold" in out


@pytest.mark.parametrize("m", ["3,2", "alice=3,bob=2", " bob = 2 , alice=3 "])
def test_verify_json_is_the_dictionary_of_the_result(fedpact, m):
    code, out, _ = fedpact("verify", ALICE_BOB, "--m", m, "--json")
    assert code == 0
    assert json.loads(out) == fp.verify(fp.load(ALICE_BOB), [3, 2]).to_dict()


def test_verify_takes_the_name_of_an_example(fedpact):
    code, out, _ = fedpact("verify", "price-of-stability(1/64)", "--m", "bob=40", "--json")
    assert code == 0
    assert json.loads(out)["met"] == {"alice": False, "bob": True}


def test_verify_shows_the_joint_failure(fedpact, tmp_path):
    fed = fp.Federation.from_table(
        [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]],
        [["1/2", 0, "1/2"], [0, "1/2", "1/2"]],
        epsilon=0.1,
        delta="1/4",
        guarantee="joint",
    )
    fed.save(tmp_path / "joint.toml")
    code, out, _ = fedpact("verify", str(tmp_path / "joint.toml"), "--m", "2,2")
    assert code == 0
    assert "Some agent misses its target with probability 0.4375 (exact); 0.25 is allowed." in out
    assert "is the likeliest survivor" in out


def test_estimates_repeat_for_the_same_seed(fedpact):
    words = (
        "verify",
        "coupon-collector(5)",
        "--m",
        "9",
        "--how",
        "estimate",
        "--draws",
        "500",
        "--json",
        "--seed",
    )
    first, again, other = (fedpact(*words, seed)[1] for seed in ("5", "5", "6"))
    assert first == again != other


@pytest.mark.parametrize("given", ["1,4", "bob=4,alice=1"])
def test_plan_keeps_what_is_contributed_already(fedpact, given):
    code, out, _ = fedpact("plan", ALICE_BOB, "--at-least", given)
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.startswith(("agent ", "alice ", "bob "))]
    assert rows == [
        ["agent", "samples", "still", "to", "come", "cost"],
        ["alice", "2", "1", "2"],
        ["bob", "4", "0", "4"],
    ]
    _, out, _ = fedpact("plan", ALICE_BOB, "--at-least", given, "--json")
    assert json.loads(out) == fp.plan(fp.load(ALICE_BOB), at_least=[1, 4]).to_dict()


def test_plan_refuses_what_cannot_have_been_contributed(fedpact):
    code, _, err = fedpact("plan", ALICE_BOB, "--at-least", "carol=4")
    assert code == 1
    assert "at_least names 'carol'" in err
    assert len(err.strip().splitlines()) == 1


def test_plan_prints_contributions_and_the_certificate(fedpact):
    code, out, _ = fedpact("plan", ALICE_BOB)
    assert code == 0
    assert "2 of 2 agents label 5 samples, for a cost of 5 in all" in out
    assert "No plan costs less than 5" in out


@pytest.mark.parametrize("method", ["lp", "union", "tree", "exact", "auto"])
def test_plan_json_is_the_dictionary_of_the_result(fedpact, method):
    code, out, _ = fedpact("plan", ALICE_BOB, "--method", method, "--json")
    assert code == 0
    assert json.loads(out) == fp.plan(fp.load(ALICE_BOB), method).to_dict()


def test_compare_prints_one_row_per_method_and_a_sentence(fedpact):
    code, out, _ = fedpact("compare", "singletons")
    assert code == 0
    costs = [row.cost for row in fp.compare(fp.examples.singletons()).rows]
    assert [float(re.split(r"  +", line)[2]) for line in out.splitlines()[3:11]] == costs
    assert "Everyone alone costs 1.64 times the best plan." in out
    assert "The exchangeable plan meets 1 of 2 targets." in out
    assert "If nobody coordinates, the equilibria found cost 1 times the best plan." in out


def test_compare_json_is_the_dictionary_of_the_result(fedpact):
    code, out, _ = fedpact("compare", ALICE_BOB, "--json")
    assert code == 0
    assert json.loads(out) == fp.compare(fp.load(ALICE_BOB)).to_dict()


def test_compare_passes_the_budget_on(fedpact):
    _, out, _ = fedpact("compare", "singletons", "--max-nodes", "0", "--time-limit", "0", "--json")
    assert json.loads(out)["rows"][-1]["status"] == fp.planning.PlanStatus.INTERRUPTED.value


@pytest.mark.parametrize(
    ("capacity", "said"),
    [
        pytest.param([13, None], "Alone, 1 of 2 can meet their targets.\nThe exchangeable plan", id="one alone"),
        pytest.param([4, 3], "Alone, 0 of 2 can meet their targets.\nWhoever counts samples only", id="none"),
    ],
)
def test_compare_says_what_capacities_forbid(fedpact, tmp_path, capacity, said):
    fed = fp.examples.alice_bob()
    fp.Federation.from_table(
        fp.planning.classes.all_labelings(2),
        fed.evidence.distributions,
        epsilon=0.1,
        delta=0.05,
        capacity=capacity,
    ).save(tmp_path / "capped.toml")
    code, out, _ = fedpact("compare", str(tmp_path / "capped.toml"))
    assert code == 0
    assert said in out


@pytest.mark.parametrize("command", ["plan", "compare"])
def test_without_enough_capacity_exits_3_and_says_who(fedpact, tmp_path, command):
    fed = fp.Federation.from_table(
        fp.planning.classes.all_labelings(2), [[0.5, 0.5]], epsilon=0.1, delta=0.05, capacity=2, names=["alice"]
    )
    fed.save(tmp_path / "small.toml")
    code, _, err = fedpact(command, str(tmp_path / "small.toml"))
    assert code == 3
    assert len(err.splitlines()) == 1
    assert "'alice'" in err


@pytest.mark.parametrize("command", ["plan", "compare"])
@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_plot_writes_a_figure_beside_the_answer(fedpact, tmp_path, command, ending, start):
    path = tmp_path / f"drawn.{ending}"
    code, out, _ = fedpact(command, ALICE_BOB, "--plot", str(path), "--json")
    assert code == 0
    assert json.loads(out)
    assert path.read_bytes().startswith(start)


def test_plot_without_matplotlib_says_what_to_install(fedpact, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = fedpact("plan", ALICE_BOB, "--plot", str(tmp_path / "x.png"))
    assert code == 1
    assert "a cost of 5 in all" in out
    assert 'pip install "fedpact[plot]"' in err


def test_check_describes_a_good_file(fedpact):
    code, out, _ = fedpact("check", ALICE_BOB)
    assert code == 0
    assert "which of 4 hypotheses is right" in out
    assert "a table of 2 points" in out
    assert out.endswith("No problems found.\n")


def test_check_says_how_many_hypotheses_are_merged(fedpact, tmp_path):
    fed = fp.Federation.from_table([[0, 0], [0, 1], [0, 0]], [[0.5, 0.5]], epsilon=0.1, delta=0.1)
    fed.save(tmp_path / "twins.json")
    _, out, _ = fedpact("check", str(tmp_path / "twins.json"))
    assert "1 of 3 hypotheses agrees with another one on everybody's data" in out


def test_check_lists_every_problem(fedpact, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(
        'delta = 2\nepsilon = 0.1\n[[agents]]\nname = "a"\ncost = -1\ndistribution = {x = 0.5}\n'
        '[hypotheses]\nclass = "singletns"\n'
    )
    code, out, err = fedpact("check", str(path), "--json")
    problems = json.loads(out)["problems"]
    assert code == 1
    assert err.splitlines() == [f"error: {problem}" for problem in problems]
    for words in ("delta must lie", "agent 'a': cost", "agent 'a': distribution must sum to 1", "did you mean"):
        assert any(words in problem for problem in problems), words


def test_examples_are_listed_and_saved(fedpact, tmp_path):
    code, out, _ = fedpact("examples", "--json")
    assert code == 0
    assert [entry["name"] for entry in json.loads(out)] == list(fp.examples.CATALOGUE)
    assert fedpact("examples")[0] == 0
    code, out, _ = fedpact("examples", "alice_bob(0.05)", "--save", str(tmp_path / "ab.json"))
    assert code == 0
    assert "Source: " in out
    assert fp.load(tmp_path / "ab.json").epsilon.tolist() == [0.05, 0.05]


def test_frontier_prints_one_row_per_value(fedpact, tmp_path):
    code, out, _ = fedpact("frontier", ALICE_BOB, "--delta", "0.4, 0.1,0.02", "--plot", str(tmp_path / "f.svg"))
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines() if line.startswith(" ")] == [
        ["0.02", "6", "6"], ["0.1", "4", "4"], ["0.4", "2", "2"],
    ]  # fmt: skip
    assert (tmp_path / "f.svg").read_text().startswith("<?xml")


def test_frontier_without_values_looks_around_the_federation(fedpact):
    code, out, _ = fedpact("frontier", ALICE_BOB, "--json")
    curve = fp.Frontier.from_dict(json.loads(out))
    assert code == 0
    assert curve.axis == "epsilon"
    assert [point.value for point in curve.points] == [0.05, 0.075, 0.1, 0.15, 0.2, 0.3]


def test_frontier_shows_where_no_plan_exists(fedpact, tmp_path):
    fp.Federation.from_table(
        fp.planning.classes.all_labelings(2), [[0.5, 0.5]], epsilon=0.1, delta=0.05, capacity=5, names=["alice"]
    ).save(tmp_path / "fed.toml")
    code, out, _ = fedpact("frontier", str(tmp_path / "fed.toml"), "--delta", "0.01,0.2")
    assert code == 0
    assert "No plan exists: even with everybody at capacity, alice still misses the target;" in out


def test_prices_name_who_drives_the_cost(fedpact):
    code, out, _ = fedpact("prices", "price-of-stability(1/16)")
    assert code == 0
    (row,) = [line.split() for line in out.splitlines() if line.startswith("alice")]
    assert row[:4] == ["alice", "0.0625", "100%", "0.125"]
    assert float(row[4]) == pytest.approx(11.59, abs=0.01)
    assert "1 of 2 agents would save nothing with a larger epsilon of its own alone." in out
    assert "Half the delta would cost about 5.2 more" in out


def test_a_file_with_many_problems_says_where_all_are_listed(fedpact, tmp_path):
    file = tmp_path / "my keys.toml"
    file.write_text("delta = 2\nepsilom = 0.1\n")
    _, _, err = fedpact("plan", str(file))
    assert re.search(r"\(and \d more problems?\); all are listed by fedpact check '.*my keys.toml'\n$", err)
    code, _, every = fedpact("check", str(file))
    assert code == 1
    assert len(every.splitlines()) > 1


def test_prices_json_is_the_dictionary_of_the_result(fedpact):
    code, out, _ = fedpact("prices", ALICE_BOB, "--json")
    assert code == 0
    assert json.loads(out) == fp.planning.shadow_prices(fp.load(ALICE_BOB)).to_dict()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["verify", "nowhere.toml", "--m", "1"], "no such file", id="missing file"),
        pytest.param(["plan", ""], "error: '' is neither a file nor an example", id="empty name"),
        pytest.param(["plan", "."], "error: .: this is a directory; name a federation file in it", id="directory"),
        pytest.param(["verify", "alice-rob", "--m", "1"], "did you mean 'alice-bob'?", id="unknown example"),
        pytest.param(["verify", ALICE_BOB, "--m", "1"], "1 for 2 agents", id="short m"),
        pytest.param(
            ["verify", ALICE_BOB, "--m", "1,-2"], "agent 'bob': m must be a whole number", id="negative m"
        ),
        pytest.param(["verify", ALICE_BOB, "--m", "1,nan"], "agent 'bob': m must be a number", id="nan m"),
        pytest.param(["verify", ALICE_BOB, "--m", "1,x"], "agent 'bob': m must be a number", id="word m"),
        pytest.param(["verify", ALICE_BOB, "--m", "alice=1,2"], "give each one number", id="mixed m"),
        pytest.param(["verify", ALICE_BOB, "--m", "alice=1,alice=2"], "give each one number", id="twice m"),
        pytest.param(["verify", ALICE_BOB, "--m", "alic=1"], "did you mean 'alice'?", id="misspelt m"),
        pytest.param(["verify", ALICE_BOB, "--m", "1,1", "--how", "magic"], "how must be one of", id="how"),
        pytest.param(["verify", ALICE_BOB, "--m", "1,1", "--draws", "1"], "draws must lie between 2", id="draws"),
        pytest.param(["verify", ALICE_BOB, "--m", "1,1", "--seed", "-1"], "seed must be", id="seed"),
        pytest.param(["plan", ALICE_BOB, "--plot", "x.txt"], "plot must be a file that ends in", id="plot ending"),
        pytest.param(["plan", ALICE_BOB, "--plot", "no/x.png"], "plot cannot be written", id="plot folder"),
        pytest.param(["plan", ALICE_BOB, "--time-limit", "-1"], "time_limit must be 0 or more", id="time"),
        pytest.param(["plan", ALICE_BOB, "--max-nodes", "-1"], "max_nodes must be 0 or more", id="nodes"),
        pytest.param(
            ["frontier", ALICE_BOB, "--epsilon", ","], "must be a list separated by commas", id="no values"
        ),
        pytest.param(["frontier", ALICE_BOB, "--epsilon", "0.1,x"], "epsilon must be a number", id="word"),
        pytest.param(
            ["frontier", ALICE_BOB, "--epsilon", "0.1", "--delta", "0.1"], "one of the three", id="both axes"
        ),
        pytest.param(["compare", "alice-rob"], "did you mean 'alice-bob'?", id="compare what"),
        pytest.param(["check", str(EXAMPLES)], "this is a directory", id="folder"),
        pytest.param(["examples", "--save", "x.toml"], "save needs the name of an example", id="save what"),
        pytest.param(
            ["examples", "alice-bob", "--save", "x.txt"], "must end in .toml or .json", id="save as text"
        ),
    ],
)
def test_bad_requests_are_one_line_and_exit_1(fedpact, words, message):
    code, _, err = fedpact(*words)
    assert code == 1
    assert len(err.splitlines()) == 1
    assert err.startswith("error: ")
    assert message in err


def test_nothing_is_unpickled(fedpact, tmp_path):
    np.save(tmp_path / "evil.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    path = tmp_path / "evil.toml"
    path.write_text('delta = 0.1\nepsilon = 0.1\n[[agents]]\nname = "a"\npredictions = "evil.npy"\n')
    code, _, err = fedpact("check", str(path))
    assert code == 1
    assert "agent 'a': predictions: " in err
    assert "without pickle" in err


@pytest.mark.parametrize("words", [["verify", ALICE_BOB], ["plan-it"], ["verify", "--m"]])
def test_wrong_usage_exits_2(fedpact, words):
    assert fedpact(*words)[0] == 2


@pytest.mark.parametrize("command", ["demo", "check", "plan", "verify", "compare", "examples"])
def test_help_has_an_example(fedpact, command):
    code, out, _ = fedpact(command, "--help")
    assert code == 0
    assert f"Example: fedpact {command}" in " ".join(out.split())


def test_version_and_module_entry():
    ran = subprocess.run(
        [sys.executable, "-m", "fedpact", "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == f"fedpact {fp.__version__}\n"


NORTH, SOUTH = '[[agents]]\nname = "north"\ncost = 2\n', '[[agents]]\nname = "[south]"\ncapacity = 9\n'
TERMS = f"delta = 0.05\nepsilon = 0.1\n{NORTH}{SOUTH}"


def test_a_file_without_evidence_is_checked_as_the_terms_of_a_run(fedpact, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "our network.toml").write_text(TERMS)
    code, out, err = fedpact("check", "our network.toml")
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert rows[3] == ["north", "0.1", "2", "per", "sample", "no", "limit"]
    assert rows[4] == ["[south]", "0.1", "1", "per", "sample", "9"]
    assert "the sites are still to report their data" in out
    assert "Start it with: fedpact run 'our network.toml' --sites FOLDER" in out
    assert out.endswith("--engine flower --superlink HOST:PORT\n")
    assert "hypotheses" not in out
    code, out, _ = fedpact("check", "our network.toml", "--json")
    found = json.loads(out)
    assert (code, found["problems"], found["describes"]["hypotheses"]) == (0, [], 0)
    assert found["describes"].keys() == fp.planning.summarise(fp.examples.alice_bob()).to_dict().keys()


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        (("epsilon = 0.1", "epsilon = 2"), 1),
        (("cost = 2", "cots = 2"), 1),
        (("cost = 2", "distribution = {a = 1}"), 2),
        (("[[agents]]", "[hypotheses]\nclass = 'thresholds'\n[[agents]]"), 2),
    ],
    ids=["target", "unknown-key", "half-the-evidence", "hypotheses"],
)
def test_terms_that_are_wrong_are_refused(fedpact, tmp_path, change, problems):
    (tmp_path / "network.toml").write_text(TERMS.replace(*change, 1))
    code, out, err = fedpact("check", str(tmp_path / "network.toml"))
    assert (code, out) == (1, "")
    assert len(err.splitlines()) >= problems
    if "hypotheses" not in change[1] and "distribution" not in change[1]:
        assert "distribution" not in err
        assert len(err.splitlines()) == problems


ASSUMED = (["--noise", "0.05"], ["--assume", "agnostic"], ["--assume", "noisy", "--noise", "0.1"])
ASKED = (["plan"], ["compare"], ["verify", "--m", "400,400"], ["game"], ["pay"], ["share"])


@pytest.mark.parametrize("assumed", ASSUMED)
@pytest.mark.parametrize("words", ASKED)
def test_what_is_assumed_of_labels_is_asked_for_and_said(fedpact, words, assumed):
    command, *options = words
    code, out, err = fedpact(command, ALICE_BOB, *options, *assumed, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["assume"] == ("agnostic" if "agnostic" in assumed else "noisy")
    _, out, _ = fedpact(command, ALICE_BOB, *options, *assumed)
    assert ("Nothing is assumed" if "agnostic" in assumed else "each label is wrong with probability 0.") in out


def test_frontier_over_noise_and_at_one(fedpact):
    code, out, _ = fedpact("frontier", ALICE_BOB, "--noise", "0,0.1", "--json")
    curve = json.loads(out)
    assert (code, curve["axis"], [point["value"] for point in curve["points"]]) == (0, "noise", [0.1, 0.0])
    code, out, _ = fedpact("frontier", ALICE_BOB, "--noise", "0.1", "--delta", "0.1,0.2", "--json")
    assert (code, json.loads(out)["axis"], json.loads(out)["noise"]) == (0, "delta", 0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "--noise", "0.5"], "noise must"),
        (["plan", "--noise", "much"], "noise must"),
        (["audit", "--noise", "0.1", "--assume", "agnostic"], "noise is for assume 'noisy'"),
        (["compare", "--assume", "hopeful"], "assume must be"),
        (["plan", "--noise", "0.1", "--method", "exact"], "method 'exact' is proved for assume 'realizable' only"),
        (
            ["verify", "--m", "1,1", "--noise", "0.1", "--how", "exact"],
            "method 'exact' is for assume 'realizable'",
        ),
    ],
)
def test_what_cannot_be_assumed_is_one_line_and_exit_1(fedpact, words, said):
    code, _, err = fedpact(words[0], ALICE_BOB, *words[1:])
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith(f"error: {said}")
