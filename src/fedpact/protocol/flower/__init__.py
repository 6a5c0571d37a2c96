"""The protocol over Flower: one run between an operator's SuperLink and the SuperNodes of the sites.

Flower carries bytes and knows nothing of what they mean: the operator's and the sites' steps are the same plain
functions that run in process, and who said what is decided by the signatures inside the bytes, not by Flower.
Importing anything from here without Flower, or with one before 1.41, which has another network protocol and other
commands, says how to install it.
"""

import re
from importlib import metadata

from fedpact.errors import MissingExtraError, ProtocolError

_OLDEST = (1, 41)


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
    if numbers < _OLDEST:
        oldest = ".".join(str(part) for part in _OLDEST)
        line = f'Flower {oldest} or newer is needed; flwr is {version}: pip install -U "fedpact[flower]"'
        raise ProtocolError(line)


require_flower()

from fedpact.protocol.flower.gate import serve_superlink
from fedpact.protocol.flower.join import join_federation
from fedpact.protocol.flower.run_on_flower import (
    register_sites,
    run_at_superlink,
    run_in_flower_simulation,
    run_on_local_flower,
)

__all__ = [
    "join_federation",
    "register_sites",
    "run_at_superlink",
    "run_in_flower_simulation",
    "run_on_local_flower",
    "serve_superlink",
]
