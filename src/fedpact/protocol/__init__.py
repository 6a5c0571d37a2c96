"""The protocol: report, plan, contribute, pay, between an operator and its sites, with books that can be checked.

Needs ``fedpact[protocol]``; what runs on Flower is in :mod:`fedpact.protocol.flower`.
"""

from importlib.util import find_spec

from fedpact.errors import MissingExtraError
from fedpact.lazy import offer_names

if not all(find_spec(package) for package in ("sqlalchemy", "cryptography")):
    raise MissingExtraError("the protocol", extra="protocol")

__all__ = offer_names(__name__)
