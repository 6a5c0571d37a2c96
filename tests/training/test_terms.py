"""Terms of training are checked before they are agreed on."""

import pytest

from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError
from fedpact.protocol.pact import make_pact
from fedpact.training.terms import TrainingTerms, read_training


def test_terms_come_back_from_their_dictionary():
    terms = TrainingTerms(rounds=3, epochs=2, learning_rate=0.5, batch=8, seed=1)
    assert read_training(TrainingTerms.from_dict(terms.to_dict())) == terms
    assert read_training(None) is None


@pytest.mark.parametrize(
    ("training", "why"),
    [
        (TrainingTerms(rounds=0), "rounds must be 1 or more; it is 0"),
        (TrainingTerms(epochs=0), "epochs must be 1 or more; it is 0"),
        (TrainingTerms(learning_rate=float("nan")), "learning_rate must be a finite number"),
        (TrainingTerms(batch=0), "batch must be 1 or more; it is 0"),
        (TrainingTerms(seed=0.5), "seed must be a whole number"),
        ({"rounds": 3}, "training must be TrainingTerms or None; it is {'rounds': 3}"),
    ],
)
def test_a_pact_refuses_terms_that_nobody_can_train_by(training, why):
    with pytest.raises(FederationError, match=why):
        make_pact(alice_bob(), training=training)
