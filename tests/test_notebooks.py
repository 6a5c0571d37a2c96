"""Every notebook in docs/notebooks runs, and shows again what it shows."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
pytestmark = pytest.mark.docs
ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "scripts" / "run_notebooks.py"
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))}
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS.values(), ids=NOTEBOOKS)


def test_there_are_three():
    assert set(NOTEBOOKS) == {"the-whole-story", "a-researchers-playground", "a-sites-view"}


@each_notebook
def test_it_shows_again_what_it_shows(path):
    done = subprocess.run([sys.executable, SCRIPT, "--check", path.stem], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@each_notebook
def test_it_keeps_its_outputs_and_nothing_that_changes_from_run_to_run(path):
    entry = json.loads(path.read_text())
    assert set(entry["metadata"]) == {"kernelspec", "language_info"}
    code = [cell for cell in entry["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert all(cell["metadata"] == {} for cell in entry["cells"])
    assert sum(bool(cell["outputs"]) for cell in code) > len(code) / 2
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"display_data", "execute_result", "stream"}
    assert all(output["name"] == "stdout" for output in outputs if output["output_type"] == "stream")


@each_notebook
def test_its_links_lead_somewhere(path):
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert all((path.parent / link).exists() for link in links)
