"""Changes of bytes for runs without libFuzzer: flipped, cut, repeated, put in."""

from __future__ import annotations

import random
from collections.abc import Sequence


def change_bytes(data: bytes, rng: random.Random, words: Sequence[str] = ()) -> bytes:
    """Return bytes with one change somewhere."""
    if not data:
        return rng.randbytes(8)
    start = rng.randrange(len(data))
    end = min(len(data), start + rng.choice([1, 1, 2, 4, 16, 200]))
    match rng.randrange(5):
        case 0:
            return data[:start] + bytes([data[start] ^ (1 << rng.randrange(8))]) + data[start + 1 :]
        case 1:
            return data[:start] + data[end:]
        case 2:
            return data[:end] + data[start:]
        case 3 if words:
            return data[:start] + rng.choice(words).encode() + data[end:]
        case _:
            return data[:start] + rng.randbytes(end - start) + data[end:]
