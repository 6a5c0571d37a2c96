"""Sites with real labels for a trial: what they draw from, what they evaluate on, and what comes of a run."""

from dataclasses import replace

import numpy as np
import pytest

from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError
from fedpact.protocol.home import prepare_home
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import run, run_home
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site_files import read_site
from fedpact.protocol.site.trained_sites import train_sites
from fedpact.protocol.site.write_site import write_site
from fedpact.training import Weights, predict_labels
from fedpact.training.terms import TrainingTerms

TRAINING = TrainingTerms(rounds=3, epochs=2, batch=4, learning_rate=0.3)


def draw(n, shift, seed, classes=("healthy", "ill")):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2)) + shift
    is_ill = points[:, 0] + 0.5 * points[:, 1] + 0.3 * rng.normal(size=n) > 0
    return points, np.array(classes)[is_ill.astype(int)]


PUBLIC = draw(60, 0.0, 1)
PRIVATE = {"north": draw(80, 0.4, 2), "south": draw(61, -0.4, 3)}


def make(private=PRIVATE, public=PUBLIC, **options):
    cost = [{"quadratic": [1, 1]}] * len(private)
    given = {"epsilon": 0.3, "delta": 0.1, "candidates": 6, "seed": 5, "cost": cost, **options}
    return train_sites(public, private, **given)


@pytest.fixture(scope="module")
def made():
    return make()


def points_of(site):
    """What a site draws from, and what it holds out, as rows of a point and the code of its label."""
    drawn = site.labeller(np.arange(site.pool.predicted.n))
    return list_rows(site.trainer.points, drawn), list_rows(*site.trainer.held_out)


def list_rows(points, codes):
    return [(*point, code) for point, code in zip(points.tolist(), codes.tolist(), strict=True)]


@pytest.mark.parametrize("name", PRIVATE)
def test_every_point_is_drawn_from_or_held_out_never_both_and_keeps_its_label(made, name):
    pool, aside = points_of(made.sites[name])
    points, labels = PRIVATE[name]
    whole = [
        (*point, ["healthy", "ill"].index(label)) for point, label in zip(points.tolist(), labels, strict=True)
    ]
    assert sorted(pool + aside) == sorted(whole)
    assert len(aside) == round(len(labels) / 4)


@pytest.mark.parametrize("name", PRIVATE)
def test_predictions_are_those_of_the_candidates_at_the_same_points(made, name):
    site = made.sites[name]
    later, codes = site.trainer.held_out
    for row, model in enumerate(made.trained.models.values()):
        said = [made.model.classes[code] for code in site.pool.predicted.labels[row]]
        assert said == model.predict(site.trainer.points).tolist()
        wrong = (model.predict(later) != np.array(made.model.classes)[codes]).sum()
        assert site.held_out.count_mistakes(row).mistakes == wrong
    assert made.federation.names == tuple(PRIVATE)
    assert made.federation.evidence.hypotheses == made.trained.candidates.names


@pytest.mark.parametrize(("n", "share", "aside"), [(2, 0.25, 1), (2, 0.9, 1), (10, 0.25, 2), (10, 0.99, 9)])
def test_there_is_always_something_to_draw_and_something_to_evaluate_on(n, share, aside):
    own = draw(n, 0.0, 7)
    site = make({"north": own}, candidates=2, held_out=share).sites["north"]
    assert (site.pool.size, len(site.trainer.held_out[1])) == (n - aside, aside)


def test_the_seed_decides_and_sites_are_split_each_in_its_own_way(made):
    same, other = make(), make(seed=6)
    for name in PRIVATE:
        assert points_of(same.sites[name]) == points_of(made.sites[name])
        assert points_of(other.sites[name]) != points_of(made.sites[name])
    twins = make({"a": PRIVATE["north"], "b": PRIVATE["north"]}, candidates=2).sites
    assert points_of(twins["a"])[1] != points_of(twins["b"])[1]


