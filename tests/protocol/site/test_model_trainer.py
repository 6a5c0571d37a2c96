"""A site trains on what it contributed, and counts the model's mistakes on what it held out."""

import numpy as np
import pytest

from fedpact.errors import MessageError
from fedpact.protocol.messages import Evaluated
from fedpact.protocol.site.model_trainer import ModelTrainer
from fedpact.training import SoftmaxModel, Weights, train_locally
from fedpact.training.averaging import rng_of_round
from fedpact.training.terms import TrainingTerms

MODEL = SoftmaxModel(classes=(0, 1), features=4)


def test_a_site_trains_on_what_it_contributed_as_an_auditor_can_again():
    rng = np.random.default_rng(0)
    points, places, labels = rng.normal(size=(6, 4)), np.array([4, 0, 4]), np.array([1, 0, 1])
    settings = {"epochs": 2, "learning_rate": 0.3, "batch": 2, "seed": 5, "round": 2}
    start = MODEL.start(None)
    trainer = ModelTrainer(site="north", model=MODEL, points=points)
    found = trainer.train({**settings, "weights": start.to_dict()}, places, labels)
    again = train_locally(
        MODEL, start, points[places], labels, epochs=2, learning_rate=0.3, batch=2, rng=rng_of_round(5, 2, "north")
    )
    assert Weights.from_dict(found) == again
    assert trainer.evaluate(start.to_dict()) == Evaluated(n=0, mistakes=0)


def test_a_label_without_a_class_is_a_mistake_and_nothing_to_train_with():
    model = SoftmaxModel(classes=("healthy", "ill"), features=4)
    points, codes, start = np.eye(4), np.array([0, 2, 0, 3]), model.start(None).to_dict()
    trainer = ModelTrainer(site="north", model=model, points=points, held_out=(points, codes))
    assert trainer.evaluate(start) == Evaluated(n=4, mistakes=2)
    settings = {"weights": start, **TrainingTerms().to_dict(), "round": 1}
    places = np.arange(4)
    found = trainer.train(settings, places, codes)
    assert found == trainer.train(settings, places[[0, 2]], codes[[0, 2]])
    for none in (places[:0], places[[1, 3]]):
        with pytest.raises(MessageError, match="site 'north' has contributed no sample that can train"):
            trainer.train(settings, none, codes[none])
