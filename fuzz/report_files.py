"""Reports of sites: ``.npz`` files, their fields changed and the checksum made again."""

from __future__ import annotations

import io
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import fedpact as fp
from fedpact.describe.report_files import UNREADABLE, _checksum
from fuzz.plain_values import STRANGE, mutate_value
from fuzz.target import Target, Unreadable
from fuzz.workplace import new_folder

_WORDS = (
    "format", "name", "n", "n_classes", "counts", "candidates", "digests", "minimum_count", "mechanism",
    "scale", "epsilon", "delta", "version", "checksum", "discrete-gaussian", ".npy", "PK\x03\x04", "'descr'",
    "'<i8'", "'O'",
)  # fmt: skip
POINTS = (0, 10, 65, 0xE9, 0xD800, 0xDFFF, 0x10FFFF, 0x110000, 0x7F000000)
_TYPES = ("<i8", "<u8", ">i4", "<i1", "<u1", "<f8", "<c16", "?", "<U3", "S3", "<M8[s]", "V4")


@cache
def _path() -> Path:
    return new_folder() / "site.report.npz"


def _report(H: int, n: int, labels: int = 2, **terms: Any) -> fp.Report:
    return fp.report(np.random.default_rng(H).integers(0, labels, (H, n)), name="alice", **terms)


def seeds() -> list[bytes]:
    """Return reports of every kind."""
    plain = _report(4, 9)
    noisy = fp.Report(
        name="bob",
        n=50,
        n_classes=3,
        counts=np.array([3, 7, 5]),
        noise=fp.sites.Noise(scale=2.0, privacy_epsilon=1.0, privacy_delta=1e-6),
    )
    made = [plain, _report(1, 3), _report(6, 30, 5), _report(3, 40, minimum_count=5), noisy]
    return [_bytes_of(one) for one in made]


def _bytes_of(report: fp.Report) -> bytes:
    report.save(_path())
    return _path().read_bytes()


def read(data: bytes) -> bool:
    """Read a report; what is read is written and read again, and can be planned with."""
    _path().write_bytes(data)
    try:
        found = fp.sites.read_report(_path())
    except fp.FedpactError as error:
        if len(str(error).splitlines()) != 1:
            raise AssertionError("a refusal is one line") from error
        return False
    found.save(_path())
    again = fp.sites.read_report(_path())
    assert found.to_dict() == again.to_dict(), "what was written is read again"
    assert np.array_equal(found.counts, again.counts), "what was written is read again"
    try:
        fp.Federation.from_reports([found], cost=1, epsilon=0.1, delta=0.1)
    except fp.FedpactError:
        return False
    return True


def _change_array(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    """Change a field: its type, its shape, or a number in it."""
    match rng.randrange(6):
        case 5:
            return np.array([rng.choice(POINTS) for _ in range(3)], dtype="<u4").view("<U3").reshape(())
        case 0:
            return np.zeros(rng.choice([(), (0,), (1,), (3,), (2, 3), (1, 1, 1)]), dtype=rng.choice(_TYPES))
        case 1:
            return np.resize(array, rng.choice([0, 1, 2, 3, 6, 7, 10, 45]))
        case 2:
            return array.astype(rng.choice(["<i8", "<u8", ">i4", "<f8", "<U9", "<c16"]))
        case 3 if array.ndim and array.size:
            changed = array.copy()
            changed[rng.randrange(len(changed))] = rng.choice([0, 1, 2, 5, 9, 127])
            return changed
        case _:
            return np.asarray(rng.choice([one for one in STRANGE if isinstance(one, int | float | str | bool)]))


def _change_list(text: str, rng: random.Random) -> np.ndarray[Any, Any]:
    return np.asarray(json.dumps(mutate_value(json.loads(text), rng)))


def _with_texts(points: dict[str, list[int]]) -> bytes:
    """Write a report some of whose fields are texts of these code points."""
    with np.load(io.BytesIO(_bytes_of(_report(3, 5)))) as archive:
        fields = {key: archive[key] for key in archive.files if key != "checksum"}
    for key, codes in points.items():
        fields[key] = np.array(codes, dtype="<u4").view(f"<U{len(codes)}").reshape(())
    buffer = io.BytesIO()
    np.savez(buffer, **fields, checksum=np.asarray(_checksum(fields)))  # type: ignore[arg-type]
    return buffer.getvalue()


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Change, drop or add a field, and make the checksum again."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            fields = {key: np.asarray(archive[key]) for key in archive.files}
        key = rng.choice([*fields, *_WORDS[:13]])
        if key in fields and rng.random() < 0.2:
            del fields[key]
        elif key in ("candidates", "digests") and key in fields and rng.random() < 0.7:
            fields[key] = _change_list(str(fields[key]), rng)
        else:
            fields[key] = _change_array(fields.get(key, np.asarray(1)), rng)
        fields.pop("checksum", None)
        buffer = io.BytesIO()
        save = np.savez if rng.random() < 0.5 else np.savez_compressed
        save(buffer, **fields, **({"checksum": np.asarray(_checksum(fields))} if rng.random() < 0.9 else {}))
    except (*UNREADABLE, SystemError):
        raise Unreadable from None
    return buffer.getvalue()


TARGET = Target(
    about="reports of sites: read, written, read again, made into a federation",
    seeds=seeds,
    read=read,
    mutate=mutate,
    words=_WORDS,
    from_text=lambda text: _with_texts(json.loads(text)),
)
