"""A federation in words: who wants what, what is known of the data, and what one may stumble over."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fedpact.describe.federation import Federation
from fedpact.describe.settings import Assumed
from fedpact.describe.summary import FileCheck, Summary, summarise
from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import explain_as, make_table, say_assumption
from fedpact.explain.words import words_of

_WORDS, _COMMON = words_of("federation"), words_of("common")
OBJECTIVES: Mapping[str, str] = {code: _COMMON.say(f"objective.{code}") for code in ("pac", "expected")}
GUARANTEES: Mapping[str, str] = {code: _COMMON.say(f"guarantee.{code}") for code in ("per-agent", "joint")}


def _summary_of(about: Federation | Summary) -> Summary:
    return about if isinstance(about, Summary) else summarise(about)


def _say_range(values: Sequence[float], what: str = "") -> str:
    low, high = min(values), max(values)
    key = f"{what}_many" if what else "many"
    return _WORDS.say(f"range.{(what or 'one') if low == high else key}", low=low, high=high)


def _say_target(summary: Summary) -> str:
    is_expected = summary.objective == "expected"
    key = "expected" if is_expected else f"{summary.objective}-{summary.guarantee}"
    errors = _say_range([agent.epsilon for agent in summary.agents])
    who = _WORDS.say("target.one" if summary.k == 1 else "target.each")
    error = _WORDS.say("target.more" if summary.assume == "agnostic" else "target.any", errors=errors)
    return _WORDS.say(f"target.{key}", who=who, error=error, errors=errors, delta=summary.delta)


def describe(about: Federation | Summary) -> str:
    """Say in two sentences who wants what.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> describe(alice_bob())  # doctest: +NORMALIZE_WHITESPACE
    '2 agents want to learn which of 4 hypotheses is right. Each accepts an error of up to 0.1 on its own data,
    exceeded with probability 0.05 at most.'
    """
    summary = _summary_of(about)
    aim = "looks" if summary.assume == "agnostic" else "wants"
    wants = _WORDS.say(aim if summary.has_evidence else "waits", k=summary.k, H=summary.H)
    return f"{wants} {_say_target(summary)}"


def lead(fed: Federation) -> str:
    """Say who wants what, and what is assumed of labels: the first lines of a page.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> lead(alice_bob()).removeprefix(describe(alice_bob()))
    ' Assumed: some candidate agrees with every label.'
    """
    return f"{describe(fed)} {say_assumption(Assumed(assume=fed.assume, noise=fed.noise))}"


def say_evidence(about: Federation | Summary) -> str:
    """Say what is known of the data.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> say_evidence(alice_bob())
    'a table of 2 points'
    """
    summary = _summary_of(about)
    sizes = [size for size in (summary.fewest_points, summary.most_points) if size is not None]
    points = _say_range(sizes, "points") if sizes else ""
    said = [_WORDS.say(f"evidence.{summary.evidence}", points=points)]
    said += [
        _WORDS.say(f"evidence.{key}", names=names)
        for key, names in (("hidden", summary.hidden), ("noisy", summary.noisy))
        if names
    ]
    if summary.confidence is not None:
        said.append(_WORDS.say("evidence.confidence", confidence=summary.confidence))
    return "".join(said)


def observe(about: Federation | Summary) -> tuple[str, ...]:
    """List what one may stumble over, one sentence each; nothing if all is plain.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> observe(alice_bob())
    ()
    >>> observe(alice_bob().replace(capacity={"alice": 0, "bob": None}))
    ('alice has a capacity of 0: nothing can be asked for there.',)
    """
    summary = _summary_of(about)
    same, evidence = summary.H_given - summary.H, say_evidence(summary)
    plain = {
        "seen.alike": summary.H == 1,
        "seen.merged": summary.H > 1 and same > 0,
        "seen.sampled": summary.is_sampled,
    }
    found = _WORDS.say_those(plain, same=same, given=summary.H_given, evidence=evidence)
    odd = {
        "zero": [agent.name for agent in summary.agents if agent.epsilon == 0],
        "any": [agent.name for agent in summary.agents if agent.epsilon >= 1],
        "empty": [agent.name for agent in summary.agents if agent.capacity == 0],
    }
    return (*found, *(_WORDS.say(f"seen.{key}", names=who, n=len(who)) for key, who in odd.items() if who))


def fits_in_one_file(fed: Federation) -> bool:
    """Whether a federation can be written as one file: only tables can."""
    return fed.evidence.ENDING is None


def explain_summary(summary: Summary) -> Explanation:
    """Explain a summary of a federation."""
    known = _WORDS.say(
        "known" if summary.has_evidence else "terms",
        evidence=say_evidence(summary),
        objective=OBJECTIVES[summary.objective],
        guarantee=GUARANTEES[summary.guarantee],
        delta=summary.delta,
    )
    no_limit = _WORDS.say("no_limit")
    rows = [
        (one.name, one.epsilon, str(one.cost), no_limit if one.capacity is None else one.capacity)
        for one in summary.agents
    ]
    return explain_as(
        summary,
        title=_WORDS.say("title", name=summary.name),
        headline=describe(summary),
        sentences=(known, *observe(summary)),
        tables=(make_table(_WORDS, "agents", "agent, epsilon number, cost, capacity number", rows),),
    )


def explain_federation(fed: Federation) -> Explanation:
    """Explain a federation."""
    return replace(explain_summary(summarise(fed)), kind=fed.kind)


def explain_file_check(found: FileCheck) -> Explanation:
    """Explain what a file describes, or its problems."""
    if found.summary is None:
        problems = make_table(_WORDS, "problems", "problem", [(problem,) for problem in found.problems])
        headline = _WORDS.say("check.problems", n=len(found.problems))
        return Explanation(kind=found.kind, title=found.file, headline=headline, tables=(problems,))
    said = explain_summary(found.summary)
    is_terms = not found.summary.has_evidence
    sound = _WORDS.say("check.sound_terms" if is_terms else "check.sound", file=shlex.quote(found.file))
    return replace(said, kind=found.kind, sentences=(*said.sentences, sound))
