"""Changes of plain values, as JSON and TOML hold them: another value somewhere, one more, one less."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from typing import Any

STRANGE: Sequence[Any] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 1.0, -0.0, 0.5, 1e-300, 1e308,
    2**31, 2**53, 2**53 + 1, 2**63, 2**64, -(2**63), 10**400,
    "", " ", "x", "h1", "1/3", "1/0", "-1/2", "nan", "inf", "1e400", "0x10",
    "\0", "\n", "é", "\U0001f600", "e\u0301", "x" * 3000, "../x", "/etc/passwd",
    [], [[]], [0], [0, 1], ["x", "x"], [None], {}, {"": 0}, {"x": 1}, {"x": {}}, {"a": {"b": {"c": []}}},
)  # fmt: skip

Path = tuple[Any, ...]


def places_in(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place below the top."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inside:
        yield (*path, key)
        yield from places_in(entry, (*path, key))


def _find(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _nudge(value: Any, rng: random.Random) -> Any:
    """Return a value that is near another."""
    if isinstance(value, bool) or value is None:
        return rng.choice(STRANGE)
    if isinstance(value, int):
        return rng.choice(
            [
                value + 1,
                value - 1,
                -value,
                value * 2,
                float(value % 2**60),
                str(value),
                value + 2 ** rng.randrange(64),
            ]
        )
    if isinstance(value, float):
        return rng.choice(
            [
                -value,
                value / 2,
                value * 2,
                1 - value,
                value + 1e-12,
                int(value) if abs(value) < 1e9 else 0,
                str(value),
            ]
        )
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        return rng.choice(
            [
                value[:at],
                value[at:],
                value[:at] + rng.choice("x/.\0é\n\"'0") + value[at:],
                value * 2,
                [value],
                value.upper(),
            ]
        )
    if isinstance(value, list):
        return rng.choice([value[::-1], value * 2, value[:1], [value], dict(enumerate_keys(value))])
    return rng.choice([list(value.values()), [value], {**value, "more": rng.choice(STRANGE)}])


def enumerate_keys(values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Give a list's values names."""
    return ((f"x{place}", value) for place, value in enumerate(values))


def mutate_value(value: Any, rng: random.Random, words: Sequence[str] = ()) -> Any:
    """Return a value with one change somewhere."""
    value = copy.deepcopy(value)
    places = list(places_in(value))
    if not places:
        return rng.choice(STRANGE)
    *path, last = rng.choice(places)
    inside = _find(value, tuple(path))
    match rng.randrange(7):
        case 0:
            del inside[last]
        case 1:
            inside[last] = rng.choice(STRANGE)
        case 2:
            inside[last] = copy.deepcopy(_find(value, rng.choice(places)))
        case 3 if isinstance(inside, list):
            inside.insert(last, copy.deepcopy(inside[last]))
        case 3:
            inside[rng.choice(words) if words else "more"] = rng.choice(
                [rng.choice(STRANGE), copy.deepcopy(inside[last])]
            )
        case 4 if words:
            inside[last] = rng.choice(words)
        case _:
            inside[last] = _nudge(inside[last], rng)
    return value


def mutate_some(value: Any, rng: random.Random, words: Sequence[str] = ()) -> Any:
    """Return a value with one to four changes."""
    for _ in range(rng.choice([1, 1, 1, 2, 2, 4])):
        value = mutate_value(value, rng, words)
    return value
