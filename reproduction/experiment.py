"""What an experiment consists of: settings in, cells that can be computed anywhere, plain results out.

An experiment is cut into *cells*. A cell is a mapping of plain values that says everything about a piece of
the work (sizes, rates, seeds), beside the arrays that it works on; it is computed by a function of the two and
answered with a mapping of plain values. So a cell can be computed in any process, on any machine, in any order,
and an answer that is known need not be computed again. Stages follow each other: the cells of one may depend on
the answers of those before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reproduction.figures import Figure

Settings: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = dict[str, Any]
Arrays: TypeAlias = Mapping[str, NDArray[np.generic]]

NOTHING: Arrays = MappingProxyType({})
NO_END = 1e9
"""Seconds for a search: what an answer is must not hang on how busy the machine was."""


class Task(NamedTuple):
    """A cell and the arrays that it works on."""

    cell: Mapping[str, Any]
    arrays: Arrays = NOTHING


class Table(NamedTuple):
    """A table to print: what it is about, its columns, and its cells as text."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    """How many columns, from the left, are text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Cells that do not depend on each other."""

    cut: Callable[[Settings, Any, Sequence[Sequence[Answer]]], list[Task]]
    """(settings, data, answers of the stages before) -> tasks, in the order of their answers."""
    compute: Callable[[Mapping[str, Any], Arrays], Answer]
    """(cell, arrays) -> answer; a function of a module, so that other processes find it."""
    is_training: bool = False
    """Whether models are trained and nothing else: hours of work that do not hang on the rest of the program.
    All other answers are kept for the program as it is, and another one is asked anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """An experiment by name: everything but its parameters, which stand in ``settings/NAME.toml``."""

    name: str
    about: str
    """One sentence."""
    stages: tuple[Stage, ...]
    sum_up: Callable[[Settings, Any, Sequence[Sequence[Answer]]], Answer]
    """(settings, data, answers of every stage) -> results, plain values."""
    tabulate: Callable[[Mapping[str, Any]], list[Table]]
    """Results -> what to print."""
    conclude: Callable[[Mapping[str, Any]], list[str]]
    """Results -> what they say, a sentence each."""
    draw: Callable[[Mapping[str, Any]], Figure] | None = None
    """Results -> a figure; it computes nothing."""
    prepare: Callable[[Settings, str | None], Any] = lambda settings, data: None
    """(settings, where the data are, or None for the embedded ones) -> data for :attr:`Stage.cut`."""
    reads_data: bool = False
    packages: tuple[str, ...] = ()
    """Whose versions the answers depend on, beside fedpact, numpy and scipy."""
    extras: tuple[str, ...] = ()
    """What must be installed beside the extra "experiments"."""
    revision: int = 1
    """Raised when the same cell means something else, so that answers kept from before are not taken."""
