"""The command line, run in process."""

import sys

import pytest

from fedpact.cli import main


@pytest.fixture
def fedpact(monkeypatch, capsys):
    """Run the command line in process; returns (exit code, stdout, stderr)."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["fedpact", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        return int(stopped.value.code or 0), out, err

    return run
