"""Which candidate models a report speaks of: their names, and a digest of each.

Sites compare the same H candidates, in the same order. A digest is of the model itself where that is known (its
file, its weights) and else of its name alone, so that a report made with other candidates, or with other models
of the same names, can be told apart and refused by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fedpact.describe.hypothesis_class import read_names
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError

_DIGITS = 16


def digest_of(*parts: str | bytes) -> str:
    """Sixteen hexadecimal digits that stand for all parts in order.

    Examples
    --------
    >>> digest_of("forest")
    'a77f7a35157044f3'
    """
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()[:_DIGITS]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateList:
    """Names and digests of H candidates, in order.

    Examples
    --------
    >>> mine = CandidateList.from_names(["forest", "stump"])
    >>> mine.difference(CandidateList.from_names(["forest", "tree"]))
    "candidate 2 is 'stump' in one and 'tree' in the other"
    >>> mine.difference(mine) is None
    True
    """

    names: tuple[str, ...]
    digests: tuple[str, ...]

    def __post_init__(self) -> None:
        if "" in read_names(self.names, None, "candidates' names"):
            raise FederationError(f"candidates' names must not be empty; they are {shorten(list(self.names))}")
        if len(self.digests) != len(self.names) or not all(map(_is_digest, self.digests)):
            raise FederationError(
                f"candidates' digests must be {_DIGITS} hexadecimal digits for each of the {len(self.names)} names"
            )

    @classmethod
    def from_names(cls, names: Iterable[str]) -> CandidateList:
        """List candidates of which only the names are known."""
        named = tuple(names)
        return cls(names=named, digests=tuple(digest_of(name) for name in named if isinstance(name, str)))

    @property
    def H(self) -> int:
        """Number of candidates."""
        return len(self.names)

    @property
    def fingerprint(self) -> str:
        """Hash of all names and digests."""
        return digest_of(*self.names, *self.digests)

    def difference(self, other: CandidateList) -> str | None:
        """Say where two lists first differ; None if they do not."""
        if self.H != other.H:
            return f"one has {self.H} candidates and the other {other.H}"
        for place, pair in enumerate(zip(self.names, other.names, strict=True), 1):
            if pair[0] != pair[1]:
                return f"candidate {place} is {pair[0]!r} in one and {pair[1]!r} in the other"
        for name, own, theirs in zip(self.names, self.digests, other.digests, strict=True):
            if own != theirs:
                return f"candidate {name!r} is another model in one than in the other ({own} and {theirs})"
        return None


def _is_digest(text: object) -> bool:
    return isinstance(text, str) and len(text) == _DIGITS and set(text) <= set("0123456789abcdef")


def lists_of(sources: Mapping[str, object]) -> list[tuple[str, CandidateList]]:
    """Sites whose predictions or reports say which candidates they are of, with those."""
    found = ((name, getattr(source, "candidates", None)) for name, source in sources.items())
    return [(name, listed) for name, listed in found if isinstance(listed, CandidateList)]


def find_difference(lists: Sequence[tuple[str, CandidateList]]) -> str | None:
    """Name two sites, and where their lists of candidates first differ; None if all are the same."""
    for name, candidates in lists[1:]:
        difference = lists[0][1].difference(candidates)
        if difference is not None:
            return f"{lists[0][0]!r} and {name!r} have different candidates: {difference}"
    return None