WRONG = {
    "one-point": ({"north": draw(1, 0, 0)}, {}, "'north' has 1"),
    "no-point": ({"north": (np.zeros((0, 2)), np.zeros(0, dtype=str))}, {}, "'north' has 0"),
    "label-after-all": (
        {"north": draw(9, 0, 0, ("healthy", "zoster"))},
        {},
        "site 'north' has a point labelled 'zoster', as no public point is",
    ),
    "label-between": (
        {"north": draw(9, 0, 0, ("healthy", "hurt"))},
        {},
        "site 'north' has a point labelled 'hurt', as no public point is",
    ),
    "share": (PRIVATE, {"held_out": 1}, "held_out must lie strictly between 0 and 1; it is 1"),
    "seed": (PRIVATE, {"seed": -1}, "seed must be a whole number >= 0; it is -1"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_data_that_no_site_can_be_made_of(kind):
    private, options, line = WRONG[kind]
    with pytest.raises(FederationError) as caught:
        make(private, candidates=2, **options)
    assert line in str(caught.value)


def outcome_of(made, sites=None, **terms):
    return run(
        made.federation, made.sites if sites is None else sites, false_alarm_rate=1e-6, start=made.start, **terms
    )


def test_without_training_the_chosen_candidate_is_evaluated(made):
    outcome = outcome_of(made)
    assert outcome.status is RunStatus.FINISHED
    assert outcome.weights is None
    row = made.trained.candidates.names.index(outcome.hypothesis)
    for name, seen in outcome.evaluation.items():
        later, codes = made.sites[name].trainer.held_out
        model = made.trained.models[outcome.hypothesis]
        wrong = int((model.predict(later) != np.array(made.model.classes)[codes]).sum())
        assert (seen.n, seen.mistakes) == (len(codes), wrong)
        assert made.sites[name].held_out.count_mistakes(row).mistakes == wrong


def test_with_training_what_was_trained_is_evaluated(made):
    outcome = outcome_of(made, training=TRAINING)
    weights = Weights.from_dict(outcome.weights)
    start = Weights.from_dict(made.start(made.trained.candidates.names.index(outcome.hypothesis)))
    assert weights != start
    for name, seen in outcome.evaluation.items():
        later, codes = made.sites[name].trainer.held_out
        wrong = (predict_labels(made.model, weights, later) != np.array(made.model.classes)[codes]).sum()
        assert (seen.n, seen.mistakes) == (len(codes), wrong)


@pytest.mark.parametrize("training", [None, TRAINING], ids=["chosen", "trained"])
def test_sites_from_their_folders_come_to_the_same(made, tmp_path, training):
    read = {name: read_site(write_site(site, tmp_path / name)) for name, site in made.sites.items()}
    here, there = (outcome_of(made, sites, training=training) for sites in (made.sites, read))
    starts = [made.start(index) for index in range(made.trained.H)]
    pact = make_pact(made.federation, false_alarm_rate=1e-6, training=training)
    home = run_home(prepare_home(tmp_path / "home", pact, made.sites, starts=starts))
    for key in ("hypothesis", "contributions", "payments", "evaluation", "weights", "status"):
        assert getattr(there, key) == getattr(here, key) == getattr(home, key)
    assert (here.weights is None) == (training is None)


def test_a_folder_with_labels_that_the_model_has_no_class_for(made, tmp_path):
    home = write_site(made.sites["north"], tmp_path / "north")
    head, _, *rest = (home / "labels.csv").read_text().splitlines()
    (home / "labels.csv").write_text("\n".join([head, "dead", *rest]) + "\n")
    with pytest.raises(FederationError, match="label 'dead' is none of those that are predicted"):
        read_site(home)


def test_made_up_sites_need_a_seed_that_is_one():
    with pytest.raises(FederationError, match="seed must be a whole number >= 0; it is -1"):
        simulate_sites(alice_bob(), seed=-1)


def test_a_site_that_cannot_train_is_left_out_of_training(made):
    north = replace(made.sites["north"], trainer=None)
    outcome = outcome_of(made, {**made.sites, "north": north}, training=TRAINING)
    assert outcome.status is RunStatus.FINISHED
    assert min(outcome.contributions.values()) > 0
    lost = outcome.gone["north"]
    assert (lost.step, lost.code) == ("train", "refused")
    assert lost.values["detail"].startswith("site 'north' has no examples to train on")
    assert outcome.payments["north"] > 0
