"""Candidate models become predictions: files of predictions, trained models, whole classes of candidates."""

from __future__ import annotations

from fedpact.candidates.adapt_torch import TorchWeights
from fedpact.candidates.matrix_files import read_predictions, write_predictions
from fedpact.candidates.predict import from_torch, predict
from fedpact.candidates.predicted import Predicted
from fedpact.candidates.train import train
from fedpact.candidates.trained import TrainedCandidates, TrainedModel, TrainingStatus

__all__ = [
    "Predicted",
    "TorchWeights",
    "TrainedCandidates",
    "TrainedModel",
    "TrainingStatus",
    "from_torch",
    "predict",
    "read_predictions",
    "train",
    "write_predictions",
]
