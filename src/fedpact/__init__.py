"""Who in a federation should label how many samples, at what cost, for what pay, and what if nobody plans.

``fedpact`` implements and corrects "Incentives in Federated Learning with Heterogeneous Agents" (Procaccia,
Shao, Shapira, ICLR 2026). What most people need stands here; the rest is in :mod:`fedpact.game`,
:mod:`fedpact.mechanism`, :mod:`fedpact.planning`, :mod:`fedpact.sites`, :mod:`fedpact.protocol`,
:mod:`fedpact.web` and :mod:`fedpact.errors`.
"""

from fedpact.lazy import offer_names as _offer_names

__all__ = _offer_names(__name__, unlisted=("protocol", "web"))
