"""Numbers in prose: each is quoted from a JSON under docs/results, or given, as a definition or a parameter is.

`tests/docs/quotations.toml` has the sentences, page by page, as f-strings over the JSON that they quote, and
`tests/docs/given.toml` the phrases whose numbers nobody measured. Both say at their top how to write an entry.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
TABLES = Path(__file__).parent / "docs"
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
NOT_PROSE = re.compile(
    r"^```.*?^```|(?<=\n\n)(?: {4}[^\n]*\n)+"  # blocks, which are executed
    r"|`[^`]+`|<[a-z!/][^>]*>|\]\([^)]*\)|https?://\S+"  # code, tags, links
    r"|^ *\d+\. |^#+ \d+\. "  # numbers of list items and headings
    r"|(?<![\w.])[A-Za-z_]\w*",  # words, and names such as A1 and m_2
    flags=re.MULTILINE | re.DOTALL,
)
ADVICE = """\
If it was measured or computed, quote it from a JSON under docs/results: tests/docs/quotations.toml.
If it is a definition, a parameter or a date, list its phrase: tests/docs/given.toml.
If a program writes the whole page from a JSON, name its writer: WRITERS in scripts/results_pages.py.
If nobody would miss it, leave it out."""


class Entry(dict):
    """An object of a JSON file; ``row.cost`` is ``row["cost"]``."""

    __getattr__ = dict.__getitem__


WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
HELPERS = {
    "fraction": lambda value: Fraction(value).limit_denominator(10_000),
    "log": math.log,
    "sqrt": math.sqrt,
    "word": WORDS.__getitem__,
}


@cache
def read_results(name: str) -> dict[str, Any]:
    """What a quotation may name: the keys of a JSON under docs/results, and those of its results."""
    entry = json.loads((ROOT / "docs" / "results" / f"{name}.json").read_text(), object_hook=Entry)
    return entry | entry.get("results", {})


@dataclass(frozen=True, kw_only=True)
class Quotation:
    """A sentence of a page, as an f-string over a JSON."""

    page: str
    says: str
    sources: tuple[str, ...]
    let: dict[str, str]
    holds: tuple[str, ...]

    def names(self) -> dict[str, Any]:
        """Everything that an expression may use."""
        known: dict[str, Any] = HELPERS | {"shown": self.find_shown}
        for source in self.sources:
            known |= read_results(source)
        for name, expression in self.let.items():
            known[name] = eval(expression, known)
        return known

    def find_shown(self, pattern: str) -> tuple[str, ...]:
        """What stands in the blocks of the page, which are executed."""
        blocks = re.findall(r"^```.*?^```", (ROOT / self.page).read_text(), flags=re.MULTILINE | re.DOTALL)
        return re.search(pattern, "\n".join(blocks)).groups()

    def render(self) -> str:
        """The sentence, with its numbers from the JSON."""
        return str(eval(f'f"""{self.says}"""', self.names()))

    def find_false(self) -> list[str]:
        """Claims of the sentence that the JSON does not bear out."""
        return [claim for claim in self.holds if not eval(claim, self.names())]


class Number(NamedTuple):
    """A number that no quotation and no given phrase covers."""

    line: int
    text: str
    sentence: str


def read_quotations() -> list[Quotation]:
    """All quotations, in the order of the file."""
    pages = tomllib.loads((TABLES / "quotations.toml").read_text())
    return [
        Quotation(
            page=page,
            says=entry["says"].strip(),
            sources=tuple([given] if isinstance(given := entry.get("from", []), str) else given),
            let=entry.get("let", {}),
            holds=tuple(entry.get("holds", ())),
        )
        for page, entries in pages.items()
        for entry in entries
    ]


def to_pattern(phrase: str) -> re.Pattern[str]:
    """Find a phrase however its lines are broken, and not within a longer number."""
    words = r"\s+".join(re.escape(word) for word in phrase.split())
    return re.compile(rf"(?<!\d)(?<!\d[.,]){words}(?!\d|[.,]\d)")


def read_given() -> dict[str, dict[str, re.Pattern[str]]]:
    """Phrases by page, with their patterns."""
    given = tomllib.loads((TABLES / "given.toml").read_text())
    everywhere = {phrase: re.compile(phrase.replace(" ", r"\s+")) for phrase in given.pop("everywhere")}
    pages = {page: {phrase: to_pattern(phrase) for phrase in phrases} for page, phrases in given.items()}
    return pages | {"everywhere": everywhere}


def find_numbers(text: str) -> Iterator[re.Match[str]]:
    """Every number in the prose of a page."""
    return NUMBER.finditer(NOT_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text))


def find_uncovered(text: str, known: Iterable[re.Pattern[str]]) -> list[Number]:
    """Numbers in the prose of a page that no known phrase holds."""
    spans = [found.span() for pattern in known for found in pattern.finditer(text)]
    lines = text.splitlines()
    left = [
        (text.count("\n", 0, number.start()), number[0])
        for number in find_numbers(text)
        if not any(start <= number.start() and number.end() <= end for start, end in spans)
    ]
    return [Number(line + 1, number, lines[line].strip()) for line, number in left]


def known_phrases(page: str, quotations: Iterable[Quotation]) -> list[re.Pattern[str]]:
    """Everything that covers numbers of a page."""
    given = read_given()
    quoted = [to_pattern(quotation.render()) for quotation in quotations if quotation.page == page]
    return [*quoted, *given.get(page, {}).values(), *given["everywhere"].values()]
