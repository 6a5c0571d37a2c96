"""Candidate models become predictions: files of predictions, trained models, whole classes of candidates."""

from __future__ import annotations

from fedpact.candidates.adapt_torch import TorchWeights
from fedpact.candidates.matrix_files import read_predictions, write_predictions
from fedpact.candidates.predict import from_torch, predict
from fedpact.candidates.predicted import Predicted
from fedpact.candidates.softmax import SoftmaxModel
from fedpact.candidates.start_training import StartStatus, TrainingStart, start_from
from fedpact.candidates.torch_model import TorchModel, load_weights, save_weights
from fedpact.candidates.train import train
from fedpact.candidates.trainable import Trainable, initial_weights, loss_of, predict_labels, train_locally
from fedpact.candidates.trained import TrainedCandidates, TrainedModel, TrainingStatus
from fedpact.candidates.weights import Weights

__all__ = [
    "Predicted",
    "SoftmaxModel",
    "StartStatus",
    "TorchModel",
    "TorchWeights",
    "Trainable",
    "TrainedCandidates",
    "TrainedModel",
    "TrainingStart",
    "TrainingStatus",
    "Weights",
    "from_torch",
    "initial_weights",
    "load_weights",
    "loss_of",
    "predict",
    "predict_labels",
    "read_predictions",
    "save_weights",
    "start_from",
    "train",
    "train_locally",
    "write_predictions",
]
