"""A verification in words: whether the contributions are enough, for whom not, and what is hardest."""

from __future__ import annotations

from fedpact.explain.explanation import Explanation, Mark, Table
from fedpact.explain.generic import explain_as, make_table
from fedpact.explain.words import words_of
from fedpact.statistics.verification import Verification

_WORDS = words_of("verification")


def _say_target(seen: Verification, name: str) -> Mark:
    if seen.met[name]:
        return Mark(_WORDS.say("met.yes"))
    is_missed = seen.failure[name].low > seen.allowed[name]
    return Mark(_WORDS.say("met.no" if is_missed else "met.unknown"), "bad")


def _list_agents(seen: Verification) -> Table:
    value = f"value_{seen.objective}"
    columns = f"agent, contributions count, {value} number, allowed number, met, how, worst_truth, blocking"
    rows = [
        (
            name,
            count,
            seen.failure[name],
            seen.allowed[name],
            _say_target(seen, name),
            _WORDS.say(f"how.{seen.how[name]}"),
            seen.worst_truth[name],
            seen.blocking.get(name),
        )
        for name, count in seen.contributions.items()
    ]
    return make_table(_WORDS, "agents", columns, rows)


def _list_sentences(seen: Verification) -> list[str]:
    said = []
    if seen.joint_failure is not None:
        how, allowed = _WORDS.say(f"how.{seen.joint_how}"), max(seen.allowed.values())
        said.append(_WORDS.say("joint.failure", failure=seen.joint_failure, how=how, allowed=allowed))
        hardest = "joint.hardest" if seen.joint_blocking is None else "joint.blocking"
        said.append(_WORDS.say(hardest, truth=seen.joint_worst_truth, blocking=seen.joint_blocking))
    if seen.simulated is not None:
        agent, failure = max(seen.simulated.items(), key=lambda entry: entry[1].high)
        said.append(_WORDS.say("simulated", noise=seen.noise, agent=agent, failure=failure))
    if seen.confidence < 1:
        said.append(_WORDS.say("confidence", confidence=seen.confidence))
    return said


def explain_verification(seen: Verification) -> Explanation:
    """Explain a verification."""
    verdict = _WORDS.say(f"status.{seen.status}", guarantee=seen.guarantee)
    samples = sum(seen.contributions.values())
    return explain_as(
        seen,
        headline=_WORDS.say("headline", samples=samples, cost=seen.cost, verdict=verdict),
        sentences=tuple(_list_sentences(seen)),
        tables=(_list_agents(seen),),
    )
