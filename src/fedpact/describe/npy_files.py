"""Arrays saved by ``numpy.save``, read without executing anything and without trusting their headers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npy(path: Path) -> NDArray[Any]:
    """Read an array; a header that promises more than the file holds is refused before memory is taken for it.

    Raises
    ------
    ValueError
        Among others: see :data:`fedpact.describe.report_files.UNREADABLE`.
    """
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"the format is {version}, which is for arrays of named fields")
        shape, _, dtype = _HEADERS[version](file)
        left = path.stat().st_size - file.tell()
        if not dtype.hasobject and math.prod(shape) * dtype.itemsize > left:
            raise ValueError(f"the header promises an array of {shape}, and the file ends before that")
        file.seek(0)
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array
