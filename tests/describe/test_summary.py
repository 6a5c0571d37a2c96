"""A federation, or its file, in a few lines."""

import json

import numpy as np
import pytest

import fedpact as fp
from fedpact.describe.summary import check, summarise
from fedpact.explain.federation import say_evidence

TARGETS = {"epsilon": 0.1, "delta": 0.05}
ROWS = {"alice": [[0, 0, 1], [0, 1, 1]], "bob": [[0, 0], [1, 1]]}
EVIDENCE = {
    "table": (lambda: fp.examples.alice_bob(), "a table of 2 points"),
    "predictions": (
        lambda: fp.Federation.from_predictions(ROWS, **TARGETS),
        "predictions on 2 to 3 points of each agent",
    ),
    "reports": (
        lambda: fp.Federation.from_reports(
            [fp.Report(name=f"site {n}", n=n, n_classes=2, counts=np.array([1])) for n in (9, 4)], **TARGETS
        ),
        "reports of pairwise disagreements on 4 to 9 points of each agent",
    ),
}


@pytest.mark.parametrize(("build", "words"), EVIDENCE.values(), ids=EVIDENCE)
def test_the_evidence_is_told_in_words(build, words):
    summary = summarise(build())
    assert say_evidence(summary) == words
    assert summary.evidence in words


def test_hypotheses_that_nobody_can_tell_apart_are_counted_once():
    seen = summarise(fp.Federation.from_table([[0, 0], [0, 1], [0, 1]], [[0.5, 0.5]], **TARGETS))
    assert (seen.H, seen.H_given) == (2, 3)
    assert (seen.to_dict()["hypotheses"], seen.to_dict()["hypotheses_given"]) == (2, 3)


def test_a_summary_is_plain_values():
    fed = fp.Federation.from_table(
        [[0, 0], [0, 1]],
        [[0.5, 0.5], [1, 0]],
        cost=[2, {"quadratic": [1, 3]}],
        capacity={"agent-1": 7, "agent-2": None},
        **TARGETS,
    )
    entry = summarise(fed).to_dict()
    assert json.loads(json.dumps(entry)) == entry
    assert [agent["capacity"] for agent in entry["agents"]] == [7, None]
    assert [agent["cost"] for agent in entry["agents"]] == [2.0, {"quadratic": [1.0, 3.0]}]


def test_a_file_is_described_or_all_its_problems_are(tmp_path):
    path = tmp_path / "network.json"
    fp.examples.alice_bob().save(path)
    assert check(path).problems == ()
    assert check(path).to_dict()["describes"] == summarise(fp.examples.alice_bob()).to_dict()
    entry = json.loads(path.read_text())
    path.write_text(json.dumps(entry | {"delta": 2, "epsilon": -1, "deltaa": 0}))
    broken = check(path)
    assert broken.summary is None
    assert len(broken.problems) >= 2
    assert all(problem.startswith(str(path)) for problem in broken.problems)
    assert broken.to_dict()["describes"] is None


def terms(tmp_path, **changes):
    agents = [{"name": "alice"}, {"name": "bob", "cost": 2}]
    path = tmp_path / "terms.json"
    path.write_text(json.dumps({"name": "run", **TARGETS, "agents": agents} | changes))
    return path


def test_the_terms_of_a_run_are_described_before_anybody_reported(tmp_path):
    seen = check(terms(tmp_path))
    assert seen.problems == ()
    assert not seen.summary.has_evidence
    assert summarise(fp.examples.alice_bob()).has_evidence
    assert [agent.name for agent in seen.summary.agents] == ["alice", "bob"]
    assert (seen.summary.name, seen.summary.H, seen.summary.delta) == ("run", 0, 0.05)


@pytest.mark.parametrize(
    "changes",
    [
        {"agents": []},
        {"agents": [{"name": "alice"}, "bob"]},
        {"agents": [{"name": "alice"}, {"name": "bob", "predictions": "none.npy"}]},
        {"hypotheses": {"names": ["p", "q"]}},
    ],
    ids=str,
)
def test_a_broken_file_is_not_taken_for_terms(tmp_path, changes):
    assert check(terms(tmp_path, **changes)).summary is None


def test_what_is_no_file_has_a_problem(tmp_path):
    assert check(tmp_path / "none.toml").summary is None
    (tmp_path / "text.toml").write_text("this is no toml")
    assert len(check(tmp_path / "text.toml").problems) == 1
