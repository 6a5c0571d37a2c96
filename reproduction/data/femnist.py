"""FEMNIST: characters by many writers, from whichever form of it is at hand.

The paper's two writers are those with most images in the whole of LEAF's data. A file with fewer writers has
other largest ones, which :attr:`Writers.sizes <reproduction.Writers.sizes>` names.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import fedpact as fp
from reproduction.data.femnist_hub import read_hub
from reproduction.data.femnist_leaf import read_leaf
from reproduction.data.femnist_npz import FILE, read_npz
from reproduction.data.writers import Writers

HUB = "hub"
LEAF = "./preprocess.sh -s niid --sf 0.05 -k 0 -t sample"
_ADVICE = (
    f"put {FILE} there, or LEAF's JSON ({LEAF} in its data/femnist), "
    f'or say "{HUB}" to download it, or leave out data for --quick, on digits that need no file'
)


def load_femnist(folder: str | PathLike[str]) -> Writers:
    """Read FEMNIST's images with their writers.

    Parameters
    ----------
    folder
        Holds ``femnist_writers.npz``; or else the JSON files of LEAF, plain or compressed by gzip, themselves
        or in ``train`` and ``test`` or in ``data/train`` and ``data/test``. The word "hub" downloads
        ``flwrlabs/femnist`` (``pip install "fedpact[hub]"``).

    Examples
    --------
    >>> load_femnist("nowhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    fedpact.errors.FederationError: there is no folder 'nowhere'; put femnist_writers.npz ...
    """
    if folder == HUB:
        return read_hub()
    folder = Path(folder)
    if not folder.is_dir():
        raise fp.FederationError(f"there is no folder {str(folder)!r}; {_ADVICE}")
    if (folder / FILE).exists():
        return read_npz(folder / FILE)
    found = read_leaf(folder)
    if found is None:
        raise fp.FederationError(f"{str(folder)!r} holds no FEMNIST; {_ADVICE}")
    return found
