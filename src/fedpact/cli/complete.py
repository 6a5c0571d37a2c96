"""What a shell offers when a word is begun, and help names: examples, files, and the values of a choice.

Planners are read from their table. The table of payment rules needs numpy, which help need not wait for; their
words name the same rules in the same order, and those that pay in a run have words for a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer

import fedpact as fp
from fedpact.explain.words import words_of
from fedpact.planning.methods import PLANNERS

_TITLES = [key.removeprefix("title.") for key in words_of("rule").texts if key.startswith("title.")]
METHODS = tuple(PLANNERS)
RUN_METHODS = tuple(name for name, planner in PLANNERS.items() if not planner.needs_joint)
"""Those that plan from reports."""
RULES = tuple(name for name in _TITLES if name != "own")
RUN_RULES = tuple(name for name in RULES if f"statement.{name}" in words_of("rule"))
"""Those that pay for any plan."""
ASSUMPTIONS = ("realizable", "noisy", "agnostic")
SCOPES = ("each", "one")
WAYS = ("adaptive", "implied-free")


def list_choices(*values: str) -> str:
    """Name the values of a choice in help.

    Examples
    --------
    >>> list_choices("tree", "lp", "auto")
    'tree, lp or auto'
    """
    return " or ".join([", ".join(values[:-1]), values[-1]])


METHOD_NAMES = list_choices(*reversed(METHODS))


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


def choose(values: Sequence[str], meaning: str) -> Any:
    """Make an option that takes one of a few values, and completes them."""
    return typer.Option(help=meaning, autocompletion=one_of(*values))


def one_of(*values: str) -> Callable[[str], list[str]]:
    """Complete one of a few values."""
    return lambda incomplete: [value for value in values if value.startswith(incomplete)]
