"""Sites with real labels, which no candidate predicts: what they evaluate on, and what comes of a run."""

import numpy as np
import pytest

from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.federation import Federation
from fedpact.protocol.home import prepare_home
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import run, run_home
from fedpact.protocol.site.pool import Pool
from fedpact.protocol.site.site import HeldOut, Site
from fedpact.protocol.site.site_files import read_site
from fedpact.protocol.site.write_site import write_site

NAMES = CandidateList.from_names([f"threshold {place}" for place in range(6)])
OWN = 60
"""Points that a site draws from; it evaluates on the others."""


def make_site(name, n, shift, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(shift, size=n)
    said = np.array([points > cut for cut in np.linspace(-1, 1, NAMES.H)]).astype(int)
    truth = (points + 0.3 * rng.normal(size=n) > 0).astype(int)
    predicted = Predicted(labels=said[:, :OWN], candidates=NAMES, classes=("healthy", "ill"))
    return Site(
        name=name,
        pool=Pool(predicted=predicted),
        labeller=lambda places: truth[places],
        held_out=HeldOut(predicted=said[:, OWN:], labels=truth[OWN:]),
        seed=seed,
    )


@pytest.fixture(scope="module")
def sites():
    return {"north": make_site("north", 80, 0.4, 2), "south": make_site("south", 75, -0.4, 3)}


@pytest.fixture(scope="module")
def federation(sites):
    said = {name: site.pool.predicted for name, site in sites.items()}
    return Federation.from_predictions(said, epsilon=0.3, delta=0.1, cost={"quadratic": [1, 1]})


def outcome_of(federation, sites):
    return run(federation, sites, false_alarm_rate=1e-6)


def test_the_chosen_candidate_is_evaluated(federation, sites):
    outcome = outcome_of(federation, sites)
    assert outcome.status is RunStatus.FINISHED
    row = NAMES.names.index(outcome.hypothesis)
    for name, seen in outcome.evaluation.items():
        found = sites[name].held_out.count_mistakes(row)
        assert (seen.n, seen.mistakes) == (found.n, found.mistakes)


def test_sites_from_their_folders_come_to_the_same(federation, sites, tmp_path):
    read = {name: read_site(write_site(site, tmp_path / name)) for name, site in sites.items()}
    here, there = outcome_of(federation, sites), outcome_of(federation, read)
    pact = make_pact(federation, false_alarm_rate=1e-6)
    home = run_home(prepare_home(tmp_path / "home", pact, sites))
    for key in ("hypothesis", "contributions", "payments", "evaluation", "status"):
        assert getattr(there, key) == getattr(here, key) == getattr(home, key)
