"""All experiments by name, and the module that each stands in."""

from __future__ import annotations

from importlib import import_module

import fedpact as fp
from reproduction.experiment import Experiment
from reproduction.values import nearest

HOMES = {
    "composition-femnist": "composition.femnist",
    "composition-shakespeare": "composition.shakespeare",
    "planner-table": "planner_table.table",
    "price-of-stability": "price_of_stability",
    "no-pure-equilibrium": "no_pure_equilibrium",
    "hardness": "hardness",
    "obliviousness": "obliviousness",
    "mechanisms": "mechanisms",
    "exchangeability": "exchangeability",
    "federated": "federated.experiment",
    "selection": "selection.experiment",
    "coverage": "coverage",
    "contribution-check": "contribution_check",
    "truthfulness": "truthfulness",
    "hospitals": "private_sites",
    "digits": "private_sites",
    "noise": "noise",
    "liars": "liars",
    "errata": "errata.experiment",
    "examples": "examples",
}


def find_experiment(name: str) -> Experiment:
    """Find an experiment by its name.

    Examples
    --------
    >>> find_experiment("hardness").about[:9]
    'Set cover'
    """
    if name not in HOMES:
        raise fp.FederationError(f"there is no experiment {name!r}; {nearest(name, HOMES)}")
    found: Experiment = vars(import_module(f"reproduction.{HOMES[name]}"))[name.replace("-", "_").upper()]
    return found


def list_experiments() -> dict[str, str]:
    """Tell what can be reproduced: name -> one sentence."""
    return {name: find_experiment(name).about for name in HOMES}
