"""The packages that the protocol needs are here, or one line says how to install them."""

from __future__ import annotations

from importlib.util import find_spec

from fedpact.errors import MissingExtraError


def require_packages() -> None:
    """Raise one clear line unless books can be kept and messages signed."""
    if not all(find_spec(package) for package in ("sqlalchemy", "cryptography")):
        raise MissingExtraError("the protocol", extra="protocol")
