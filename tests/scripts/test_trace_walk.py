"""The tracer counts what a walk really does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "trace_walk.py"


@pytest.mark.slow
def test_both_walks_are_counted():
    done = subprocess.run(
        [sys.executable, SCRIPT, "--files"], capture_output=True, text=True, check=True, timeout=60
    )
    heads = re.findall(r"^(.*): (\d+) files, ([\d,]+) switches, (\d+) modules imported$", done.stdout, re.M)
    assert [head[0] for head in heads] == ["python", "command line"]
    entered = [int(count) for count in re.findall(r"^ +(\d+)  \S+\.py$", done.stdout, re.M)]
    assert len(entered) == sum(int(head[1]) for head in heads)
    assert sum(entered) == sum(int(head[2].replace(",", "")) for head in heads)
    assert "planning/plan.py" in done.stdout
