"""The paper's program, written again from its definition and solved by scipy. Shares no code with the planners."""

import itertools
import math

import numpy as np
from scipy.optimize import linprog


def rows_of(labels, distributions, *, epsilon, delta, objective):
    """Every constrained pair's coefficients and right-hand side (expected: as ERRATA A1 has it)."""
    labels, H = np.asarray(labels), len(labels)
    for one, two in itertools.combinations(range(H), 2):
        p = [math.fsum(np.asarray(row)[labels[one] != labels[two]]) for row in distributions]
        if objective == "pac":
            needs = [math.log(H / delta) for mass in p if mass > epsilon + 1e-9]
        else:
            needs = [math.log(2 * H * mass / epsilon) for mass in p if mass > epsilon / 2 + 1e-9]
        if needs:
            yield [-math.log1p(-min(mass, 1 - 1e-15)) for mass in p], max(needs)


def solve(labels, distributions, cost, **targets):
    """The optimum x, with the slack of every row sorted."""
    a, b = map(np.array, zip(*rows_of(labels, distributions, **targets), strict=True))
    found = linprog(cost, A_ub=-a, b_ub=-b, method="highs")
    assert found.status == 0
    return found.x, np.sort(a @ found.x - b)


def satisfies(m, labels, distributions, **targets):
    return all(np.dot(a, m) >= b - 1e-9 for a, b in rows_of(labels, distributions, **targets))
