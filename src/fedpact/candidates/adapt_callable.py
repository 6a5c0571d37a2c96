"""Any function from points to labels as a candidate; nothing is known of it but its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fedpact.candidates.batches import Prepared
from fedpact.describe.candidate_list import digest_of


def prepare_callable(name: str, function: Callable[[Any], Any]) -> Prepared:
    """Ask a function as it is; what it raises is raised."""
    return Prepared(digest_of(name), function)
