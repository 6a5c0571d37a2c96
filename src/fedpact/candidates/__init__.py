"""Candidate models become predictions: files of predictions, trained models, whole classes of candidates."""

from __future__ import annotations

from fedpact.candidates.matrix_files import read_predictions, write_predictions
from fedpact.candidates.predicted import Predicted

__all__ = ["Predicted", "read_predictions", "write_predictions"]
