"""Errata C: definitions and wording, where something can be computed."""

from __future__ import annotations

from fractions import Fraction

import fedpact as fp
from reproduction.errata.finding import Finding, is_near, one_agent
from reproduction.experiment import NO_END


def check_c1() -> Finding:
    """Search the paper's ring without a pure equilibrium, with ties good and with ties bad."""
    ring = fp.examples.no_pure_equilibrium()
    strict, loose = (
        fp.equilibria(fed, time_limit=NO_END) for fed in (ring, ring.replace(epsilon=ring.epsilon - 1e-6))
    )
    return Finding(
        printed="bad means >= epsilon in one place and > epsilon in all others",
        found=f"the example without a pure equilibrium has {len(strict.profiles) or 'none'} with >, "
        f"and {len(loose.profiles)} with >=",
        is_confirmed=not strict.profiles and bool(loose.profiles) and strict.is_complete,
        values={"strict": len(strict.profiles), "loose": len(loose.profiles)},
    )


def check_c2() -> Finding:
    """Compare the optimum per agent with the joint one, for two agents with a point of their own."""
    each = fp.Federation.from_table(
        [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]],
        [["1/2", 0, "1/2"], [0, "1/2", "1/2"]],
        epsilon="1/10",
        delta="1/4",
    )
    joint = each.replace(guarantee="joint")
    optima = [fp.plan(fed, "exact", time_limit=NO_END).m.tolist() for fed in (each, joint)]
    exact = 1 - (1 - Fraction(1, 2) ** 2) ** 2
    failure = fp.verify(joint, optima[0]).joint_failure
    return Finding(
        printed="the objective is stated per agent, the planning problem jointly",
        found=f"the optimum is {tuple(optima[0])} per agent and {tuple(optima[1])} jointly; the first fails "
        f"somebody with probability {exact}",
        is_confirmed=optima[0] != optima[1] and failure is not None and is_near(failure.high, exact),
        values={"per_agent": optima[0], "joint": optima[1], "joint_failure": str(exact)},
    )


def check_c5() -> Finding:
    """Count the samples that two hypotheses need which differ everywhere."""
    fed = one_agent([[0, 0], [1, 1]], ["1/3", "2/3"], epsilon=0, delta="1/1000")
    need = fp.game.standalone(fed)["agent-1"]
    return Finding(
        printed="log(1 - p) is taken of every rate",
        found=f"at p = 1 it is infinite, and {need} sample is enough for any delta",
        is_confirmed=need == 1,
        values={"need": need},
    )


def check_c8() -> Finding:
    """Let Alice understate what she needs alone; a fee bounded by her own report would fall with it."""
    fed = fp.examples.alice_bob()
    lie = fp.Federation.from_table(
        fp.planning.classes.all_labelings(2),
        [[0.95, 0.05], [0.2, 0.8]],
        epsilon=fed.epsilon,
        delta=fed.delta,
        names=fed.names,
    )
    needs = [fp.game.standalone(claimed)["alice"] for claimed in (fed, lie)]
    fees = [
        fp.settle(claimed, fp.plan(claimed, "lp"), cost_recovery=0.4, truth=fed).fees["alice"]
        for claimed in (fed, lie)
    ]
    return Finding(
        printed="an agent's constant is bounded by what it needs alone",
        found=f"a lie takes that from {needs[0]} samples to {needs[1]}; fedpact's fee does not move with it",
        is_confirmed=needs[0] != needs[1] and fees[0] == fees[1] > 0,
        values={"needs": needs, "fees": fees},
    )
