"""The page to look at: plan, play, pay, in the browser; and the same as one file.

Needs ``fedpact[web]``. Addresses, jobs and answers: :mod:`fedpact.web.view`, :mod:`fedpact.web.jobs`,
:mod:`fedpact.web.questions`; what is refused: :mod:`fedpact.web.limits`, :mod:`fedpact.web.safety`.
"""

from importlib.util import find_spec

from fedpact.errors import MissingExtraError
from fedpact.lazy import offer_names

_PACKAGES = ("fastapi", "uvicorn", "jinja2", "plotly", "python_multipart", "sqlalchemy", "cryptography")

if any(find_spec(package) is None for package in _PACKAGES):
    raise MissingExtraError("the page", extra="web")

__all__ = offer_names(__name__)
