"""What every result must satisfy, recomputed from the federation; nothing that the result says is trusted."""

import json
from fractions import Fraction

import pytest

import fedpact as fp
from oracle import answer, threshold

SLACK = 1e-9
KEYS = {
    "contributions", "met", "feasible", "cost", "worst_target", "blocking", "status", "how", "confidence",
    "method", "objective", "guarantee",
}  # fmt: skip
JOINT_KEYS = {"joint_failure", "joint_how", "joint_worst_target", "joint_blocking"}
DECIDED = {
    fp.VerificationStatus.MET: True,
    fp.VerificationStatus.MISSED: False,
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
    assert list(seen.failure) == list(seen.met) == list(seen.how) == list(seen.worst_target) == names
    assert seen.contributions == dict(zip(names, case.m, strict=True))
    assert seen.cost == pytest.approx(sum(c * count for c, count in zip(case.cost, case.m, strict=True)))
    verdicts = []
    for agent, name in enumerate(names):
        value = truth.worst(case.objective, agent)
        limit = threshold(case.instance, case.objective, agent)
        verdicts.append(must_be_met(value, limit))
        check_interval(seen.failure[name], value, is_exact=seen.how[name] == "exact")
        check_claim(seen.met[name], seen.failure[name], verdicts[-1])
        check_worst_target(case, seen, truth, agent, name)
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


def check_worst_target(case, seen, truth, agent, name):
    target = int(seen.worst_target[name].removeprefix("h")) - 1
    values = [row[agent] for row in truth.by_target(case.objective)]
    if seen.how[name] == "exact":
        assert values[target] >= max(values) - Fraction(SLACK)


def check_blocking(case, seen, names):
    """Whoever is not met is told a hypothesis that is bad for it against the target it was told."""
    assert set(seen.blocking) == {name for name in names if not seen.met[name]}
    for name, blocker in seen.blocking.items():
        h, target = (int(text.removeprefix("h")) - 1 for text in (blocker, seen.worst_target[name]))
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
    assert seen.is_feasible == (seen.status in (fp.VerificationStatus.MET, fp.VerificationStatus.LIKELY))
    assert seen.status is not fp.VerificationStatus.LIKELY or seen.confidence < 1
    if None not in verdicts and seen.status in DECIDED:
        assert DECIDED[seen.status] == all(verdicts)


def check_dict(case, seen):
    """The dictionary that ``--json`` prints: known keys, plain values, and nothing lost on the way back."""
    entry = json.loads(json.dumps(seen.to_dict(), allow_nan=False))
    value = "failure" if case.objective == "pac" else "expected_error"
    is_joint = seen.joint_failure is not None
    assert set(entry) == KEYS | {value} | (JOINT_KEYS if is_joint else set())
    assert entry["feasible"] == seen.is_feasible
    assert entry["status"] == seen.status.value
    for name, interval in seen.failure.items():
        expected = {"value"} if interval.low == interval.high else {"low", "high"}
        assert set(entry[value][name]) == expected
    assert fp.Verification.from_dict(entry) == seen
