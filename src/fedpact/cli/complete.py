"""What a shell offers when a word is begun: names of examples and files, and the values of a choice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fedpact as fp

METHODS = ("auto", "exact", "tree", "union", "lp")


def complete_names(incomplete: str) -> list[str]:
    """Return the examples whose names begin so."""
    return [name for name in fp.examples.CATALOGUE if name.startswith(incomplete)]


def complete_federations(incomplete: str) -> list[str]:
    """Return the federation files, folders and examples whose names begin so."""
    folder = "".join(incomplete.rpartition("/")[:2])
    paths = [path for path in Path(folder).glob("*") if not path.name.startswith(".")]
    names = sorted(f"{folder}{path.name}{'/' * path.is_dir()}" for path in paths)
    found = [name for name in names if name.startswith(incomplete) and name.endswith(("/", ".toml", ".json"))]
    return [*found, *complete_names(incomplete)]


def complete_rules(*more: str) -> Callable[[str], list[str]]:
    """Complete a payment rule, or one of a few words more."""

    def complete(incomplete: str) -> list[str]:
        from fedpact.mechanism.payment.rules import RULES

        return one_of(*RULES, *more)(incomplete)

    return complete


def one_of(*values: str) -> Callable[[str], list[str]]:
    """Complete one of a few values."""
    return lambda incomplete: [value for value in values if value.startswith(incomplete)]
