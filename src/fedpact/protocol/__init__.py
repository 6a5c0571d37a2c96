"""The protocol: report, plan, contribute, pay, between an operator and its sites, with books that can be checked.

Needs ``fedpact[protocol]``; what runs on Flower is in :mod:`fedpact.protocol.flower`.
"""

from fedpact.lazy import offer_names
from fedpact.protocol.installed import require_packages

require_packages()

__all__ = offer_names(__name__)
