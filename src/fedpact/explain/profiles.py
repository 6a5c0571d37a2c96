"""Who contributes how much, and who cannot do it alone, in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.statistics.standalone import Shortfall

_WORDS = words_of("common")
_NAMED = 6


def say_profile(contributions: Mapping[str, int]) -> str:
    """Say who contributes how much, leaving out those who give nothing.

    Examples
    --------
    >>> say_profile({"alice": 2, "bob": 0, "carol": 1}), say_profile({"alice": 0})
    ('alice: 2, carol: 1', 'nobody contributes')
    """
    given = [f"{name}: {count:,}" for name, count in contributions.items() if count]
    more = _WORDS.say("more_profile", n=len(given) - _NAMED) if len(given) > _NAMED else ""
    return ", ".join(given[:_NAMED]) + more if given else _WORDS.say("nobody")


def say_shortfall(name: str, why: Shortfall) -> str:
    """Say why an agent cannot meet its target alone."""
    key = "shortfall.never" if why.need is None else "shortfall.capacity"
    return _WORDS.say(key, name=name, need=why.need, capacity=why.capacity)


def skip_middle(count: int, most: int) -> tuple[list[int], int]:
    """Return the first and the last of so many places, at most ``most``, and how many are left out between them.

    Examples
    --------
    >>> skip_middle(9, 4)
    ([0, 1, 7, 8], 5)
    """
    skipped = max(0, count - most)
    first = most // 2 if skipped else count
    return [*range(first), *range(first + skipped, count)], skipped
