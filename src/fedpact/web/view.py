"""What one address shows: a federation with its changes, and what is asked about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import fedpact as fp
from fedpact.web.changes import Changed, read_changes
from fedpact.web.library import Known
from fedpact.web.options import Options, list_options, read_options

MOST_PARAMETERS = 1_000
"""Of an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An address, read."""

    known: Known
    changed: Changed
    options: Options
    problems: Mapping[str, str]
    """Field, as in the address -> what is wrong with its value."""

    @property
    def fed(self) -> fp.Federation:
        """The federation with its changes."""
        return self.changed.federation

    @property
    def query(self) -> str:
        """The address behind the ``?``: changes and options, so that whoever opens it sees the same."""
        return urlencode(self.kept)

    def _write(self, page: str, given: Iterable[tuple[str, str]]) -> str:
        query = urlencode(list(given))
        return f"/federations/{quote(self.known.key, safe='')}/{page}{'?' if query else ''}{query}"

    def address(self, page: str, **options: str) -> str:
        """Return the address of a page about the same federation, with these options besides."""
        return self._write(page, [*(pair for pair in self.kept if pair[0] not in options), *options.items()])

    def address_of_file(self, page: str) -> str:
        """Return the address of a page about the federation as its file has it, with the same options."""
        return self._write(page, list_options(self.options))

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What an address of the same federation says, name by name: changes, then options."""
        return [*self.changed.given, *list_options(self.options)]

    @property
    def wrong(self) -> Mapping[str, str]:
        """Field -> the text in it that is wrong, so that a form can show it again."""
        return {name: text for name, text in self.changed.given if name in self.problems}


def read_view(known: Known, parameters: Iterable[tuple[str, str]]) -> View:
    """Read an address."""
    given = list(parameters)
    changed = read_changes(known.federation, given)
    options, problems = read_options(given)
    return View(known=known, changed=changed, options=options, problems={**changed.problems, **problems})
