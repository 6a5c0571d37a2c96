"""Labelings that a halfspace makes, by a linear program for every one of them."""

import itertools

import numpy as np
from scipy.optimize import linprog


def is_separable(x, labels):
    """Whether some w, t has w x - t >= 1 on the positive points and <= -1 on the others."""
    signs = np.where(labels, 1.0, -1.0)
    rows = -signs[:, None] * np.column_stack([x, -np.ones(len(x))])
    return linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(x)), bounds=(None, None)).status == 0


def separable_labelings(points):
    x = np.array(points, dtype=float)
    every = itertools.product((0, 1), repeat=len(x))
    return {labels for labels in every if is_separable(x, np.array(labels))}
