"""The protocol over Flower: one run between an operator's SuperLink and the SuperNodes of the sites.

Flower carries bytes and knows nothing of what they mean: the operator's and the sites' steps are the same plain
functions that run in process, and who said what is decided by the signatures inside the bytes, not by Flower.
Importing anything from here without Flower says how to install it.
"""

from fedpact.protocol.flower.installed import require_flower

require_flower()

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
]
