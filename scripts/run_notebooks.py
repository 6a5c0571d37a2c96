"""Run the notebooks in docs/notebooks and keep what they show; ``--check`` compares it with what they show now.

Every text and table has to be the same again, digit for digit, but for hashes and keys, which are drawn anew in
every run; a picture only has to be there.

    python scripts/run_notebooks.py [--check] [NAME ...]
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SECONDS = 300
_DIGEST = re.compile(r"\b[0-9a-f]{12,}\b")


def _tidy(output: Any) -> Any:
    """Leave out what a reader does not see: metadata, and plain text where there is HTML."""
    if "metadata" in output:
        output.metadata = {}
    if "text/html" in output.get("data", {}):
        output.data.pop("text/plain", None)
    return output


def run(path: Path) -> Any:
    """Run a notebook in an empty folder; returns it with its new outputs and nothing else that may change."""
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder, TemporaryDirectory() as profile:
        settings = {"timeout": SECONDS, "kernel_name": "python3", "coalesce_streams": True}
        client = NotebookClient(notebook, resources={"metadata": {"path": folder}}, **settings)
        client.execute(env=os.environ | {"IPYTHONDIR": profile})
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [_tidy(output) for output in cell.outputs]
    return notebook


def _say(output: Any) -> dict[str, str]:
    """Return what an output says: kind -> text, of a picture only that there is one."""
    data = {output.get("name", output.output_type): output.text} if "text" in output else output.get("data", {})
    return {
        kind: "a picture" if kind.startswith("image/") else _DIGEST.sub("(hash)", text)
        for kind, text in data.items()
    }


def differences(old: Any, new: Any) -> list[str]:
    """List the cells that show something else than they did, with both."""
    found = []
    for place, (before, after) in enumerate(zip(old.cells, new.cells, strict=True), 1):
        shown = [[_say(output) for output in cell.get("outputs", [])] for cell in (before, after)]
        if shown[0] != shown[1]:
            found.append(f"cell {place}:\n{before.source}\nshowed {shown[0]}\nand now {shown[1]}")
    return found


def main() -> int:
    """Run what is named, or everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="all notebooks if none is named")
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    given = parser.parse_args()
    wrong = []
    for path in sorted(FOLDER.glob("*.ipynb")):
        if given.names and path.stem not in given.names:
            continue
        notebook = run(path)
        if given.check:
            wrong += [f"{path.name}, {one}" for one in differences(nbformat.read(path, as_version=4), notebook)]
        else:
            nbformat.write(notebook, path)
    sys.stderr.writelines(f"{one}\n\n" for one in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
