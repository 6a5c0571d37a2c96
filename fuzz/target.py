"""What is fuzzed: a reader, its seeds, and how an input is changed without breaking what holds it together."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

NAMES = (
    "federation_files",
    "prediction_files",
    "report_files",
    "ledger_files",
    "ledger_exports",
    "messages",
)


MOST_SECONDS = 5
"""Of the processor, for one input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A reader to be fuzzed."""

    about: str
    """What it reads, and what must hold."""
    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[bytes], bool]
    """Whether an input is accepted; anything but an answer or a refusal is raised."""
    mutate: Callable[[bytes, random.Random], bytes]
    """Change what an input means, and make good again what guards it; ``Unreadable`` if it has no meaning."""
    words: Sequence[str]
    """Keys and values that mean something."""
    from_text: Callable[[str], bytes] = lambda text: text.encode("latin-1")
    """Make an input of the text that ``found.toml`` keeps of it."""


class Unreadable(Exception):  # noqa: N818
    """An input is too broken to be changed by its meaning."""


def load_target(name: str) -> Target:
    """Import a target, and with it the reader."""
    target: Target = import_module(f"fuzz.{name}").TARGET
    return target


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An input that once broke a reader, kept in ``found.toml``: tests read it, and the page lists it."""

    target: str
    what: str
    """What went wrong, and what is done now."""
    text: str
    """The input as its target writes it in text: bytes by their numbers, unless it says otherwise."""


def read_found() -> list[Found]:
    """List all of them."""
    listed = tomllib.loads(Path(__file__).with_name("found.toml").read_text(encoding="utf-8"))
    return [Found(**one) for one in listed["found"]]
