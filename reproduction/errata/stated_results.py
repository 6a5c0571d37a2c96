"""Errata A: stated results that fail as printed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

import fedpact as fp
from reproduction.errata.finding import Finding, as_exact, is_near, one_agent
from reproduction.errata.reports_in_tenths import Tenths, pay_contribution, pay_others_worth
from reproduction.own_points import list_reached, singletons_with_common_point


def check_a1() -> Finding:
    """Plan for expected error with the printed minimum and with the maximum."""
    fed = fp.examples.expected_min_counterexample()
    p = [as_exact(mass) for mass in fp.planning.disagreement(fed)[:, 0, 1].tolist()]
    epsilon = as_exact(float(fed.epsilon[0]))
    printed = math.log(epsilon / (2 * fed.H * min(p))) / math.log(1 - p[0])
    plans = ([math.ceil(printed), 0], fp.plan(fed, "lp").m.tolist())
    errors = [(1 - p[0]) ** m[0] * (1 - p[1]) ** m[1] * p[0] for m in plans]
    seen = [fp.verify(fed, m) for m in plans]
    agrees = all(is_near(one.failure["agent-1"].high, error) for one, error in zip(seen, errors, strict=True))
    return Finding(
        printed="the program with a minimum over the agents keeps every expected error within epsilon",
        found=f"it plans {tuple(plans[0])} and leaves agent 1 an error of {errors[0]}, above {epsilon}; with the "
        f"maximum the plan is {tuple(plans[1])} and the error {errors[1]}",
        is_confirmed=agrees and [one.is_feasible for one in seen] == [False, True],
        values={
            "printed": printed,
            "plans": {"minimum": plans[0], "maximum": plans[1]},
            "errors": {"minimum": str(errors[0]), "maximum": str(errors[1])},
        },
    )


def check_a2() -> Finding:
    """Try every report in tenths under pay-what-you-contribute, and the answer to one lie."""
    tenths = Tenths.of(fp.examples.pwyc_not_dominant(), "lp", pay_contribution)
    truth, lie = (Fraction(0), Fraction(1, 2)), Fraction(9, 10)
    answers = {own: tenths.utility(1, truth, tenths.plan((lie, own))) for own in (truth[1], Fraction(3, 4))}
    ex_post, dominant = tenths.count(others_lie=False), tenths.count(others_lie=True)
    return Finding(
        printed="truth is best whatever the others report",
        found=f"if agent 1 reports {lie}, the truth leaves agent 2 with {answers[truth[1]]} and a lie with "
        f"{answers[Fraction(3, 4)]}; of {dominant[1]:,} reports in tenths {dominant[0]} pay more than the truth "
        f"where the other may lie too, and of {ex_post[1]:,} {ex_post[0] or 'none'} where it is truthful",
        is_confirmed=answers[truth[1]] < answers[Fraction(3, 4)] and dominant[0] > ex_post[0] == 0,
        values={
            "utility": {"truth": str(answers[truth[1]]), "lie": str(answers[Fraction(3, 4)])},
            "ex_post": {"paying": ex_post[0], "tried": ex_post[1]},
            "dominant": {"paying": dominant[0], "tried": dominant[1]},
        },
    )


def check_a3() -> Finding:
    """Try them under VCG as printed, with cheaper samples of agent 1."""
    fed = fp.examples.pwyc_not_dominant("1/20")
    tenths = Tenths.of(fed, "exact", pay_others_worth)
    truth = (Fraction(0), Fraction(1, 2))
    plans = [tenths.plan(claim) for claim in (truth, (Fraction(9, 10), truth[1]))]
    honest, lying = (tenths.utility(0, truth, m) for m in plans)
    failed = fp.verify(fed, plans[1]).failure["agent-2"].high
    paying, tried = tenths.count(others_lie=False)
    return Finding(
        printed="VCG makes each agent report truthfully",
        found=f"a lie moves the plan from {plans[0]} to {plans[1]} and agent 1's utility from {honest} to {lying} "
        f"while agent 2 fails for certain; of {tried:,} reports in tenths {paying} pay more than the truth",
        is_confirmed=lying > honest and failed == 1 and paying > 0,
        values={
            "costs": [str(cost) for cost in tenths.costs],
            "utility": {"truth": str(honest), "lie": str(lying)},
            "paying": paying,
            "tried": tried,
        },
    )


def check_a4() -> Finding:
    """Compare a cover without {a, b}, which has no bad pair, with the class itself."""
    gamma = Fraction(1, 1000)
    masses = [Fraction(1, 10), gamma, 1 - Fraction(1, 10) - gamma]
    members = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    needs = [
        fp.game.standalone(one_agent(members[:size], masses, epsilon="1/10", delta="1/10"))["agent-1"]
        for size in (2, 3)
    ]
    return Finding(
        printed="a plan for a gamma-cover keeps errors within epsilon",
        found=f"within epsilon + 2 gamma: a cover asks for {needs[0]} samples where the class needs {needs[1]}",
        is_confirmed=needs[0] == 0 < (needs[1] or 0),
        values={"cover": needs[0], "class": needs[1], "gamma": str(gamma)},
    )


def check_a5() -> Finding:
    """Compare the fractional program of one agent and two hypotheses, its rounding and the optimum."""
    p, delta = Fraction(99, 100), Fraction(1, 100)
    fed = one_agent([[0, 0], [1, 0]], [p, 1 - p], epsilon=0, delta=delta)
    program = math.log(fed.H / delta) / -math.log(1 - p)
    factor, optimum = 1 + math.log(fed.H) / math.log(1 / delta), fp.game.standalone(fed)["agent-1"]
    rounded = math.ceil(program)
    return Finding(
        printed=f"the plan costs at most {factor:.2f} times the optimum",
        found=f"the optimum is {optimum}, the program {program:.2f}, its rounded plan {rounded}",
        is_confirmed=optimum == 1 and program <= factor + 1e-9 < rounded,
        values={"optimum": optimum, "program": program, "rounded": rounded, "factor": factor},
    )


def check_a6() -> Finding:
    """Look for local obliviousness beyond where it can hold, and below where the paper says it begins."""
    fed = fp.examples.singletons(epsilon=0.01)
    bound = 2 * math.log(fed.H / fed.delta) / -math.log(1 - float(fed.epsilon[0]))
    stated = 2 * fed.H * math.log(fed.H)
    beyond = fp.mechanism.obliviousness(fed, m=[400, 400])
    holds = (
        fp.mechanism.obliviousness(fed, m=[355, 355]).is_oblivious
        and fp.mechanism.obliviousness(fed, m=[6, 6]).is_oblivious
    )
    return Finding(
        printed=f"it is locally oblivious wherever both entries are {stated:.0f} or more",
        found=f"fractional plans ask {bound:.1f} in all at most, so not at (400, 400); "
        "it is at (6, 6) and (355, 355)",
        is_confirmed=beyond.status is fp.mechanism.ObliviousnessStatus.TOO_LARGE and holds and stated < 400,
        values={"H": fed.H, "bound": bound, "stated": stated},
    )


def check_a7() -> Finding:
    """Compute what alice needs alone on the price-of-stability family, beside (d + ln(1/delta))/epsilon."""
    ratios = {}
    for denominator in (8, 32, 128, 512):
        fed = fp.examples.price_of_stability(f"1/{denominator}")
        need = fp.game.standalone(fed)["alice"] or 0
        ratios[f"1/{denominator}"] = need / denominator / (1 + math.log(1 / fed.delta))
    values = list(ratios.values())
    return Finding(
        printed="an agent alone needs O((d + log(1/delta))/epsilon) samples",
        found="times that it needs "
        + ", ".join(f"{value:.2f} at epsilon = {epsilon}" for epsilon, value in ratios.items()),
        is_confirmed=bool((np.diff(values) > 0.3).all()),
        values={"ratios": ratios},
    )


def check_a8() -> Finding:
    """Try the lemma for expected error: its cube, its equation at the stated end, the cases that it reaches."""
    fed = singletons_with_common_point()
    epsilon, H = float(fed.epsilon[0]), fed.H
    outside = fp.Federation.from_table(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
        [[0.2, 0, 0.8], [0, 0.2, 0.8], [0.11, 0.11, 0.78]],
        epsilon=0.2,
        delta=0.5,
        objective="expected",
    )
    most, cube = max((fp.plan(outside, "lp").fractional or {"": math.nan}).values()), 2 * math.log(outside.H) / 0.2
    stated, end = 2 * math.log(H) / epsilon, math.log(H) / -math.log1p(-epsilon / 2)
    mass = max(epsilon / 2, 1 / (stated + 1))  # of all that are allowed, the one with the largest left side
    solved = (1 - mass) ** stated * mass / (epsilon / (2 * H))
    reached = [len(list_reached(fed, [7, 7])), fp.mechanism.obliviousness(fed, m=[7, 7]).reached]
    return Finding(
        printed=f"plans fill the cube up to {cube:.2f}, masses exist up to {stated:.2f}, all 8 cases are reached",
        found=f"a plan asks {most:.2f} of one agent; at the stated end the equation reaches {solved:.3f} of what "
        f"it must, masses exist up to {end:.2f}; {reached[0]} of 8 cases, {reached[1]} by two rare points",
        is_confirmed=most > cube and solved < 1 and end < stated and reached[0] < reached[1] == 8,
        values={
            "cube": cube,
            "asked": most,
            "stated_end": stated,
            "end": end,
            "share_of_equation": solved,
            "reached": {"printed": reached[0], "two_rare_points": reached[1]},
        },
    )
