"""The page to look at: plan, play, pay, in the browser; and the same as one file.

Needs ``fedpact[web]``. Addresses, jobs and answers: :mod:`fedpact.web.view`, :mod:`fedpact.web.jobs`,
:mod:`fedpact.web.questions`; what is refused: :mod:`fedpact.web.limits`, :mod:`fedpact.web.safety`. Names are
imported when they are asked for: worker processes need none of the server.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fedpact.web.installed import require_packages

if TYPE_CHECKING:
    from fedpact.web.app import make_app
    from fedpact.web.limits import Limits
    from fedpact.web.listen import serve
    from fedpact.web.report_file import make_report

_PLACES = {"Limits": "limits", "make_app": "app", "make_report": "report_file", "serve": "listen"}

__all__ = ["Limits", "make_app", "make_report", "serve"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'fedpact.web' has no attribute {name!r}")
    require_packages()
    return getattr(import_module(f"fedpact.web.{_PLACES[name]}"), name)
