"""Whoever needs an extra that is not installed is told the line that installs it, and nothing else."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from core_only import COMMANDS, FUNCTIONS

ROOT = Path(__file__).parent.parent
WANTED = COMMANDS | FUNCTIONS


@pytest.fixture(scope="module")
def answers():
    """With everything hidden but the core, in a process of its own."""
    words = [sys.executable, str(ROOT / "tests" / "core_only.py"), "--hide"]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout)


@pytest.mark.parametrize(("asked", "extra"), WANTED.items(), ids=WANTED)
def test_a_missing_extra_is_named_with_its_line(answers, asked, extra):
    code, said = answers[asked]
    line = rf'error: .* needs an optional package; install it with: pip install "fedpact\[{extra}\]"\n'
    assert re.fullmatch(line, said), said
    assert code == 1


def test_nothing_is_written_before_it_is_said(answers):
    assert answers["files left behind"][0] == 0


def test_what_needs_no_extra_is_answered_without_any(answers):
    assert answers["failed alone"][0] == {}


def test_every_extra_that_is_named_exists_and_is_asked_for():
    source = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r'(?:MissingExtraError|require_package)\([^)]*extra="([a-z]+)"', source))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert named <= extras.keys()
    # psycopg is asked for after SQLAlchemy, so that a core install names "protocol" first.
    assert named - set(WANTED.values()) == {"postgresql"}
