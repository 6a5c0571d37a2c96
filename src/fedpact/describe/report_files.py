"""Report files: one ``.npz`` archive that is written and read without pickle, and checked on the way in.

Besides the counts it holds the site's name, n, the number of label classes, names and digests of the
candidates, what was done to the counts, the version of fedpact that wrote it, and a checksum of all that. A file
is refused if it is truncated, holds pickled objects, unpacks to far more than it holds, fails its checksum, or has
counts that no data set makes.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import tokenize
import zipfile
import zlib
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact import formats
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.condensed import find_broken_triangle, find_odd_triangle, height_of, to_square
from fedpact.describe.hypothesis_class import number_names
from fedpact.describe.label_codes import is_text
from fedpact.describe.parsing import about, read_bytes
from fedpact.describe.reports import Noise, Report
from fedpact.errors import FederationError
from fedpact.formats import check_format
from fedpact.version import __version__

_OF_LIBRARIES = (tokenize.TokenError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
_OF_PYTHON = (OSError, EOFError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, SyntaxError)
UNREADABLE = (*_OF_PYTHON, RuntimeError, MemoryError, Warning, *_OF_LIBRARIES)
"""What numpy raises, without pickle, on a file that is not what it claims to be; warnings if those are errors."""

_NEEDED = ("format", "name", "n", "n_classes", "counts")
_NOISE = {"mechanism": "mechanism", "scale": "scale", "epsilon": "privacy_epsilon", "delta": "privacy_delta"}
"""What a file calls the fields of the noise."""
_OPTIONAL = ("candidates", "digests", "minimum_count", *_NOISE, "version", "checksum")

# A member may unpack to so many bytes, or to so many times what it takes; counts that are mostly zeros do.
_UNPACKED, _EXPANSION = 2**26, 100
_HEADER = 10_000
"""Bytes of an array's header, at the most."""
_NO_REPORT = "not a fedpact report (.npz without pickled objects)"

Fields = dict[str, NDArray[Any]]


def to_bytes(report: Report) -> bytes:
    """Return what a report's file holds."""
    plain: dict[str, Any] = {
        "format": formats.REPORT,
        "name": report.name,
        "n": report.n,
        "n_classes": report.n_classes,
        "counts": report.counts,
        "minimum_count": report.minimum_count,
        "version": __version__,
    }
    if report.candidates is not None:
        plain |= {
            "candidates": json.dumps(report.candidates.names),
            "digests": json.dumps(report.candidates.digests),
        }
    if report.noise is not None:
        plain |= {key: getattr(report.noise, field) for key, field in _NOISE.items()}
    fields = {key: np.asarray(value) for key, value in plain.items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{**fields, "checksum": np.asarray(_checksum(fields))})  # type: ignore[arg-type]
    return buffer.getvalue()


def _checksum(fields: Fields) -> str:
    found = hashlib.sha256()
    for key in sorted(fields):
        value = np.ascontiguousarray(fields[key])
        found.update(repr((key, value.shape, value.dtype.str)).encode() + value.tobytes())
    return found.hexdigest()


def from_bytes(data: bytes, source: str = "report") -> Report:
    """Read what :func:`to_bytes` wrote; ``source`` is named if something is wrong with it."""
    with about(source):
        report = _build(_read_fields(data))
        _check_triangles(report)
        return report


def count_candidates(data: bytes, source: str = "report") -> int:
    """Read of how many candidates a report's file has counts, and nothing else of it.

    Counts of many candidates take long to read, so whoever knows how many there must be asks this first.
    """
    with about(source):
        _insist_on_archive(data)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                name = "counts" if "counts" in archive.namelist() else "counts.npy"
                with archive.open(name) as member:
                    head = io.BytesIO(member.read(_HEADER))
            major = np.lib.format.read_magic(head)[0]
            read = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
            (pairs,) = read(head)[0]
        except UNREADABLE:
            raise FederationError(_NO_REPORT) from None
        return height_of(pairs)


def _is_bomb(data: bytes) -> bool:
    """Whether an archive unpacks to far more than it holds; what is not an archive does not."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return False
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return any(
            member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
            or member.file_size > max(_UNPACKED, _EXPANSION * min(member.compress_size, len(data)))
            for member in archive.infolist()
        )


def _insist_on_archive(data: bytes) -> None:
    """Refuse what unpacks to too much, and parts of one name: two readers might take different ones."""
    if _is_bomb(data):
        raise FederationError("not a fedpact report: it unpacks to far more than a report would")
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist()]
        if len(set(names)) < len(names):
            raise FederationError("not a fedpact report: two of its parts have one name")


def _read_fields(data: bytes) -> Fields:
    try:
        _insist_on_archive(data)
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            fields = {key: np.asarray(archive[key]) for key in (*_NEEDED, *_OPTIONAL) if key in archive.files}
    except FederationError:
        raise
    except UNREADABLE:
        raise FederationError(_NO_REPORT) from None
    for key, value in fields.items():
        if value.dtype.kind == "U" and not is_text(value):
            raise FederationError(f"not a fedpact report; its {key} holds what is no character, or half of one")
    return fields


def _build(fields: Fields) -> Report:
    missing = [field for field in _NEEDED if field not in fields]
    if missing:
        raise FederationError(f"not a fedpact report; it lacks {', '.join(missing)}")
    is_first = fields["format"].tolist() == 1  # which had no checksum
    if not is_first:
        check_format(fields["format"].tolist(), formats.REPORT, "report", "the file")
    checksum = fields.pop("checksum", None)
    if not is_first and (checksum is None or checksum.tolist() != _checksum(fields)):
        raise FederationError("the report was damaged or changed after it was written; ask the site for it again")
    noise = {field: fields[key].tolist() for key, field in _NOISE.items() if key in fields}
    return Report(
        name=str(fields["name"].tolist()),
        n=fields["n"].tolist(),
        n_classes=fields["n_classes"].tolist(),
        counts=fields["counts"],
        candidates=_read_candidates(fields),
        minimum_count=fields["minimum_count"].tolist() if "minimum_count" in fields else 0,
        noise=Noise(**noise) if set(_NOISE) <= set(fields) else None,
    )


def _read_list(fields: Fields, key: str) -> tuple[Any, ...]:
    try:
        entries = json.loads(str(fields[key].tolist())) if key in fields else []
    except (json.JSONDecodeError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        raise FederationError(f"not a fedpact report; its {key} cannot be read")
    return tuple(entries)


def _read_candidates(fields: Fields) -> CandidateList | None:
    if "candidates" not in fields:
        return None
    return CandidateList(names=_read_list(fields, "candidates"), digests=_read_list(fields, "digests"))


def _check_triangles(report: Report) -> None:
    """Refuse counts that no data set makes; noise may break any rule."""
    if report.noise is not None or report.H < 3:
        return
    least, most = (to_square(side) for side in report.ranges(report.counts))
    rule = "cannot differ more often than both do from a third"
    broken = find_broken_triangle(least, most)
    if broken is None and report.n_classes == 2:
        rule = "and a third cannot differ in this way on points with two labels"
        broken = find_broken_triangle(least, report.n - least)
        if broken is None and report.is_exact:
            broken = find_odd_triangle(least)
    if broken is not None:
        names = report.candidates.names if report.candidates else number_names("h", report.H)
        h, g, f = (names[place] for place in broken)
        raise FederationError(f"the counts are those of no data set: {h!r} and {g!r} {rule} ({f!r})")


def read_report(path: str | PathLike[str]) -> Report:
    """Read a report without executing anything from the file."""
    with about(path):
        data = read_bytes(Path(path))
    return from_bytes(data, str(path))
