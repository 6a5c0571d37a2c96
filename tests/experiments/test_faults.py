"""Many worlds, and what is said of them."""

import json
from pathlib import Path

import pytest

import fedpact as fp
from fedpact.experiments import faults as module
from fedpact.experiments.faults_page import FAILED, PASSED
from fedpact.protocol.operator import operator
from mutate import mutate

KEPT = Path(__file__).parents[2] / "docs" / "results" / "faults.json"


@pytest.fixture
def run(tmp_path):
    def run(seeds=3, **options):
        changes = {"first": options.pop("first", 0)}
        options = {"store": tmp_path, "workers": 1} | options
        return fp.experiments.reproduce("faults", seeds=seeds, changes=changes, **options)

    return run


def test_worlds_are_added_up(run, monkeypatch):
    monkeypatch.setattr(module, "_WORLDS", 4)
    done = []
    seen = run(10, first=5, progress=lambda *counts: done.append(counts))
    assert done == [(0, 3), (1, 3), (2, 3), (3, 3)]
    results = seen.results
    worlds = [fp.protocol.simulate_world(seed) for seed in range(5, 15)]
    assert results["worlds"] == sum(results["ended"].values()) == 10
    assert results["runs"] == sum(world.runs for world in worlds)
    assert results["entries"] == sum(world.entries for world in worlds)
    assert results["seconds"] == pytest.approx(sum(world.seconds for world in worlds))
    assert results["tally"]["paid"] == sum(world.tally["paid"] for world in worlds) > 10
    assert (results["failed"], seen.conclusions[0]) == ([], PASSED)
    assert "SQLAlchemy" in seen.versions


def test_other_worlds_have_another_digest(run):
    first, same, other = run(2), run(2, fresh=True), run(2, first=2)
    assert first.results == same.results
    assert first.results["digest"] != other.results["digest"]


def test_a_failed_world_is_named_and_the_others_go_on(run, monkeypatch):
    mutate(monkeypatch, operator, 'if kind != "pay" or key is None:', "if True:")
    seen = run()
    assert seen.results["worlds"] == 3
    assert [one["seed"] for one in seen.results["failed"]] == [0, 1, 2]
    assert "is not signed" in seen.results["failed"][0]["why"]
    assert seen.conclusions[0] == FAILED
    assert seen.conclusions[1].startswith("seed 0: InvariantError: the statement of")
    again = fp.experiments.Reproduction.from_dict(json.loads(json.dumps(seen.to_dict())))
    assert again.conclusions == seen.conclusions


def test_another_program_is_tried_anew(run, monkeypatch):
    tried = []
    simulate = fp.protocol.simulate_world
    monkeypatch.setattr(fp.protocol, "simulate_world", lambda seed: tried.append(seed) or simulate(seed))
    run(2)
    run(2)
    assert tried == [0, 1]
    monkeypatch.setattr("fedpact.experiments.sweep.reproduce.digest_source", lambda: "another")
    run(2)
    assert tried == [0, 1, 0, 1]


def test_what_happened_is_drawn(run):
    seen = run(1)
    axes = seen.plot().axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    lengths = dict(zip(labels, (bar.get_width() for bar in axes.patches), strict=True))
    assert lengths["plans"] == seen.results["tally"]["plans"] > 0


@pytest.mark.parametrize(("options", "said"), [({"seeds": 0}, "seeds must"), ({"first": -1}, "first must")])
def test_what_cannot_be_simulated_is_said(run, options, said):
    with pytest.raises(fp.FederationError, match=said):
        run(**options)


def test_no_world_that_is_kept_failed():
    kept = fp.experiments.Reproduction.from_dict(json.loads(KEPT.read_text()))
    assert (kept.results["worlds"], kept.results["failed"]) == (20_000, [])
    assert kept.conclusions[0] == PASSED
