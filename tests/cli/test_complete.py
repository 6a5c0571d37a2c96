"""A real shell completes what is begun."""

import os
import shlex
import stat
import subprocess
import sys

import pytest

import fedpact as fp
from fedpact.cli import complete
from fedpact.cli.complete import METHODS, complete_federations
from fedpact.describe.settings import ASSUMPTIONS
from fedpact.mechanism.payment.rules import RULES
from fedpact.planning.methods import PLANNERS
from fedpact.protocol.pact import RUN_RULES


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """What bash offers for a line whose last word is begun, in a folder with a federation in it."""
    folder = tmp_path_factory.mktemp("shell")
    program = folder / "fedpact"
    program.write_text(f"#!{sys.executable}\nfrom fedpact.cli import main\nmain()\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    fp.examples.alice_bob().save(folder / "planned.toml")
    (folder / "plans").mkdir()
    (folder / "plans.txt").touch()
    env = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    words = [program, "--show-completion", "bash"]
    named = env | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # whichever shell runs the tests
    script = subprocess.run(words, env=named, capture_output=True, text=True, check=True).stdout

    def complete(line):
        words = shlex.join(line.split(" "))
        asked = f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _fedpact_completion fedpact"
        code = f"{script}\n{asked}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(
            ["bash", "-c", code], env=env, cwd=folder, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return done.stdout.split()

    return complete


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("fedpact pl", ["plan"]),
        ("fedpact ledger ver", ["verify"]),
        ("fedpact plan pl", ["planned.toml", "plans/"]),
        ("fedpact plan ./pl", ["./planned.toml", "./plans/"]),
        ("fedpact plan alice", ["alice-bob"]),
        ("fedpact plan alice-bob --meth", ["--method"]),
        ("fedpact plan alice-bob --method e", ["exact"]),
        ("fedpact pay alice-bob --rule vcg", ["vcg", "vcg-verified"]),
        ("fedpact select alice-bob --assume a", ["agnostic"]),
        ("fedpact select alice-bob --how i", ["implied-free"]),
        ("fedpact run alice-bob --engine fl", ["flower", "flower-sim"]),
    ],
)
def test_bash_completes(shell, line, offered):
    assert shell(line) == offered


def test_every_example_is_offered_and_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [fp.examples.find(name).name for name in complete_federations("")] == list(fp.examples.CATALOGUE)


def test_all_methods_and_rules_are_offered():
    assert complete.ASSUMPTIONS == ASSUMPTIONS
    assert set(METHODS) == set(PLANNERS)
    assert tuple(RULES) == complete.RULES
    assert complete.RUN_RULES == RUN_RULES


@pytest.mark.parametrize("method", METHODS)
def test_a_method_that_is_offered_plans(method):
    assert fp.plan(fp.examples.alice_bob(), method).method


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_is_offered_pays(fedpact, rule):
    ceiling = ["--ceiling", "2"] if rule == "threshold" else []
    assert fedpact("pay", "alice-bob", "--rule", rule, *ceiling)[0] == 0
