"""The parameters of the experiment, checked before anything is computed."""

from __future__ import annotations

from typing import Any

import fedpact as fp
from reproduction.experiment import Settings
from reproduction.private_planning import METHODS
from reproduction.values import read_chance, read_choice, read_positive, read_size, read_whole_number, shorten

WRITERS, HOSPITALS = "writers", "hospitals"
FEDERATIONS = (WRITERS, HOSPITALS)
_MOST_CANDIDATES = 500
_MOST_DRAWS = 1_000_000


def read_federations(settings: Settings) -> list[str]:
    """Read which federations are asked for.

    Examples
    --------
    >>> read_federations({"federations": ["hospitals"]})
    ['hospitals']
    """
    named = list(dict.fromkeys(settings["federations"]))
    if not named or any(name not in FEDERATIONS for name in named):
        raise fp.FederationError(
            f"federations must be some of {', '.join(FEDERATIONS)}; they are {shorten(settings['federations'])}"
        )
    return named


def read_parameters(settings: Settings) -> dict[str, dict[str, Any]]:
    """Federation -> what is done there, and how."""
    read_whole_number(settings["batch"], "batch", least=1)
    read_positive(settings["learning_rate"], "learning_rate")
    common = {
        "epsilon": read_chance(settings["epsilon"], "epsilon"),
        "delta": read_chance(settings["delta"], "delta"),
        "method": read_choice(settings["method"], "method", METHODS),
        "H": read_size(settings["H"], "H", least=2, most=_MOST_CANDIDATES),
        "draws": read_size(settings["draws"], "draws", least=1, most=_MOST_DRAWS),
        "test_share": read_chance(settings["test_share"], "test_share"),
    }
    read_whole_number(settings["writers"], "writers", least=2)
    return {name: common | {"federation": name} for name in read_federations(settings)}
