"""The formats of everything that fedpact stores or sends, each with its number.

A number is raised whenever the keys of a format change, what they hold, or what a code in it means;
``tests/formats`` keeps files of every number and the layout that belongs to it. A reader refuses a number that it
does not know in one line: what it found, what it reads, what to do. Codes may be added under the same number, such
as a payment rule or a kind of cost: an older reader refuses one by its name. The numbers of results are their
``schema``.
"""

from __future__ import annotations

from typing import Any, Final

from fedpact.errors import FedpactError, FormatError

LEDGER: Final = 1
"""Entries of a ledger, in a database or an export; what they hold of plans, checks and settlements included."""
PACT: Final = 1
MESSAGE: Final = 1
"""Requests and answers, as they are signed."""
STATEMENT: Final = 1
"""Statements of payment, as the operator signs them and as files."""
REPORT: Final = 2
"""Report files (``.npz``); those of format 1, which have no checksum, are still read."""
FEDERATION: Final = 1
"""Federation files (TOML, JSON)."""
HOME: Final = 1
"""``operator/run.json`` in the home of a run."""
SITE: Final = 1
"""``site.toml`` in a site's folder."""
SITE_RECORD: Final = 1
"""What a site remembers of a run, ``.fedpact/*.json``: its answers, and which points wait for a label."""
KEYS: Final = 1
"""``public-keys.json`` in a folder of keys."""


def check_format(found: Any, known: int, what: str, where: str, error: type[FedpactError] = FormatError) -> None:
    r"""Refuse anything of another format.

    Raises
    ------
    FedpactError
        Of the given class.

    Examples
    --------
    >>> try:
    ...     check_format(2, 1, "ledger", "run.ledger")
    ... except FormatError as error:
    ...     print(str(error).replace(": ", ":\n"))
    run.ledger has ledger format 2; this fedpact reads format 1:
    install a newer fedpact, or open it with the one that wrote it
    """
    if type(found) is int and found == known:
        return
    if found is None:
        raise error(
            f"{where} has no {what} format, as fedpact 0.1 wrote it; this fedpact reads format {known}: open it "
            "with the one that wrote it"
        )
    is_later = type(found) is int and found > known
    newer = "install a newer fedpact, or " if is_later else ""
    shown = found if isinstance(found, int | float) else repr(found)[:60]
    raise error(
        f"{where} has {what} format {shown}; this fedpact reads format {known}: {newer}open it with the one that "
        "wrote it"
    )
