"""A planner is added by one file and one line of the table, and everything knows it then (CONTRIBUTING.md)."""

import os
import subprocess
import sys

import pytest

import fedpact as fp
from fedpact.planning import methods
from fedpact.planning.methods import PLANNERS, Planner

FILE = '''
"""Everybody gives what it needs alone."""

import numpy as np

from fedpact.planning.result import Proof
from fedpact.planning.task import Draft, Task
from fedpact.statistics.standalone import standalone


def plan_alone(task: Task) -> Draft:
    """Plan."""
    return Draft(m=np.array(list(standalone(task.fed).values())), proved_by=Proof.ENGINE)
'''
LINE = Planner("plan_alone:plan_alone", "Everybody gives what it needs alone.")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the new planner's file, which is in the table."""
    (tmp_path / "plan_alone.py").write_text(FILE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(PLANNERS, "everyone", LINE)
    yield tmp_path
    sys.modules.pop("plan_alone", None)


def test_a_new_planner_is_planned_by_checked_and_compared(folder):
    fed = fp.examples.alice_bob()
    found = fp.plan(fed, "everyone")
    assert (found.contributions, found.method, found.chosen) == ({"alice": 14, "bob": 14}, "everyone", "everyone")
    assert fp.verify(fed, found.m).is_feasible
    assert "everyone" in str(found)
    row = fp.compare(fed).row("everyone")
    assert (row.cost, row.is_feasible, row.lower_bound) == (28, True, 5)
    assert [point.plan.cost for point in fp.frontier(fed, delta=[0.05, 0.4], method="everyone").points] == [28, 10]


def test_a_new_planner_is_in_the_list_of_an_error(folder):
    with pytest.raises(fp.FederationError, match=r"method must be one of .*auto, .*, everyone; it is 'nobody'"):
        fp.plan(fp.examples.alice_bob(), "nobody")


def test_the_command_line_knows_a_new_planner(folder):
    line = "PLANNERS['everyone'] = Planner('plan_alone:plan_alone', '')"
    code = f"from fedpact.planning.methods import *\n{line}\nfrom fedpact.cli import main\nmain()"
    env = os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "200"}
    for words, seen in ((["--help"], "everyone"), (["alice-bob", "--method", "everyone"], "28")):
        command = [sys.executable, "-c", code, "plan", *words]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=60)
        assert seen in done.stdout


def test_a_planner_that_needs_the_joint_structure_says_so(folder, monkeypatch):
    monkeypatch.setitem(PLANNERS, "everyone", Planner(LINE.home, "", needs_joint=True))
    with pytest.raises(fp.FederationError, match="method 'everyone' needs the joint structure"):
        methods.read_planner("everyone", has_joint=False)


def test_every_planner_of_the_table_is_there_and_promises_something():
    fed = fp.examples.alice_bob()
    for name, planner in PLANNERS.items():
        assert fp.plan(fed, name).method == name
        assert planner.promise
