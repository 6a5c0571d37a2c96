"""Inputs that once broke a reader, kept as text in ``found.toml``: tests read them, and the page lists them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Something that the fuzzer found."""

    target: str
    what: str
    """What went wrong, and what is done now."""
    text: str
    """The input as its target writes it in text: bytes by their numbers, unless it says otherwise."""


def read_found() -> list[Found]:
    """List all of them."""
    listed = tomllib.loads(Path(__file__).with_name("found.toml").read_text(encoding="utf-8"))
    return [Found(**one) for one in listed["found"]]
