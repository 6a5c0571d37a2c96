"""What there is to say about a result, in the order in which it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["text", "prose", "count", "number", "share"]
Mood: TypeAlias = Literal["", "good", "so-so", "bad"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One of the few numbers that matter: "5" "samples to label"."""

    label: str
    value: Any
    mood: Mood = ""
    is_in_headline: bool = False
    """Whether the headline says it too: pages show it as a tile, text leaves it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What a sceptical reader asks, and the answer: a line of a certificate."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A text in a table that is good or bad news, or has more to it."""

    text: str
    mood: Mood = "good"
    hint: str = ""
    """What a page adds to it in small letters."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its title, and how its values are written."""

    title: str
    kind: Kind = "text"

    @property
    def is_number(self) -> bool:
        """Whether its values stand at the right."""
        return self.kind not in ("text", "prose")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under titled columns; the first column says what a row is about."""

    name: str
    """What it is called among the tables of a page: a code."""
    title: str = ""
    note: str = ""
    """What one must know to read it; stands before it."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    """A value for every column: a number, a text, a :class:`Mark`, or None where there is none.

    A row may be shorter: its last value, a text, stands in all columns that are left.
    """
    gap: str = ""
    """What is left out in the middle of its rows; stands there."""
    total: tuple[Any, ...] | None = None
    """A last row that sums up."""
    rest: str = ""
    """What is left out of it; stands after it."""
    is_folded: bool = False
    """Whether a page shows it only when asked."""

    @property
    def is_wide(self) -> bool:
        """Whether a narrow screen has no room for its rows: too many texts, or long ones."""
        texts = [column.kind for column in self.columns if not column.is_number]
        return len(texts) > 2 or "prose" in texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The data of a chart, with the sentence and the table that say the same."""

    name: str
    title: str
    description: str
    """What it shows, for those who do not see it."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A result in words."""

    kind: str
    title: str
    """What it is: a few words."""
    headline: str
    """The answer, in a sentence."""
    premise: str = ""
    """What it assumes of labels; stands under the headline."""
    facts: tuple[Fact, ...] = ()
    sentences: tuple[str, ...] = ()
    """What else to know, the most important first."""
    charts: tuple[Chart, ...] = ()
    chooser: str = ""
    """What one chooses by, where the charts are alternatives: a page shows one at a time."""
    tables: tuple[Table, ...] = ()
    points: tuple[Point, ...] = ()
    """The certificate: why a stranger should believe it."""

    def __str__(self) -> str:
        from fedpact.explain.text import to_text

        return to_text(self)
