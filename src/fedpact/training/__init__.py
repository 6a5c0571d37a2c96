"""Models that sites train together: weights, local steps, their average, and what averaging loses."""

from __future__ import annotations

from fedpact.training.averaging import Averaged, LeftOut, average_weights, check_weights, fed_avg, rng_of_round
from fedpact.training.averaging_gap import AveragingGap, GapRound, GapScore, GapStatus, measure_gap
from fedpact.training.softmax import SoftmaxModel
from fedpact.training.start_training import StartStatus, TrainingStart, start_from
from fedpact.training.terms import TrainingTerms
from fedpact.training.torch_model import TorchModel, load_weights, save_weights
from fedpact.training.trainable import Trainable, initial_weights, loss_of, predict_labels, train_locally
from fedpact.training.weights import Weights

__all__ = [
    "Averaged",
    "AveragingGap",
    "GapRound",
    "GapScore",
    "GapStatus",
    "LeftOut",
    "SoftmaxModel",
    "StartStatus",
    "TorchModel",
    "Trainable",
    "TrainingStart",
    "TrainingTerms",
    "Weights",
    "average_weights",
    "check_weights",
    "fed_avg",
    "initial_weights",
    "load_weights",
    "loss_of",
    "measure_gap",
    "predict_labels",
    "rng_of_round",
    "save_weights",
    "start_from",
    "train_locally",
]
