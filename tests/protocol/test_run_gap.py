"""What averaging lost in a trial, told from the run's ledger and the sites' folders alone."""

from dataclasses import replace

import numpy as np
import pytest

from fedpact.describe.examples import alice_bob
from fedpact.errors import ProtocolError
from fedpact.protocol.home import prepare_home
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.pact import make_pact
from fedpact.protocol.run_gap import measure_run_gap
from fedpact.protocol.runs import read_outcome, run_home
from fedpact.protocol.site.pool import draw
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.trained_sites import train_sites
from fedpact.training import Weights, predict_labels, train_locally
from fedpact.training.averaging_gap import GapStatus
from fedpact.training.terms import TrainingTerms


def labelled(n, shift, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2)) + shift
    return points, (points @ [1.0, 0.7] + 0.4 * rng.normal(size=n) > 0).astype(int)


@pytest.fixture(scope="module")
def made():
    private = {"north": labelled(80, (0.6, -0.6), 2), "south": labelled(80, (-0.6, 0.6), 3)}
    targets = {"epsilon": 0.25, "delta": 0.05, "cost": [{"quadratic": [1, 1]}] * 2}
    return train_sites(labelled(40, 0.0, 1), private, candidates=8, seed=5, **targets)


def trained_home(made, folder, **training):
    terms = TrainingTerms(learning_rate=0.5, **training)
    pact = make_pact(made.federation, false_alarm_rate=1e-6, training=terms)
    starts = [made.start(index) for index in range(made.trained.H)]
    home = prepare_home(folder, pact, made.sites, starts=starts)
    return home, run_home(home)


def pool(made, contributions):
    """All samples of a run, drawn again."""
    points, labels = [], []
    for name, m in contributions.items():
        site = made.sites[name]
        places = draw(site.pool, 0, m, seed=site.seed)
        points.append(site.trainer.points[places])
        labels.append(site.labeller(places))
    return np.concatenate(points), np.concatenate(labels)


@pytest.mark.parametrize("epochs", [1, 40])
def test_pooled_training_is_training_on_all_samples_of_the_run(made, tmp_path, epochs):
    """It is made here with one call; and averaging, made again, is what the run came to."""
    home, outcome = trained_home(made, tmp_path, rounds=3, epochs=epochs)
    assert min(outcome.contributions.values()) > 0
    gap = measure_run_gap(home)
    start = Weights.from_dict(made.start(made.trained.candidates.names.index(outcome.hypothesis)))
    points, labels = pool(made, outcome.contributions)
    weights = train_locally(made.model, start, points, labels, epochs=3 * epochs, learning_rate=0.5)
    for name, seen in outcome.evaluation.items():
        later, codes = made.sites[name].trainer.held_out
        right = float((predict_labels(made.model, weights, later) == codes).mean())
        assert gap.last.pooled.site_accuracy[name] == pytest.approx(right)
        assert gap.last.averaged.site_accuracy[name] == pytest.approx(1 - seen.error)
    averaged = Weights.from_dict(outcome.weights)
    distance = max(np.abs(weights[name] - averaged[name]).max() for name in ("W", "b"))
    assert gap.last.distance == pytest.approx(distance, rel=1e-6, abs=1e-12)
    assert (gap.status is GapStatus.EQUAL) == (epochs == 1), (
        "one step per round with all samples is the same method"
    )
    assert gap.m == outcome.contributions


def test_flagged_samples_are_not_pooled(made, tmp_path):
    home, outcome = trained_home(made, tmp_path / "home", rounds=1)
    with Ledger.open(home.ledger) as ledger, Ledger.create(tmp_path / "flagged.db") as other:
        for entry in ledger.entries():
            body = {**entry.body, "withheld": {"north": "made up"}} if entry.kind == "choose" else entry.body
            other.append(entry.kind, body, run=entry.run, at=entry.at)
    flagged = replace(home, ledger=str(tmp_path / "flagged.db"))
    assert measure_run_gap(flagged).m == {"south": outcome.contributions["south"]}


def test_a_run_without_training_has_no_gap(tmp_path):
    fed = alice_bob()
    home = prepare_home(tmp_path, make_pact(fed, method="tree"), simulate_sites(fed, teacher="xA"))
    run_home(home)
    assert read_outcome(home.ledger).weights is None
    assert measure_run_gap(home) is None


def test_sites_of_other_machines_are_not_pooled(made, tmp_path):
    home, _ = trained_home(made, tmp_path, rounds=1)
    away = replace(home, sites={})
    with pytest.raises(ProtocolError, match="site 'north' is not on this machine; its samples are needed"):
        measure_run_gap(away)
    (home.sites["south"] / "points.npy").unlink()
    toml = home.sites["south"] / "site.toml"
    toml.write_text("\n".join(line for line in toml.read_text().splitlines() if not line.startswith("points")))
    with pytest.raises(ProtocolError, match="site 'south' has no examples on this machine"):
        measure_run_gap(home)
