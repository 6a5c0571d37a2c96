"""What every result must satisfy, recomputed from the federation; nothing that the result says is trusted."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.certificates import requirements_of
from fedpact.statistics.engine import Engine
from oracle import answer, threshold

SLACK = 1e-9
KEYS = {
    "assume",
    "kind", "schema", "contributions", "met", "feasible", "cost", "allowed", "worst_truth", "blocking", "status",
    "how", "confidence", "method", "objective", "guarantee", "name",
}  # fmt: skip
JOINT_KEYS = {"joint_failure", "joint_how", "joint_worst_truth"}
DECIDED = {
    fp.planning.VerificationStatus.MET: True,
    fp.planning.VerificationStatus.MISSED: False,
}


def must_be_met(value, limit):
    """True or False where the rule decides; None within the tolerance that counts as a tie (see describe.ties)."""
    if value <= limit:
        return True
    return False if value > limit + min(Fraction(1, 10**9), limit / 1000) + Fraction(1, 10**11) else None


def check_verification(case, seen):
    """Compare a verification with the oracle's answer; returns that answer."""
    truth = answer(case.instance, case.m)
    names = [f"agent-{i + 1}" for i in range(case.k)]
    assert list(seen.failure) == list(seen.met) == list(seen.how) == list(seen.worst_truth) == names
    assert seen.contributions == dict(zip(names, case.m, strict=True))
    assert seen.cost == pytest.approx(sum(c * count for c, count in zip(case.cost, case.m, strict=True)))
    verdicts = []
    for agent, name in enumerate(names):
        value = truth.worst(case.objective, agent)
        limit = threshold(case.instance, case.objective, agent)
        verdicts.append(must_be_met(value, limit))
        check_interval(seen.failure[name], value, is_exact=seen.how[name] == "exact")
        check_claim(seen.met[name], seen.failure[name], verdicts[-1])
        check_worst_truth(case, seen, truth, agent, name)
    check_blocking(case, seen, names)
    check_feasible(case, seen, truth, verdicts)
    check_dict(case, seen)
    return truth


def check_interval(interval, value, *, is_exact):
    assert 0 <= interval.low <= interval.high <= 1
    assert interval.low - SLACK <= value <= interval.high + SLACK
    assert not is_exact or interval.low == interval.high


def check_claim(is_met, interval, verdict):
    """A known value must be judged rightly; an interval must not claim what is false."""
    if interval.low == interval.high:
        assert verdict in (None, is_met)
    else:
        assert not (is_met and verdict is False)


def check_worst_truth(case, seen, truth, agent, name):
    target = int(seen.worst_truth[name].removeprefix("h")) - 1
    values = [row[agent] for row in truth.by_truth(case.objective)]
    if seen.how[name] == "exact":
        assert values[target] >= max(values) - Fraction(SLACK)


def check_blocking(case, seen, names):
    """Whoever is not met is told a hypothesis that is bad for it against the truth it was told."""
    assert set(seen.blocking) == {name for name in names if not seen.met[name]}
    for name, blocker in seen.blocking.items():
        h, target = (int(text.removeprefix("h")) - 1 for text in (blocker, seen.worst_truth[name]))
        agent = names.index(name)
        least = case.instance.epsilon[agent] if case.objective == "pac" else 0
        assert case.instance.rate(agent, target, h) > least


def check_feasible(case, seen, truth, verdicts):
    is_joint = case.guarantee == "joint" and case.objective == "pac"
    assert (seen.joint_failure is not None) == is_joint
    if is_joint:
        value = max(truth.joint)
        check_interval(seen.joint_failure, value, is_exact=case.kind != "reports" and seen.method == "exact")
        check_claim(seen.is_feasible, seen.joint_failure, must_be_met(value, case.instance.delta))
        verdicts = [must_be_met(value, case.instance.delta)]
    else:
        assert seen.is_feasible == all(seen.met.values())
    assert seen.is_feasible == (
        seen.status in (fp.planning.VerificationStatus.MET, fp.planning.VerificationStatus.LIKELY)
    )
    assert seen.status is not fp.planning.VerificationStatus.LIKELY or seen.confidence < 1
    if None not in verdicts and seen.status in DECIDED:
        assert DECIDED[seen.status] == all(verdicts)


def check_dict(case, seen):
    """The dictionary that ``--json`` prints: known keys, plain values, and nothing lost on the way back."""
    entry = json.loads(json.dumps(seen.to_dict(), allow_nan=False))
    value = "failure" if case.objective == "pac" else "expected_error"
    is_joint = seen.joint_failure is not None
    blocking = {"joint_blocking"} if is_joint and not seen.is_feasible else set()
    assert set(entry) == KEYS | {value} | (JOINT_KEYS if is_joint else set()) | blocking
    assert entry["feasible"] == seen.is_feasible
    assert entry["status"] == seen.status.value
    for name, interval in seen.failure.items():
        expected = {"value"} if interval.low == interval.high else {"low", "high"}
        assert set(entry[value][name]) == expected
    assert fp.Verification.from_dict(entry) == seen


def is_enough(fed, m):
    """Whether each row of ``m`` meets the targets, by a fresh engine."""
    return Engine(fed).is_met(np.asarray(m), requirements_of(fed)).all(axis=1)


def cheaper_vectors(fed, cost, least):
    """All contribution vectors from ``least`` on that cost less, and no more than about fifty thousand of them."""
    spare = max(0.0, cost - 1e-9 - fed.cost_of(least))
    most = [
        int(min(count + spare / agent.cost.marginal(count), np.inf if agent.capacity is None else agent.capacity))
        for count, agent in zip(least, fed.agents, strict=True)
    ]
    if np.prod([high + 1.0 - low for low, high in zip(least, most, strict=True)]) > 50_000:
        return None
    grid = np.array(
        list(itertools.product(*(range(low, high + 1) for low, high in zip(least, most, strict=True))))
    )
    return grid[[fed.cost_of(row) < cost - 1e-9 for row in grid]]


def check_plan(fed, found, at_least=None):
    """Recompute feasibility, cost, lower bound and ratio; trusts nothing that the plan says."""
    least = [0] * fed.k if at_least is None else list(at_least)
    assert found.at_least == (dict(zip(fed.names, least, strict=True)) if any(least) else None)
    assert all(
        low <= count <= (np.inf if agent.capacity is None else agent.capacity)
        for low, count, agent in zip(least, found.m, fed.agents, strict=True)
    )
    assert is_enough(fed, found.m[None])[0]
    assert found.cost == pytest.approx(fed.cost_of(found.m))
    assert found.lower_bound <= found.cost + 1e-9
    assert found.ratio == pytest.approx(max(1.0, found.cost / found.lower_bound) if found.cost else 1.0)
    assert fp.Plan.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False))) == found
    assert found.fractional is None or all(
        float(found.fractional[name]) >= low for name, low in zip(fed.names, least, strict=True)
    )
    cheaper = cheaper_vectors(fed, found.cost, least)
    if cheaper is not None:
        feasible = cheaper[is_enough(fed, cheaper)] if len(cheaper) else cheaper
        optimum = min([found.cost, *(fed.cost_of(row) for row in feasible)])
        assert found.lower_bound <= optimum + 1e-9
        if found.status is fp.planning.PlanStatus.OPTIMAL:
            assert optimum == pytest.approx(found.cost)
