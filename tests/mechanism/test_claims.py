"""Claims: the federation that follows from them is the one that was claimed, and nothing else changes."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.claims import claims_of, with_distributions
from strategies import report_of

TABLE = fp.Federation.from_table(
    fp.planning.classes.all_labelings(2),
    [(0.6, 0.4), (0.1, 0.9)],
    cost=[1, 2],
    epsilon=0.1,
    delta=0.1,
    capacity=[9, None],
)
LABELS = {name: np.random.default_rng(seed).integers(0, 2, (4, 15)) for seed, name in enumerate("ab")}
PREDICTED = fp.Federation.from_predictions(LABELS, epsilon=0.1, delta=0.1)
REPORTED = fp.Federation.from_reports([report_of(*own) for own in LABELS.items()], epsilon=0.1, delta=0.1)


@pytest.mark.parametrize("private", ["data", "costs"])
@pytest.mark.parametrize("fed", [TABLE, PREDICTED, REPORTED], ids=["table", "predictions", "reports"])
def test_the_truth_is_a_claim(fed, private):
    claims = claims_of(fed, private)
    same = claims.federation({agent: claims.of(agent) for agent in range(fed.k)})
    assert fp.planning.disagreement(same) == pytest.approx(fp.planning.disagreement(fed))
    assert same.agents == fed.agents
    assert fp.plan(same, "lp").m.tolist() == fp.plan(fed, "lp").m.tolist()


def test_points_of_predictions_are_merged_without_loss():
    claims = claims_of(PREDICTED, "data")
    for m in ([0, 0], [3, 1], [9, 9]):
        table, predictions = (fp.verify(fed, m) for fed in (claims.truth, PREDICTED))
        assert [seen.value for seen in table.failure.values()] == pytest.approx(
            [seen.value for seen in predictions.failure.values()]
        )


def test_a_claimed_distribution_replaces_one_row():
    claimed = claims_of(TABLE, "data").federation({1: np.array([0.5, 0.5])})
    assert claimed.evidence.distributions.tolist() == [[0.6, 0.4], [0.5, 0.5]]
    assert TABLE.evidence.distributions.tolist() == [[0.6, 0.4], [0.1, 0.9]]


def test_a_claimed_cost_replaces_one_cost():
    claimed = claims_of(TABLE, "costs").federation({0: np.array([7.0])})
    assert [float(agent.cost(1)) for agent in claimed.agents] == [7, 2]
    assert claimed.evidence is TABLE.evidence


@pytest.mark.parametrize("fed", [TABLE, PREDICTED, REPORTED], ids=["table", "predictions", "reports"])
@pytest.mark.parametrize("private", ["data", "costs"])
def test_a_second_name_has_the_same_target_and_shares_the_capacity(fed, private):
    claims = claims_of(fed, private)
    twin = claims.with_twin({0: claims.of(0)}, claims.of(0))
    assert twin.names == (*fed.names, f"{fed.names[0]} (2)")
    assert fp.planning.disagreement(twin)[-1] == pytest.approx(fp.planning.disagreement(fed)[0])
    assert twin.agents[-1].epsilon == fed.agents[0].epsilon
    if fed is TABLE:
        assert [agent.capacity for agent in twin.agents] == [5, None, 4]


def test_a_second_name_is_one_that_nobody_has():
    fed = fp.Federation.from_table(
        [[0, 0], [0, 1]], [(0.5, 0.5)] * 2, epsilon=0.1, delta=0.1, names=["a", "a (2)"]
    )
    claims = claims_of(fed, "data")
    assert claims.with_twin({0: claims.of(0)}, claims.of(0)).names == ("a", "a (2)", "a (3)")


def test_what_a_site_that_hides_small_counts_claims_is_hidden_as_well():
    site = fp.Report(name="alice", n=20, n_classes=2, counts=np.array([0, 9, 9]), minimum_count=5)
    claims = claims_of(fp.Federation.from_reports([site], epsilon=0.1, delta=0.1), "data")
    lying = claims.federation({0: np.array([0.1, 0.4, 0.9])})
    assert lying.evidence.reports[0].counts.tolist() == [0, 8, 20]


def test_points_have_letters_while_there_are_enough_and_then_numbers():
    for H, name in ((3, "abc"), (30, "x1")):
        fed = fp.Federation.from_predictions({"a": np.arange(H)[:, None]}, epsilon=0.1, delta=0.1)
        assert claims_of(fed, "data").table.points == (name, "all agree")


def test_only_the_distributions_are_replaced():
    fed = fp.examples.singletons().replace(cost=[1, 2], epsilon=[0.01, 0.02], guarantee="joint")
    other = with_distributions(fed, fed.evidence.distributions[::-1])
    assert other.agents == fed.agents
    assert (other.delta, other.objective, other.guarantee) == (fed.delta, fed.objective, fed.guarantee)
    assert (other.hypotheses, other.evidence.points) == (fed.hypotheses, fed.evidence.points)
    np.testing.assert_allclose(other.evidence.distributions, fed.evidence.distributions[::-1])
