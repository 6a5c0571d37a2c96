"""Rounds of training in a run: who is averaged, by what, and what is not."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from carrier import (
    OPERATOR,
    START,
    Carrier,
    ListLedger,
    forge,
    kept_plan,
    key_of,
    run_over,
    small_federation,
    with_test_keys,
)
from fedpact.errors import FederationError, MessageError
from fedpact.protocol.messages import Trained
from fedpact.protocol.operator.operator import start_run
from fedpact.protocol.operator.run_state import RunState, RunStatus
from fedpact.protocol.operator.training_rounds import (
    LARGEST,
    check_trained,
    train_body,
    train_round,
)
from fedpact.protocol.pact import make_pact
from fedpact.protocol.site.model_trainer import ModelTrainer
from fedpact.protocol.site.pool import draw
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.training import SoftmaxModel, Weights
from fedpact.training.terms import TrainingTerms

FED = small_federation()
MODEL = SoftmaxModel(classes=(0, 1), features=4)
SENT = Weights({"W": np.zeros(2), "scale": np.ones(1)}, ("scale",))


def own(*values):
    return SENT.replace({"W": np.array(values, dtype=float)}).to_dict()


def state(**known):
    pact = make_pact(FED, training=TrainingTerms(rounds=5, seed=3))
    return RunState(run="r", pact=pact, opened=0.0, weights=SENT.to_dict(), **known)


def test_what_a_round_sends():
    assert train_body(state(round=2)) == {
        "rounds": 5,
        "epochs": 1,
        "learning_rate": 0.1,
        "batch": None,
        "seed": 3,
        "round": 3,
        "weights": SENT.to_dict(),
    }


def test_the_mean_is_by_the_samples_of_the_ledger():
    found = train_round(
        state(
            round=2,
            contributed={"north": 3, "south": 4, "east": 9},
            trained={"south": own(2.0, -1.0), "north": own(9.0, 6.0)},
        )
    )
    assert found["round"] == 3
    assert found["sites"] == ["north", "south"]
    exact = [Fraction(3 * 9 + 4 * 2, 7), Fraction(3 * 6 - 4, 7)]
    assert Weights.from_dict(found["weights"])["W"] == pytest.approx([float(one) for one in exact], rel=1e-15)


def test_a_flagged_site_has_no_weight():
    trained = {"north": own(1.0, 2.0), "south": own(9.0, 9.0)}
    flagged = {"south": "it made its counts up"}
    found = train_round(state(withheld=flagged, contributed={"north": 3, "south": 4}, trained=trained))
    assert (found["sites"], found["weights"]) == (["north"], own(1.0, 2.0))


@pytest.mark.parametrize(
    "known",
    [
        {"contributed": {"north": 3}, "trained": {}},
        {"contributed": {"north": 3}, "trained": {"north": own(1.0, 1.0)}, "withheld": {"north": "flagged"}},
    ],
    ids=["nobody-answers", "who-answers-is-flagged"],
)
def test_a_round_that_nobody_counts_in_leaves_the_weights_as_they_are(known):
    assert train_round(state(**known)) == {"round": 1, "weights": SENT.to_dict(), "sites": []}


GARBAGE = {
    "no-weights": ({"W": [1, 2]}, FederationError, "weights must have the keys 'arrays' and 'fixed'"),
    "shape": (own(1.0, 2.0, 3.0), MessageError, "weights of site 'north': 'W' is float64 (3,)"),
    "constant": (
        SENT.replace({"scale": np.full(1, 2.0)}).to_dict(),
        MessageError,
        "weights of site 'north': 'scale' is a public constant, and was changed",
    ),
    "huge": (own(1.0, -2 * LARGEST), MessageError, "weights of site 'north': 'W' has a number beyond 1e+100"),
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_garbage_is_refused(kind):
    weights, error, line = GARBAGE[kind]
    with pytest.raises(error) as caught:
        check_trained(state(), "north", weights)
    assert line in str(caught.value)


def test_what_is_accepted_can_be_averaged():
    """Else one site could stop the run for ever: the running mean of 1.7e308 and its opposite is not finite."""
    ends = {"north": own(LARGEST, 0.0), "south": own(-LARGEST, 0.0)}
    for site, weights in ends.items():
        check_trained(state(), site, weights)
    found = train_round(state(contributed={"north": 10**9, "south": 1}, trained=ends))
    assert np.isfinite(Weights.from_dict(found["weights"])["W"]).all()


TRUTH = np.array([1, 0, 0, 0])
RATE = 0.5


def make_sites():
    """What is known of a point is only which one it is; all are labelled as hypothesis x1 says."""
    sites = simulate_sites(FED, teacher="x1", seed=1)
    for name, site in sites.items():
        trainer = ModelTrainer(site=name, model=MODEL, points=np.eye(4), held_out=(np.eye(4), TRUTH))
        sites[name] = replace(site, trainer=trainer)
    return with_test_keys(sites)


def train_over(harm=None, rounds=2):
    """Run with training: the outcome, and the bodies of the entries about training."""
    training = TrainingTerms(rounds=rounds, learning_rate=RATE)
    terms = {"training": training, "false_alarm_rate": 1e-6, "patience": 60}
    keys = {name: key_of(name).public for name in FED.names}
    pact = make_pact(FED, keys=keys, operator=OPERATOR.public, **terms)
    carrier, begin = Carrier(make_sites(), harm), lambda index: MODEL.start(None).to_dict()
    operator = start_run(ListLedger(), pact, now=START, key=OPERATOR, start=begin, planner=kept_plan)
    carrier.operator = operator
    outcome = run_over(operator, carrier)
    return outcome, [entry.body for entry in operator.ledger.kept if entry.kind == "train"]


def pooled_steps(contributions, rounds):
    """Gradient steps of softmax regression with all samples that were drawn, by the textbook."""
    sites = make_sites()
    places = [draw(sites[name].pool, 0, m, seed=sites[name].seed) for name, m in contributions.items()]
    x = np.eye(4)[np.concatenate(places)]
    y = np.eye(2)[TRUTH[np.concatenate(places)]]
    W, b = np.zeros((4, 2)), np.zeros(2)
    for _ in range(rounds):
        grown = np.exp(x @ W + b)
        slope = (grown / grown.sum(axis=1, keepdims=True) - y) / len(x)
        W, b = W - RATE * x.T @ slope, b - RATE * slope.sum(axis=0)
    return W, b


def test_a_run_trains_and_evaluates_what_it_trained():
    """With one step over all samples per round, averaging is pooled training."""
    outcome, bodies = train_over(rounds=3)
    assert outcome.status is RunStatus.FINISHED
    assert [body["round"] for body in bodies] == [0, 1, 2, 3]
    givers = sorted(name for name, count in outcome.contributions.items() if count)
    assert len(givers) > 1
    assert all(body["sites"] == givers for body in bodies[1:])
    found, (W, b) = Weights.from_dict(outcome.weights), pooled_steps(outcome.contributions, 3)
    assert np.allclose(found["W"], W, rtol=0, atol=1e-12)
    assert np.allclose(found["b"], b, rtol=0, atol=1e-12)
    mistakes = int(((W + b).argmax(axis=1) != TRUTH).sum())
    assert {(seen.n, seen.mistakes) for seen in outcome.evaluation.values()} == {(4, mistakes)}


def test_garbage_weights_make_a_site_gone_and_training_goes_on_without_it():
    def harm(carrier, outgoing):
        if outgoing.step != "train" or outgoing.site != "north":
            return None
        ask = next(ask for ask in carrier.operator.state.open if ask.site == "north")
        body = Trained(weights=own(1.0, 2.0))
        return [(0.1, forge(carrier.operator.state, ask, body, key=key_of("north")))]

    outcome, bodies = train_over(harm)
    lost = outcome.gone["north"]
    assert (lost.step, lost.code) == ("train", "unusable")
    assert lost.values["detail"].startswith("weights of site 'north'")
    assert outcome.status is RunStatus.FINISHED
    assert outcome.payments["north"] > 0, "what it contributed before is paid for"
    others = sorted(name for name, count in outcome.contributions.items() if count and name != "north")
    assert others
    assert [body["sites"] for body in bodies[1:]] == [others, others]


def test_a_round_that_nobody_answers_is_passed_over():
    outcome, bodies = train_over(lambda carrier, outgoing: [] if outgoing.step == "train" else None)
    assert outcome.status is RunStatus.FINISHED
    assert outcome.weights == MODEL.start(None).to_dict()
    assert [body.get("sites") for body in bodies] == [None, [], []]
