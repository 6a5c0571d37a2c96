"""``fedpact reproduce``: where it went."""

from __future__ import annotations

import fedpact as fp


def reproduce() -> None:
    """Say how the paper's experiments are run now."""
    raise fp.FederationError(
        "experiments are run from a clone of the repository now: make reproduce NAME=planner-table"
    )
