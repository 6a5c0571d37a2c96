"""Many worlds, and what is said of them."""

import sys

import pytest

import results_pages
from mutate import mutate
from simulation import __main__ as program
from simulation.page import FAILED, PASSED, write_page
from simulation.simulate_world import simulate_world

UNSIGNED = "operator.operator:_sign", ("kind != 'pay' or key is None", "True")


@pytest.fixture
def faults(tmp_path, monkeypatch, capsys):
    """Run the program in this folder: its exit code, and what it printed."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["faults", "--folder", str(tmp_path), "--workers", "1", *words])
        return program.main(), capsys.readouterr().out

    return run


def test_worlds_are_added_up():
    worlds = [simulate_world(seed) for seed in range(5, 9)]
    found = program.sum_up([program.run_world(seed) for seed in (8, 5, 7, 6)], "make faults")
    results = found["results"]
    assert results["worlds"] == sum(results["ended"].values()) == 4
    assert results["runs"] == sum(world.runs for world in worlds)
    assert results["entries"] == sum(world.entries for world in worlds)
    assert results["seconds"] == pytest.approx(sum(world.seconds for world in worlds))
    assert results["tally"]["paid"] == sum(world.tally["paid"] for world in worlds) > 4
    assert results["digest"] == program._digest([world.head for world in worlds])
    assert f"- {PASSED}" in write_page(found)


def test_worlds_that_held_are_remembered(faults, monkeypatch):
    code, said = faults("--first", "2", "--count", "2")
    assert (code, said.splitlines()[0]) == (0, PASSED)
    monkeypatch.setattr(program, "run_world", None)
    assert faults("--first", "2", "--count", "2") == (0, said)


def test_a_failed_world_is_named_and_told(faults, monkeypatch):
    mutate(monkeypatch, *UNSIGNED)
    code, said = faults("--count", "2")
    assert (code, said.count("is not signed")) == (1, 4)
    assert FAILED in said
    assert "again, alone: make faults SEED=1" in said
    code, said = faults("--seed", "1")
    assert code == 1
    assert "server 1 starts" in said
    assert "seed 1: InvariantError: the statement of" in said


def test_a_world_is_told_line_by_line(faults):
    code, said = faults("--seed", "3")
    seen = simulate_world(3)
    assert code == 0
    assert said.splitlines()[:-1] == list(seen.events)
    assert seen.head[:16] in said


def test_no_world_that_is_kept_failed():
    kept = results_pages.read("faults")["results"]
    assert (kept["worlds"], kept["failed"]) == (20_000, [])
