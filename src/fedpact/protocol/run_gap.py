"""What averaging lost in a run, where all its sites are on one machine: a trial, never a real federation.

The samples that the ledger has, and the check has passed, are pooled, which in a real federation nobody could
do, and training goes on from the same start with the same rounds and epochs; see
:mod:`fedpact.training.averaging_gap`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.errors import ProtocolError
from fedpact.protocol.home import RunHome
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.operator import read_run
from fedpact.protocol.operator.run_state import RunState
from fedpact.protocol.site.model_trainer import ModelTrainer
from fedpact.protocol.site.site import Site, read_samples
from fedpact.protocol.site.site_files import read_site
from fedpact.training.averaging_gap import AveragingGap, measure_gap
from fedpact.training.weights import Weights


def _read_trained(where: str) -> tuple[RunState, Weights | None]:
    """Return the last run of a ledger, and from which weights its training started, if it did."""
    with Ledger.open(where) as ledger:
        state = read_run(ledger)
        entries = (entry for entry in ledger.entries() if (entry.run, entry.kind) == (state.run, "train"))
        first = next(entries, None)
    return state, None if first is None else Weights.from_dict(first.body["weights"])


def _trainer_of(site: Site) -> ModelTrainer:
    if not isinstance(site.trainer, ModelTrainer):
        raise ProtocolError(f"site {site.name!r} has no examples on this machine; they are needed to pool them")
    return site.trainer


def _quota(site: Site, run: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    trainer = _trainer_of(site)
    places, codes = trainer.known(*read_samples(site, run))
    return trainer.points[places], np.array(trainer.model.classes)[codes]


def _held_out(site: Site) -> tuple[NDArray[np.float64], NDArray[Any]]:
    trainer = _trainer_of(site)
    if trainer.held_out is None:
        return trainer.points[:0], np.array(trainer.model.classes)[:0]
    points, codes = trainer.held_out
    places, known = trainer.known(np.arange(len(codes)), codes)
    return points[places], np.array(trainer.model.classes)[known]


def measure_run_gap(home: RunHome) -> AveragingGap | None:
    """Train again as in the last run of a home, and beside it on all samples in one place.

    None if there is nothing to compare: nothing was trained, or no sample has passed the check.

    Raises
    ------
    ProtocolError
        If the examples of a site are not on this machine.
    """
    state, start = _read_trained(home.ledger)
    givers = [name for name, count in state.contributed.items() if count and name not in state.withheld]
    if start is None or not state.round or not givers:
        return None
    missing = [name for name in state.pact.names if name not in home.sites]
    if missing:
        raise ProtocolError(f"site {missing[0]!r} is not on this machine; its samples are needed to pool them")
    sites = {name: read_site(folder) for name, folder in home.sites.items()}
    assert state.pact.training is not None
    return measure_gap(
        _trainer_of(sites[givers[0]]).model,
        start,
        {name: _quota(sites[name], state.run) for name in givers},
        {name: _held_out(site) for name, site in sites.items()},
        **state.pact.training.to_dict(),
    )
