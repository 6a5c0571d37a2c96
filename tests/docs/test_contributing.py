"""The recipes of CONTRIBUTING.md, followed in a copy of the repository.

A ``python`` block whose first line is ``# PATH`` is a new file; one with ``# in PATH, above WORD`` stands above
the line that begins with that word. A ``diff`` block replaces its lines with "-" and " " by those with "+"
and " ". Lines of ``sh`` are run.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pages import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text()
RECIPES = dict(re.findall(r"^## Add an? ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL))


def follow_block(language, text, folder):
    """Do what one block says."""
    first, _, rest = text.partition("\n")
    if language == "sh":
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        env = os.environ | {"PYTHONPATH": str(folder / "src"), "PATH": path}
        for line in text.splitlines():
            done = subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, text=True)
            assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    elif above := re.fullmatch(r"# in (\S+), above (.+)", first):
        file = folder / above[1]
        before, after = re.split(rf"^(?={re.escape(above[2])})", file.read_text(), flags=re.MULTILINE)
        file.write_text(f"{before}{rest.rstrip()}\n\n\n{after}")
    elif language == "python":
        file = folder / first.removeprefix("# ")
        assert not file.exists()
        file.write_text(rest)
    else:
        assert language == "diff"
        file, lines = folder / first.removeprefix("# "), rest.splitlines()
        before, after = ("".join(f"{one[1:]}\n" for one in lines if one[0] in kept) for kept in (" -", " +"))
        assert file.read_text().count(before) == 1, f"{file} has no place for\n{rest}"
        file.write_text(file.read_text().replace(before, after))


@pytest.mark.slow
@pytest.mark.docs
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works_as_it_is_written(name, tmp_path):
    for folder in ("src", "tests", "examples", "docs", "scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", RECIPES[name], flags=re.MULTILINE | re.DOTALL)
    assert blocks
    for language, text in blocks:
        follow_block(language, text, tmp_path)
    source = [line for _, text in blocks for line in re.findall(r"^# (?:in )?(src/[^\s,]+\.py)", text)]
    lint = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), *set(source)]
    assert subprocess.run(lint, cwd=tmp_path, check=False).returncode == 0


def test_every_extension_point_has_a_recipe():
    assert set(RECIPES) == {"cost function", "payment rule", "planner", "kind of evidence"}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/explanation/architecture.md"])
def test_a_file_that_a_page_names_exists(page):
    prose = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    made = {Path(name).stem for name in re.findall(r"^# (\S+\.py)$", PAGE, flags=re.MULTILINE)}
    named = [
        name for name in re.findall(r"`([\w/]+\.(?:py|toml|md))`", prose) if not any(one in name for one in made)
    ]
    places = (ROOT, ROOT / "src" / "fedpact", ROOT / "tests")
    assert [name for name in named if not any((place / name).exists() for place in places)] == []
