"""Candidate models become predictions: files of predictions, trained models, whole classes of candidates."""
