"""Whether what an experiment needs is installed."""

from __future__ import annotations

from importlib.util import find_spec

from fedpact.errors import MissingExtraError
from fedpact.experiments.sweep.experiment import Experiment

_ALWAYS = ("joblib", "matplotlib", "quantecon", "sklearn", "threadpoolctl", "torch")
_PACKAGES = {
    "experiments": _ALWAYS,
    "privacy": ("opendp",),
    "protocol": ("cryptography", "sqlalchemy"),
    "ray": (*_ALWAYS, "ray"),
}


def require_packages(experiment: Experiment, engine: str) -> None:
    """Raise one clear line, before anything is computed, unless the experiment can run."""
    needed = ("ray" if engine == "ray" else "experiments", *experiment.extras)
    missing = [extra for extra in needed if any(find_spec(package) is None for package in _PACKAGES[extra])]
    if missing:
        raise MissingExtraError(f"the experiment {experiment.name}", extra=",".join(missing))
