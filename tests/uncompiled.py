"""The compiled loops as the Python they are written in."""

import numpy as np


def uncompile(monkeypatch, module):
    """Let a module of compiled loops run them as they are written."""
    for name, loop in list(vars(module).items()):
        if hasattr(loop, "py_func"):
            monkeypatch.setattr(module, name, loop.py_func)
    if hasattr(module, "popcount"):
        monkeypatch.setattr(module, "popcount", lambda word: np.uint64(int(word).bit_count()))
