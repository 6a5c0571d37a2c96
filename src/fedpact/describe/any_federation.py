"""A federation, its file, or the name of an example: whatever a user has at hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from fedpact.describe.federation import Federation
from fedpact.describe.names import nearest
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError

AnyFederation: TypeAlias = Federation | str | PathLike[str]
P = ParamSpec("P")
R = TypeVar("R")


def is_file(text: str) -> bool:
    """Whether ``text`` is meant as a file, not as the name of an example."""
    return Path(text).suffix in (".toml", ".json") or (text != "" and Path(text).exists())


def refuse_report(text: str) -> None:
    """Say what to do with a report where a federation is asked for."""
    if Path(text).suffix == ".npz":
        raise FederationError(
            f"{text} is one site's report, not a federation; make one of all reports: "
            "fedpact gather *.report.npz --epsilon 0.1 --delta 0.05 -o network.toml"
        )


def read_federation(given: AnyFederation) -> Federation:
    """Load a file, or build the example of that name; a federation is handed on.

    Examples
    --------
    >>> read_federation("alice-bob(0.05)").epsilon
    array([0.05, 0.05])
    >>> read_federation("alice-bop")
    Traceback (most recent call last):
    fedpact.errors.FederationError: 'alice-bop' is neither a file nor an example; did you mean 'alice-bob'?
    """
    if isinstance(given, Federation):
        return given
    if not isinstance(given, str | PathLike):
        raise FederationError(
            f"a federation, its file or the name of an example is needed; it is {shorten(given)}"
        )
    text = fspath(given)
    refuse_report(text)
    if isinstance(given, PathLike) or is_file(text):
        from fedpact.describe.files import load

        return load(text)
    from fedpact.describe import examples

    try:
        examples.find(text)
    except FederationError:
        known = nearest(text, examples.CATALOGUE)
        raise FederationError(f"{text!r} is neither a file nor an example; {known}") from None
    return examples.build(text)


def takes_federation(
    function: Callable[Concatenate[Federation, P], R],
) -> Callable[Concatenate[AnyFederation, P], R]:
    """Let a function take a federation's file, or the name of an example, for the federation itself."""

    @wraps(function)
    def with_federation(*args: Any, **kwargs: Any) -> R:
        if args:
            args = (read_federation(args[0]), *args[1:])
        elif "fed" in kwargs:
            kwargs["fed"] = read_federation(kwargs["fed"])
        return function(*args, **kwargs)

    with_federation.__annotations__ = {**function.__annotations__, "fed": "AnyFederation"}

    return with_federation
