"""Measure which lines and branches of the five layers that hold the mathematics their tests run.

    python scripts/measure_coverage.py

Runs the tests of these layers and of what is built on them directly, writes docs/results/test-coverage.json and
its page, prints the page's table, and ends with 1 if a test fails or a layer is below 95% of its branches: of the
ways in which the code can go on where there are several.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from coverage_page import branch_share, write_table
from results_pages import keep

ROOT = Path(__file__).parent.parent
LAYERS = ("describe", "statistics", "planning", "game", "mechanism")
ALSO = ("coalition", "comparison")
LIMIT = 0.95
COUNTS = {
    "lines": "num_statements",
    "lines_run": "covered_lines",
    "branches": "num_branches",
    "branches_run": "covered_branches",
}
Row = dict[str, Any]


def run_tests() -> bool:
    """Run the tests with coverage in every process, and bring what they saw together."""
    folders = [f"{root}/{layer}" for layer in LAYERS + ALSO for root in ("tests", "src/fedpact")]
    spread = ["-n", "auto", "--dist", "loadscope", "--no-loadscope-reorder"]
    tests = ["-m", "pytest", *spread, "tests/test_paper.py", *folders]
    is_passed = call_coverage("erase") and call_coverage("run", *tests)
    return call_coverage("combine", "--quiet") and is_passed


def call_coverage(*arguments: str) -> bool:
    """Call coverage here; say whether it ended well."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | threads, check=False).returncode == 0


def read_coverage() -> Row:
    """Read what coverage found, as it says it itself."""
    path = ROOT / "build" / "coverage.json"
    if not call_coverage("json", "--quiet", "-o", str(path)):
        raise SystemExit("coverage could not report")
    found: Row = json.loads(path.read_text())
    return found


def sum_layers(files: Mapping[str, Row]) -> list[Row]:
    """Add the files of each layer up; keep those with a line or a branch that no test ran."""
    rows = []
    for layer in LAYERS:
        own = {name: file for name, file in files.items() if Path(name).parts[2] == layer}
        sums = {key: sum(file["summary"][name] for file in own.values()) for key, name in COUNTS.items()}
        missed = {name: missing(file) for name, file in sorted(own.items()) if any(missing(file).values())}
        rows.append({"layer": layer, "files": len(own), **sums, "missed": missed})
    return rows


def missing(file: Row) -> Row:
    """List the lines of a file that no test ran, and the branches, from line to line."""
    return {"lines": file["missing_lines"], "branches": file["missing_branches"]}


def main() -> int:
    """Measure, keep, print; say whether the tests pass and every layer is above the limit."""
    is_passed = run_tests()
    versions = {"python": platform.python_version(), "coverage": version("coverage")}
    found = {"limit": LIMIT, **versions, "layers": sum_layers(read_coverage()["files"])}
    print(write_table(found["layers"]))
    if not is_passed:
        print("a test failed: nothing was kept")
        return 1
    keep("test-coverage", found)
    below = [row["layer"] for row in found["layers"] if branch_share(row) < LIMIT]
    if below:
        print(f"below {LIMIT:.0%} of branches: {', '.join(below)}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
