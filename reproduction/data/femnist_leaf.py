"""FEMNIST from the JSON files of LEAF, as its ``preprocess.sh`` leaves them.

A file is ``{"users": [...], "num_samples": [...], "user_data": {user: {"x": [...], "y": [...]}}}``; an image is
784 numbers from 0 (ink) to 1 (paper). A user's images may be spread over files and over ``train`` and ``test``;
they are put together in the order of the files' names.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.data.femnist_format import PIXELS, make_femnist, read_labels
from reproduction.data.writers import Writers
from reproduction.values import shorten

KEYS = ("users", "num_samples", "user_data")
# Where LEAF's files may lie in the folder that is named; the first of these that has any is read.
LAYOUTS = ((".",), ("test", "train"), ("data/test", "data/train"))
_Own = tuple[NDArray[np.float32], NDArray[np.int64]]


def _read_json(path: Path) -> Any:
    try:
        content = path.read_bytes()
        return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise fp.FederationError(f"{path} must be a whole gzip file; it is not") from None
    except (UnicodeDecodeError, RecursionError):
        raise fp.FederationError(f"{path} must be a JSON file; it is not") from None
    except json.JSONDecodeError as error:
        raise fp.FederationError(f"{path} must be a JSON file; line {error.lineno} is not: {error.msg}") from None
    except OSError as error:
        raise fp.FederationError(f"{path} cannot be read: {error.strerror}") from None


def _read_images(images: Any, where: str) -> NDArray[np.float32]:
    """(n, 784) ink, from numbers that tell how white a pixel is."""
    if images == []:
        return np.empty((0, PIXELS), dtype=np.float32)
    try:
        white = np.array(images, dtype=np.float32).reshape(len(images), -1)
    except (TypeError, ValueError):
        raise fp.FederationError(f"{where}: x must be images of {PIXELS} numbers each; it is not") from None
    if white.shape[1] != PIXELS:
        raise fp.FederationError(f"{where}: an image must have {PIXELS} pixels; these have {white.shape[1]}")
    if not ((white >= 0) & (white <= 1)).all():
        raise fp.FederationError(f"{where}: a pixel must lie between 0 (ink) and 1 (paper); one does not")
    return 1 - white


def _read_user(user: Any, n: Any, user_data: dict[str, Any], path: Path) -> _Own:
    where = f"{path}: user {shorten(user)}"
    if not isinstance(user, str) or not user.isprintable() or not user:
        raise fp.FederationError(f"{where} must be a name in one line")
    own = user_data.get(user)
    if not isinstance(own, dict) or not {"x", "y"} <= own.keys():
        raise fp.FederationError(f"{where} must have x and y in user_data; it does not")
    images, labels = _read_images(own["x"], where), read_labels(own["y"], where)
    if not len(images) == len(labels) == n:
        said = f"they are {len(images)}, {len(labels)} and {shorten(n)}"
        raise fp.FederationError(f"{where}: x, y and num_samples must have one length; {said}")
    return images, labels


def _read_users(path: Path) -> Iterator[tuple[str, _Own]]:
    """Every user of one file; none if the file is JSON of another kind."""
    content = _read_json(path)
    if not isinstance(content, dict) or not content.keys() & set(KEYS):
        return
    absent = [key for key in KEYS if key not in content]
    if absent:
        raise fp.FederationError(f"{path} must have LEAF's keys {', '.join(KEYS)}; {absent[0]!r} is missing")
    users, counts, user_data = (content[key] for key in KEYS)
    if not isinstance(users, list) or not isinstance(counts, list) or not isinstance(user_data, dict):
        raise fp.FederationError(f"{path}: users and num_samples must be lists, user_data a table; they are not")
    if len(users) != len(counts):
        raise fp.FederationError(
            f"{path}: users and num_samples must have one length; they have {len(users)} and {len(counts)}"
        )
    if len(set(map(str, users))) < len(users):
        raise fp.FederationError(f"{path}: users must name every user once; it names one again")
    for user, n in zip(users, counts, strict=True):
        yield user, _read_user(user, n, user_data, path)


def _find_files(folders: list[Path]) -> list[Path]:
    """Every JSON file; one that is there both plain and compressed, once."""
    plain = {path for folder in folders for path in folder.glob("*.json")}
    packed = {path for folder in folders for path in folder.glob("*.json.gz")}
    return sorted(plain | {path for path in packed if path.with_suffix("") not in plain})


def _name_source(paths: list[Path], folder: Path) -> str:
    names = [path.relative_to(folder).as_posix() for path in paths]
    return " and ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} more files of LEAF"


def read_leaf(folder: Path) -> Writers | None:
    """Read FEMNIST from LEAF's files in a folder; ``None`` if it has none.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> own = {"x": [[1.0] * PIXELS], "y": [7]}
    >>> content = {"users": ["f0000_14"], "num_samples": [1], "user_data": {"f0000_14": own}}
    >>> _ = (Path(folder.name) / "all_data_0.json").write_text(json.dumps(content))
    >>> data = read_leaf(Path(folder.name))
    >>> data.sizes, data.source
    ({'f0000_14': 1}, 'all_data_0.json')
    >>> folder.cleanup()
    """
    for layout in LAYOUTS:
        found = _find_files([folder / part for part in layout])
        by_user: dict[str, list[_Own]] = {}
        read: list[Path] = []
        for path in found:
            for user, own in _read_users(path):
                by_user.setdefault(user, []).append(own)
                if path not in read[-1:]:
                    read.append(path)
        if by_user:
            return _put_together(by_user, _name_source(read, folder))
    return None


def _put_together(by_user: dict[str, list[_Own]], source: str) -> Writers:
    owns = [(place, own) for place, parts in enumerate(by_user.values()) for own in parts]
    return make_femnist(
        np.concatenate([images for _, (images, _) in owns]),
        np.concatenate([labels for _, (_, labels) in owns]),
        np.repeat([place for place, _ in owns], [len(labels) for _, (_, labels) in owns]),
        tuple(by_user),
        source,
    )
