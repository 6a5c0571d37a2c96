"""What the programs of Blum, Haghtalab, Phillips and Shao (ICML 2021) plan for our federations.

"One for One, or All for All: Equilibria and Optimality of Collaboration in Federated Learning" takes the utility
u_i of every agent as a known function of the contributions theta; the optimal collaboration is the least sum of
theta with u_i(theta) >= mu_i for all i. It is restated here in CVXPY, solved by HiGHS or Clarabel, with samples
at their price instead of their number and rounded up to whole samples. q_i is what agent i sees, on the points
that some hypotheses tell apart; points that all tell alike are one.

- *linear* ("random discovery"): u = W theta, W_ij = <q_i, q_j> / <q_i, q_i>, so that a sample of its own counts
  one to each, and mu_i is the number of samples that i needs alone, which `fp.game.standalone` says.
- *coverage* ("random coverage"): a point that nobody has drawn is labelled by a coin, so that i's expected
  accuracy is u_i = 1 - 1/2 sum_x q_ix prod_j (1 - q_jx)^theta_j, a concave function; mu_i = 1 - epsilon_i.
- *coverage, tightened*: what makes their program promise what ours does. A point that nobody has drawn counts as
  wrong, and the expected error is at most epsilon_i delta; then by Markov's inequality it exceeds epsilon_i with
  probability at most delta, whatever the class of hypotheses.

Where this is not comparable: their accuracy is an expectation, ours holds with probability 1 - delta; they know
no class of hypotheses, so that only the very point that was drawn is learnt, and sites without common points
cannot help each other; their W and u are given, whereas ours follow from the hypotheses. So seconds are not set
against each other as a ratio: every plan stands with its seconds, its cost and how many of our targets it meets
by `fp.verify`. Seconds include finding the points and, for *linear*, what each needs alone; ours are from the
described federation to the plan.
"""

from __future__ import annotations

from collections.abc import Callable

import cvxpy as cp
import numpy as np
import pytest
from numpy.typing import NDArray

import fedpact as fp
from digits import checkpoint_federation
from fedpact.statistics.domain import find_domain
from instances import federation_of, noisy_models
from timing import Work, repeat

TOL = 1e-6
"""What a solver may be off before a count is rounded up."""
SURE = 1e-12
"""A point that an agent draws with certainty is missed with this probability, for the sake of the logarithm."""


def prices(fed: fp.Federation) -> NDArray[np.float64]:
    return np.array([float(agent.cost(np.array([1]))[0]) for agent in fed.agents])


def minimise(fed: fp.Federation, theta: cp.Variable, constraint: cp.Constraint, solver: str) -> NDArray[np.int64]:
    program = cp.Problem(cp.Minimize(prices(fed) @ theta), [constraint])
    program.solve(solver=solver)
    assert program.status == cp.OPTIMAL
    return np.ceil(np.maximum(theta.value, 0) - TOL).astype(np.int64)


def plan_linear(fed: fp.Federation) -> NDArray[np.int64]:
    q = find_domain(fed).mass
    alike = q @ q.T
    theta = cp.Variable(fed.k, nonneg=True)
    needs = np.array(list(fp.game.standalone(fed).values()), dtype=float)
    return minimise(fed, theta, alike / np.diag(alike)[:, None] @ theta >= needs, cp.HIGHS)


def plan_coverage(fed: fp.Federation, share: NDArray[np.float64]) -> NDArray[np.int64]:
    """Plan so that the expected mass that nobody has drawn is at most this share for each agent."""
    q = find_domain(fed).mass
    theta = cp.Variable(fed.k, nonneg=True)
    unseen = cp.exp(np.log(np.maximum(1 - q.T, SURE)) @ theta)
    return minimise(fed, theta, q @ unseen <= share, cp.CLARABEL)


PLANNERS: dict[str, Callable[[fp.Federation], NDArray[np.int64]]] = {
    "Blum et al., linear": plan_linear,
    "Blum et al., coverage": lambda fed: plan_coverage(fed, 2 * fed.epsilon),
    "Blum et al., coverage, tightened": lambda fed: plan_coverage(fed, fed.epsilon * fed.delta),
    "union": lambda fed: fp.plan(fed, "union").m,
    "tree": lambda fed: fp.plan(fed, "tree").m,
}
PROMISING = ("Blum et al., coverage, tightened", "union", "tree")
"""Those that meet every target by a theorem."""

FEDERATIONS: dict[str, Callable[[], fp.Federation]] = {
    "alice and bob": fp.examples.alice_bob,
    "17 Arizona hospitals": fp.examples.arizona_hospitals,
    "20 random models, 4 sites": lambda: federation_of(noisy_models(20, 4, 200)),
    "20 networks, 3 sites of digits": lambda: checkpoint_federation("networks", 20, 3, 0.05),
}


@pytest.mark.parametrize("name", FEDERATIONS)
def test_plans_beside_blum(name, set_beside):
    describe = FEDERATIONS[name]
    fp.plan(describe(), "tree")
    for planner, make in PLANNERS.items():
        found = repeat(Work(make, describe), times=3)
        seen = fp.verify(describe(), found.answer)
        set_beside(
            name,
            program=planner,
            seconds=found.seconds,
            cost=seen.cost,
            met=sum(seen.met.values()),
            targets=len(seen.met),
        )
        if planner in PROMISING:
            assert seen.is_feasible
