"""Which candidate is chosen, and who alone decided it.

The candidate with the fewest mistakes on all samples that count is empirical risk minimisation on the pooled
sample, which nobody has pooled; samples of sites that the check of their contribution flagged do not count, unless
no others are there. Then the choice is made again without each site in turn. If some candidate is right, and every
site labels honestly, the chosen one makes no mistake, with or without any site. So where it would not be chosen
without a site, and the one that would differs from it by more than some site tolerates, that site alone has
decided, and the outcome is *disputed*: either it labels otherwise than all others, or no candidate is right.

A plan asks for no more than is needed, so what the others have labelled may be too little to contradict a liar, or
nothing at all. With ``withstands_liar`` a pact asks for as much as is needed without any one site: then, with
probability 1 - delta, the choice without the liar is within epsilon of the truth for every honest site, so that
the outcome is disputed or within twice that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fedpact.describe.arrays import Ints
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.statistics.rates import rates_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """What would be chosen without a site."""

    hypothesis: str
    """The candidate that would be chosen."""
    targets: tuple[str, ...]
    """Sites at whose points it and the chosen one differ by more than they tolerate."""


def count_in(mistakes: Mapping[str, Ints], flagged: Collection[str]) -> list[str]:
    """List whose samples count: those who are not flagged, or all if nobody is left.

    Examples
    --------
    >>> mistakes = {"north": np.array([1]), "south": np.array([0])}
    >>> count_in(mistakes, ["south"]), count_in(mistakes, ["north", "south"])
    (['north'], ['north', 'south'])
    """
    return [name for name in mistakes if name not in flagged] or list(mistakes)


def add_up(mistakes: Mapping[str, Ints], names: Sequence[str], H: int) -> Ints:
    """(H,) mistakes on the samples of some sites."""
    return sum((mistakes[name] for name in names), start=np.zeros(H, dtype=np.int64))


def find_disputes(
    fed: Federation, mistakes: Mapping[str, Ints], names: Sequence[str], index: int
) -> dict[str, Dispute]:
    """Site -> what would be chosen without it, where that matters to anybody.

    Parameters
    ----------
    fed
        The sites that reported, with their rates.
    mistakes, names
        Site -> (H,) mistakes of every candidate on its samples; and whose samples count.
    index
        The chosen candidate.
    """
    above, found = rates_of(fed).above, dict[str, Dispute]()
    for site in names if len(names) > 1 else ():
        left = add_up(mistakes, [name for name in names if name != site], len(mistakes[site]))
        other = int(left.argmin())
        if left[index] > left[other]:
            apart = above.between(np.array([index]), np.array([other]))[:, 0]
            is_far = np.asarray(exceeds(apart, fed.epsilon)).tolist()
            targets = tuple(name for name, far in zip(fed.names, is_far, strict=True) if far)
            if targets:
                found[site] = Dispute(hypothesis=fed.evidence.hypotheses[other], targets=targets)
    return found
