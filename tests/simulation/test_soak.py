"""A few runs of the soak, in a process of its own since it forks; what it would notice; and its page."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import results_pages
from simulation.soak.page import write_page
from simulation.soak.sum_up import sum_up

ROOT = Path(__file__).parents[2]
_WITH_A_BUG = """
import sys
from fedpact.protocol.operator import operator
operator._sign = lambda draft, key: draft
from simulation.soak.__main__ import main
sys.exit(main())
"""


def soak(folder, *words, how=("-m", "simulation.soak")):
    """Run the program; returns its exit code and what it printed."""
    paths = os.pathsep.join([str(ROOT / name) for name in ("tests", "scripts", "src")])
    command = [sys.executable, *how, "--folder", str(folder), *words]
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, env={**os.environ, "PYTHONPATH": paths}
    )
    assert found.returncode in (0, 1), found.stderr[-2_000:]
    return found.returncode, found.stdout


@pytest.mark.slow
def test_runs_that_are_killed_hold(tmp_path):
    code, said = soak(tmp_path, "--first", "7", "--count", "3", "--workers", "2")
    results = json.loads(said)
    assert (code, results["failed"], results["runs"], results["compared"]) == (0, [], 3, 3)
    assert results["kills"] >= 4
    assert not list((tmp_path / "runs").iterdir())


@pytest.mark.slow
def test_a_run_that_fails_says_how_to_run_it_alone(tmp_path):
    """Statements that nobody signs are noticed."""
    code, said = soak(tmp_path, "--first", "3", "--count", "1", "--workers", "1", how=("-c", _WITH_A_BUG))
    assert code == 1
    assert "again, alone: make soak SEED=3" in said
    assert "is not signed" in said
    assert (tmp_path / "runs" / "3" / "home").is_dir()


def answer(seed, **changes):
    counts = {
        "entries": 20,
        "plans": 1,
        "gone": 0,
        "refusals": 2,
        "withheld": 0,
        "paid": 3,
        "lives": 4,
        "processor": 1.5,
    }
    same = {"status": "FINISHED", "compared": True, "store": "SQLite", "seconds": 2.0 + seed, "process": 1}
    found = {
        "counts": {"killed after a write": 2, "full disk": 1},
        "wrong": {"late": 1},
        "memory_kb": 1024 * (100 + seed),
    }
    return {"seed": seed, **counts, **same, **found, **changes}


@pytest.mark.flower
def test_runs_are_added_up():
    found = sum_up([answer(seed) for seed in range(30)] + [{"seed": 30, "why": "it fell over"}], "make soak")
    assert (found["runs"], found["kills"], found["operators"], found["processor"]) == (31, 60, 120, 45)
    assert found["failed"] == [{"seed": 30, "why": "it fell over"}]
    assert found["memory"] == {"runs": 30, "warm": 20, "warm_mb": 119.0, "last_mb": 129.0}
    assert found["seconds"] == {"mean": 16.5, "longest": 31.0}
    page = write_page(found)
    assert "- 1 runs failed\n- seed 30: it fell over" in page
    assert "| operators killed after a write | 60 |" in page
    assert "| sites that are slow | 30 |" in page


def test_what_is_kept_is_of_a_thousand_runs_that_all_held():
    results = results_pages.read("soak")
    assert (results["runs"], results["failed"]) == (1_000, [])
    assert "every ledger verified, all books added up, nobody was paid twice" in write_page(results)
