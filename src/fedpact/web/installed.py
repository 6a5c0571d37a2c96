"""Whether what the page needs is installed."""

from __future__ import annotations

from importlib.util import find_spec

from fedpact.errors import MissingExtraError

_PACKAGES = ("fastapi", "uvicorn", "jinja2", "plotly", "python_multipart", "sqlalchemy", "cryptography")


def require_packages() -> None:
    """Raise unless everything that the page needs is installed."""
    if any(find_spec(package) is None for package in _PACKAGES):
        raise MissingExtraError("the page", extra="web")
