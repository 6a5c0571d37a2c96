"""The smallest instances on which a stated result of the paper fails (ERRATA A)."""

from __future__ import annotations

from fedpact.describe.federation import Federation


def expected_min_counterexample() -> Federation:
    """Two agents for whom the paper's program for expected error gives an infeasible plan.

    The two hypotheses differ at x1, on which agent 1 has mass 6/10 and agent 2 6/100. With the printed
    minimum over the agents the program answers (1, 0), which leaves agent 1 an expected error of 6/25,
    above its 1/10; with the maximum it answers (4, 0) and 48/3125.

    Source: ERRATA A1, on Equation 11, the linear program of the paper's Appendix F. The expected
    objective does not use delta.

    Examples
    --------
    >>> expected_min_counterexample()
    Federation('expected-min-counterexample': 2 agents, 2 hypotheses, table, expected, per-agent)
    """
    return Federation.from_table(
        [[0, 0], [1, 0]],
        [["6/10", "4/10"], ["6/100", "94/100"]],
        epsilon="1/10",
        delta="1/20",
        objective="expected",
        hypotheses=("h0", "h1"),
        name="expected-min-counterexample",
    )


def pwyc_not_dominant(cost: float | str = "1/5") -> Federation:
    """Two agents for whom truth under pay-what-you-contribute is an equilibrium but not a dominant strategy.

    Agent 1 never sees x2, the one point where the hypotheses differ, and so does not care. If it
    nevertheless reports 9/10 there, the plan leans on it and truthful agent 2 fails; agent 2 does better
    by reporting 3/4. If a sample of agent 1 costs 1/20 instead of 1/5, its lie also raises what VCG as
    printed leaves it with, from 9/5 to 39/20.

    Source: ERRATA A2 and A3, on the claims of the paper's Section 5 that Equation 5 is strategyproof and
    Equation 6 (VCG) truthful.

    Parameters
    ----------
    cost
        What a sample of agent 1 costs.

    Examples
    --------
    >>> pwyc_not_dominant().cost_of([0, 2])
    0.2
    """
    return Federation.from_table(
        [[0, 0], [0, 1]],
        [[1, 0], ["1/2", "1/2"]],
        cost=[cost, "1/10"],
        epsilon="1/10",
        delta="1/4",
        hypotheses=("h0", "h1"),
        name="pwyc-not-dominant",
    )
