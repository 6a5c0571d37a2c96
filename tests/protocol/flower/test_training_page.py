"""The how-to that hands the chosen candidate and the quotas to Flower's FedAvg, followed as it stands."""

import os
import subprocess
import sys

import pytest

from fedpact.protocol.flower.processes import flower_environment
from pages import ROOT

PAGE = ROOT / "docs" / "how-to" / "train-with-flower.md"
FOLLOW = "import sys; from pathlib import Path; from pages import follow; follow(Path(sys.argv[1]))"


@pytest.mark.slow
def test_the_page_trains_from_the_candidate_on_the_quotas(tmp_path):
    """In a process of its own, since Ray stays in the one that has used it."""
    assert PAGE.name == "train-with-flower.md"
    command = [sys.executable, "-c", FOLLOW, str(PAGE)]
    environment = {**flower_environment(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "model.npy").exists()
