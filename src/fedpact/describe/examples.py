"""Named federations to try things on: the paper's instances, two counterexamples, one from public data.

Each is a function here (``alice_bob``) and an entry of :data:`CATALOGUE` under its name with dashes
(``alice-bob``), which is what the command line takes; :func:`build` also reads arguments behind the name,
as in ``price-of-stability(1/1024)``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

from fedpact.describe.arizona import arizona_hospitals
from fedpact.describe.constructions import (
    alice_bob,
    coupon_collector,
    expected_min_counterexample,
    no_pure_equilibrium,
    price_of_stability,
    pwyc_not_dominant,
    set_cover,
    singletons,
)
from fedpact.describe.federation import Federation
from fedpact.describe.names import nearest
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError

__all__ = [
    "CATALOGUE",
    "Example",
    "alice_bob",
    "arizona_hospitals",
    "build",
    "coupon_collector",
    "expected_min_counterexample",
    "find",
    "no_pure_equilibrium",
    "price_of_stability",
    "pwyc_not_dominant",
    "set_cover",
    "singletons",
]

_CALL = re.compile(r"\s*(?P<name>[\w-]+)\s*(?:\((?P<arguments>[^()]*)\)\s*)?")


@dataclass(frozen=True, slots=True)
class Example:
    """A named federation: what it shows, where it comes from, and the function that builds it."""

    build: Callable[..., Federation]
    source: str

    @property
    def summary(self) -> str:
        """What it shows, the first line of what :attr:`build` says of itself."""
        return str(inspect.getdoc(self.build)).partition("\n")[0]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.build.__name__.replace("_", "-")

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the arguments that :attr:`build` takes, in order."""
        return tuple(inspect.signature(self.build).parameters)


CATALOGUE: dict[str, Example] = {
    example.name: example
    for example in (
        Example(alice_bob, "paper, section 3; ERRATA B6"),
        Example(no_pure_equilibrium, "paper, theorem on the non-existence of pure Nash equilibria; ERRATA C1"),
        Example(
            price_of_stability, "paper, theorem that the price of stability is unbounded; corrected by ERRATA B1"
        ),
        Example(coupon_collector, "paper, warm-up example of section 2"),
        Example(set_cover, "paper, theorem on NP-hardness; corrected by ERRATA B2"),
        Example(singletons, "paper, lemma on local obliviousness; corrected by ERRATA A6 and B4"),
        Example(expected_min_counterexample, "ERRATA A1, on the paper's appendix about expected accuracy"),
        Example(pwyc_not_dominant, "ERRATA A2 and A3, on the paper's section 5"),
        Example(arizona_hospitals, "data set azpro (1991 Arizona Medpar files) of the R package COUNT"),
    )
}


def find(name: str) -> Example:
    """Look up an example by its name, with or without arguments behind it."""
    wanted = name.partition("(")[0].strip().lower().replace("_", "-")
    if wanted not in CATALOGUE:
        raise FederationError(f"no example is called {name!r}; {nearest(wanted, CATALOGUE)}")
    return CATALOGUE[wanted]


def build(name_with_args: str) -> Federation:
    """Build the example that a string like ``price-of-stability(1/1024)`` names.

    Arguments are numbers or fractions, in order or as ``key=value``; without any, the defaults hold.

    Examples
    --------
    >>> build("coupon-collector(6)")
    Federation('coupon-collector': 1 agent, 7 hypotheses, table, pac, per-agent)
    >>> build("alice-bob(epsilon=0.05, delta=1/10)").delta
    0.1
    >>> build("alice-rob")
    Traceback (most recent call last):
    fedpact.errors.FederationError: no example is called 'alice-rob'; did you mean 'alice-bob'?
    """
    call = _CALL.fullmatch(name_with_args)
    if call is None:
        raise FederationError(
            f"an example is written as a name, or a name with arguments like coupon-collector(6); "
            f"it is {shorten(name_with_args)}"
        )
    example = find(call["name"])
    arguments = _read_arguments(example, call["arguments"] or "")
    try:
        return example.build(**arguments)
    except FederationError as error:
        raise FederationError([f"example {example.name!r}: {problem}" for problem in error.problems]) from None


def _read_arguments(example: Example, text: str) -> dict[str, str]:
    """Match the arguments with the parameters' names; the builder itself reads the numbers."""
    given: list[str] = []
    named: dict[str, str] = {}
    try:
        for piece in text.split(",") if text.strip() else []:
            key, equals, value = (part.strip() for part in piece.rpartition("="))
            if not value or key in named:
                raise TypeError(f"{key!r} must have a value, and only one")
            if equals:
                named[key] = value
            elif named:
                raise TypeError(f"{value!r} without a name follows a named argument")
            else:
                given.append(value)
        return inspect.signature(example.build).bind(*given, **named).arguments
    except TypeError as error:
        takes = ", ".join(example.parameters) or "no arguments"
        raise FederationError(
            f"example {example.name!r} takes {takes}; it is given {text.strip()}: {error}"
        ) from None
