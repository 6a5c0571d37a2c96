"""ONNX files as candidates, run by onnxruntime.

The first output decides: whole numbers or strings are labels, as scikit-learn's exporters write them; other
numbers are scores, of which the largest decides, or the sign where there is one per point. A model is read from
the bytes that its digest is of, so a file changed in between cannot pass for another.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fedpact.candidates.batches import Prepared, first_line, name_refusals
from fedpact.describe.candidate_list import digest_of
from fedpact.describe.parsing import about, read_bytes
from fedpact.errors import FederationError, MissingExtraError

_TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(int8)": np.int8,
    "tensor(uint8)": np.uint8,
    "tensor(bool)": np.bool_,
    "tensor(string)": np.object_,
}


def _import_onnxruntime() -> tuple[Any, tuple[type[Exception], ...]]:
    try:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as state
    except ImportError as error:
        raise MissingExtraError("an .onnx file", extra="onnx") from error
    own = [value for value in vars(state).values() if isinstance(value, type) and issubclass(value, Exception)]
    return onnxruntime, (*own, RuntimeError, ValueError)


def _open(name: str, content: bytes, path: Path) -> Any:
    onnxruntime, errors = _import_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what goes wrong is raised; nothing is printed besides
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except errors as error:
        raise FederationError(
            f"{path}: not an .onnx model that onnxruntime can run, or one with its weights in a second file: "
            f"{first_line(error)}"
        ) from None
    inputs = session.get_inputs()
    if len(inputs) != 1 or inputs[0].type not in _TYPES:
        found = ", ".join(f"{given.name} {given.type}" for given in inputs) or "none"
        raise FederationError(
            f"candidate {name!r}: an .onnx model must have one input, numbers or strings; it has: {found}; "
            "give a function that runs it instead"
        )
    return session


def prepare_onnx(name: str, path: Path) -> Prepared:
    """Ask the model of a file; the digest is that of the file."""
    errors = _import_onnxruntime()[1]
    with about(path):
        content = read_bytes(path)
    session = _open(name, content, path)
    source, output = session.get_inputs()[0], session.get_outputs()[0]

    def ask(points: Any) -> Any:
        given: Any = np.ascontiguousarray(np.asarray(points), dtype=_TYPES[source.type])
        return session.run([output.name], {source.name: given})[0]

    return Prepared(digest_of(content), name_refusals(name, path.name, ask, errors), may_score=True)
