"""Is Flower here, and new enough? Releases before 1.41 have another network protocol and other commands."""

from __future__ import annotations

import re
from importlib import metadata

from fedpact.errors import MissingExtraError, ProtocolError

OLDEST = (1, 41)


def require_flower() -> None:
    """Raise one clear line unless Flower 1.41 or newer is installed."""
    try:
        version = metadata.version("flwr")
    except metadata.PackageNotFoundError:
        raise MissingExtraError("running the protocol over Flower", extra="flower") from None
    check_version(version)


def check_version(version: str) -> None:
    """Refuse a release of Flower that is too old.

    Examples
    --------
    >>> check_version("1.41.0")
    >>> check_version("1.9.0")
    Traceback (most recent call last):
    ...
    fedpact.errors.ProtocolError: Flower 1.41 or newer is needed; flwr is 1.9.0: pip install -U "fedpact[flower]"
    """
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST:
        oldest = ".".join(str(part) for part in OLDEST)
        line = f'Flower {oldest} or newer is needed; flwr is {version}: pip install -U "fedpact[flower]"'
        raise ProtocolError(line)
