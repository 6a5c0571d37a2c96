"""All experiments by name."""

from __future__ import annotations

from fedpact.describe.names import nearest
from fedpact.errors import FederationError
from fedpact.experiments.composition.femnist import COMPOSITION_FEMNIST
from fedpact.experiments.composition.shakespeare import COMPOSITION_SHAKESPEARE
from fedpact.experiments.contribution_check import CONTRIBUTION_CHECK
from fedpact.experiments.coverage import COVERAGE
from fedpact.experiments.errata.experiment import ERRATA
from fedpact.experiments.examples import EXAMPLES
from fedpact.experiments.exchangeability import EXCHANGEABILITY
from fedpact.experiments.faults import FAULTS
from fedpact.experiments.federated.experiment import FEDERATED
from fedpact.experiments.hardness import HARDNESS
from fedpact.experiments.mechanisms import MECHANISMS
from fedpact.experiments.no_pure_equilibrium import NO_PURE_EQUILIBRIUM
from fedpact.experiments.noise import NOISE
from fedpact.experiments.obliviousness import OBLIVIOUSNESS
from fedpact.experiments.planner_table.table import PLANNER_TABLE
from fedpact.experiments.price_of_stability import PRICE_OF_STABILITY
from fedpact.experiments.private_sites import DIGITS, HOSPITALS
from fedpact.experiments.sweep.experiment import Experiment
from fedpact.experiments.truthfulness import TRUTHFULNESS

_ALL: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        COMPOSITION_FEMNIST,
        COMPOSITION_SHAKESPEARE,
        PLANNER_TABLE,
        PRICE_OF_STABILITY,
        NO_PURE_EQUILIBRIUM,
        HARDNESS,
        OBLIVIOUSNESS,
        MECHANISMS,
        EXCHANGEABILITY,
        FEDERATED,
        COVERAGE,
        CONTRIBUTION_CHECK,
        TRUTHFULNESS,
        HOSPITALS,
        DIGITS,
        FAULTS,
        NOISE,
        ERRATA,
        EXAMPLES,
    )
}


def list_experiments() -> dict[str, str]:
    """Tell what can be reproduced: name -> one sentence.

    Examples
    --------
    >>> "price-of-stability" in list_experiments()
    True
    """
    return {name: experiment.about for name, experiment in _ALL.items()}


def find_experiment(name: str) -> Experiment:
    """Find an experiment by its name."""
    if name not in _ALL:
        raise FederationError(f"there is no experiment {name!r}; {nearest(name, _ALL)}")
    return _ALL[name]
