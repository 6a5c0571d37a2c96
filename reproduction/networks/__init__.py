"""Small networks, many at once: their parameters are stacked, and one product of matrices serves them all.

Needs PyTorch; nothing here is imported before an experiment computes.
"""
