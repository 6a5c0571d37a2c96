"""The page to look at: plan, play, pay, in the browser; and the same as one file.

Needs ``fedpact[web]``. Addresses, jobs and answers: :mod:`fedpact.web.view`, :mod:`fedpact.web.jobs`,
:mod:`fedpact.web.questions`; what is refused: :mod:`fedpact.web.limits`, :mod:`fedpact.web.safety`.
"""

from fedpact.lazy import offer_names
from fedpact.web.installed import require_packages

require_packages()

__all__ = offer_names(__name__)
