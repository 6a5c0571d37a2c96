"""What several roles say, for guessing the next character: what an experiment on text starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fedpact as fp

WINDOW = 80


class Windows(NamedTuple):
    """Samples of a role, as places in the alphabet."""

    before: NDArray[np.uint8]
    """(n, 80) the characters of every window; a view, which holds every character once"""
    following: NDArray[np.uint8]
    """(n,) the character after every window"""


def cut_windows(codes: NDArray[np.uint8]) -> Windows:
    """Cut a text into every window and the character after it."""
    return Windows(np.lib.stride_tricks.sliding_window_view(codes[:-1], WINDOW), codes[WINDOW:])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Roles:
    """The text of every role, and the alphabet of all of them.

    A sample is a window of 80 characters with the character after it as its label; windows start at every
    character but the last 80. A role with n characters thus has n - 80 samples.

    Examples
    --------
    >>> roles = Roles(name="drums", texts={"bass": "ab" * 50, "snare": "abc" * 40}, source="two drums")
    >>> roles.alphabet, roles.sizes
    ('abc', {'snare': 40, 'bass': 20})
    >>> roles.codes("bass")[:4].tolist()
    [0, 1, 0, 1]
    >>> samples = roles.windows("bass")
    >>> samples.before.shape, samples.following[:3].tolist()
    ((20, 80), [0, 1, 0])
    """

    name: str
    texts: Mapping[str, str]
    source: str
    """Where the texts come from: a package or a file by its name, never a folder."""

    @property
    def alphabet(self) -> str:
        """Every character of any role, in the order of Unicode."""
        return "".join(sorted(set().union(*self.texts.values())))

    @property
    def sizes(self) -> dict[str, int]:
        """Windows of every role, the largest first; those of one size by name."""
        counts = {role: max(0, len(text) - WINDOW) for role, text in self.texts.items()}
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def codes(self, role: str) -> NDArray[np.uint8]:
        """(n,) the place in the alphabet of every character of a role, read-only."""
        if role not in self.texts:
            known = ", ".join(f"{name} ({size:,})" for name, size in self.sizes.items())
            raise fp.FederationError(f"role {role!r} is not in {self.source}; it has {known}")
        alphabet = self.alphabet
        if len(alphabet) > 256:
            raise fp.FederationError(f"{self.source} must have 256 characters at most; it has {len(alphabet)}")
        points = np.frombuffer(self.texts[role].encode("utf-32-le"), dtype="<u4")
        letters = np.frombuffer(alphabet.encode("utf-32-le"), dtype="<u4")
        codes = np.searchsorted(letters, points).astype(np.uint8)
        codes.flags.writeable = False
        return codes

    def windows(self, role: str) -> Windows:
        """Every window of a role and the character after it."""
        codes = self.codes(role)
        if len(codes) <= WINDOW:
            raise fp.FederationError(f"role {role!r} must have more than {WINDOW} characters; it has {len(codes)}")
        return cut_windows(codes)
