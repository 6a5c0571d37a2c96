"""Two roles that nobody wrote: text drawn letter by letter, for where no play is at hand.

The next letter depends on the two before it. Half of every role's table is common to both and half is its own,
so that what one role says helps to guess the other, and helps less than what that role says itself. The two
texts are a constant.
"""

from __future__ import annotations

from bisect import bisect

import numpy as np
from numpy.typing import NDArray

from reproduction.data.roles import Roles

LETTERS = " adehilnorst"
LENGTH = 20_000
_SEED = 5
# A small one makes few letters likely after any two.
_CONCENTRATION = 0.05


def _speak(table: NDArray[np.float64], n: int, rng: np.random.Generator) -> str:
    """Draw n letters; ``table[a, b, c]`` is the chance of c after a and b."""
    bounds = table.cumsum(axis=2)[:, :, :-1].tolist()
    before, last = 0, 0
    spoken = []
    for chance in rng.random(n).tolist():
        before, last = last, bisect(bounds[before][last], chance)
        spoken.append(LETTERS[last])
    return "".join(spoken)


def load_embedded_roles() -> Roles:
    """Draw the two texts.

    Examples
    --------
    >>> roles = load_embedded_roles()
    >>> roles.sizes, len(roles.alphabet)
    ({'role-1': 19920, 'role-2': 19920}, 12)
    """
    rng = np.random.default_rng(_SEED)
    k = len(LETTERS)
    common, *own = rng.dirichlet(np.full(k, _CONCENTRATION), size=(3, k, k))
    return Roles(
        name="embedded",
        texts={f"role-{n}": _speak((common + table) / 2, LENGTH, rng) for n, table in enumerate(own, start=1)},
        source="two texts drawn letter by letter, each letter given the two before it",
    )
