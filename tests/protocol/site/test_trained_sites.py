"""Sites with real labels for a trial: what they draw from, what they evaluate on, and what comes of a run."""

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
    """What a site draws from, and what it holds out: of each point what candidates predict, and its label."""
    predicted = site.pool.predicted
    pool = list_rows(predicted.labels, site.labeller(np.arange(predicted.n)))
    return pool, list_rows(site.held_out.predicted, site.held_out.labels)


def list_rows(predicted, codes):
    return [(*said, code) for said, code in zip(predicted.T.tolist(), codes.tolist(), strict=True)]


@pytest.mark.parametrize("name", PRIVATE)
def test_every_point_is_drawn_from_or_held_out_never_both_and_keeps_its_label(made, name):
    pool, aside = points_of(made.sites[name])
    points, labels = PRIVATE[name]
    said = np.array([model.predict(points) == "ill" for model in made.trained.models.values()]).astype(int)
    assert sorted(pool + aside) == sorted(list_rows(said, (labels == "ill").astype(int)))
    assert len(aside) == round(len(labels) / 4)


@pytest.mark.parametrize("name", PRIVATE)
def test_mistakes_are_counted_at_the_points_that_are_held_out(made, name):
    site = made.sites[name]
    _, aside = points_of(site)
    for row in range(made.trained.H):
        assert site.held_out.count_mistakes(row).mistakes == sum(said[row] != said[-1] for said in aside)
    assert made.federation.names == tuple(PRIVATE)
    assert made.federation.evidence.hypotheses == made.trained.candidates.names


@pytest.mark.parametrize(("n", "share", "aside"), [(2, 0.25, 1), (2, 0.9, 1), (10, 0.25, 2), (10, 0.99, 9)])
def test_there_is_always_something_to_draw_and_something_to_evaluate_on(n, share, aside):
    own = draw(n, 0.0, 7)
    site = make({"north": own}, candidates=2, held_out=share).sites["north"]
    assert (site.pool.size, len(site.held_out.labels)) == (n - aside, aside)


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


def outcome_of(made, sites=None):
    return run(made.federation, made.sites if sites is None else sites, false_alarm_rate=1e-6)


def test_the_chosen_candidate_is_evaluated(made):
    outcome = outcome_of(made)
    assert outcome.status is RunStatus.FINISHED
    row = made.trained.candidates.names.index(outcome.hypothesis)
    for name, seen in outcome.evaluation.items():
        found = made.sites[name].held_out.count_mistakes(row)
        assert (seen.n, seen.mistakes) == (found.n, found.mistakes)


def test_sites_from_their_folders_come_to_the_same(made, tmp_path):
    read = {name: read_site(write_site(site, tmp_path / name)) for name, site in made.sites.items()}
    here, there = outcome_of(made), outcome_of(made, read)
    pact = make_pact(made.federation, false_alarm_rate=1e-6)
    home = run_home(prepare_home(tmp_path / "home", pact, made.sites))
    for key in ("hypothesis", "contributions", "payments", "evaluation", "status"):
        assert getattr(there, key) == getattr(here, key) == getattr(home, key)


def test_a_folder_with_a_label_that_no_candidate_predicts(made, tmp_path):
    home = write_site(made.sites["north"], tmp_path / "north")
    head, _, *rest = (home / "labels.csv").read_text().splitlines()
    (home / "labels.csv").write_text("\n".join([head, "dead", *rest]) + "\n")
    with pytest.raises(FederationError, match="label 'dead' is none of those that are predicted"):
        read_site(home)


def test_made_up_sites_need_a_seed_that_is_one():
    with pytest.raises(FederationError, match="seed must be a whole number >= 0; it is -1"):
        simulate_sites(alice_bob(), seed=-1)
