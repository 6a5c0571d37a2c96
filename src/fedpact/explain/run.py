"""A run in words: what was chosen and paid, how it does at each site, and what an operator must not overlook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fedpact.explain.explanation import Explanation, Fact, Mark, Table
from fedpact.explain.generic import explain_as, make_table
from fedpact.explain.phrases import say_reason
from fedpact.explain.words import words_of
from fedpact.mechanism.payment.money import without_dust
from fedpact.protocol.operator.outcome import RunOutcome
from fedpact.protocol.operator.statements import judge_held_out

_WORDS = words_of("run-outcome")
_VERDICTS = {"within": ("met", "good"), "above": ("missed_by", "bad"), "unsettled": ("open", "so-so")}
_COLUMNS = ("site", "samples count", "paid number", "error share", "target", "note")


def _say_note(outcome: RunOutcome, site: str) -> str:
    said = []
    if (lost := outcome.gone.get(site)) is not None:
        said.append(_WORDS.say("gone", step=lost.step, why=say_reason(lost.code, lost.values)))
    if site in outcome.withheld:
        said.append(_WORDS.say("withheld", why=say_reason(outcome.withheld[site], {})))
    return "; ".join(said)


def _row(outcome: RunOutcome, site: str) -> tuple[Any, ...]:
    seen, paid = outcome.evaluation[site], outcome.payments.get(site)
    target = None
    if seen is not None:
        key, mood = _VERDICTS[judge_held_out(seen)]
        target = Mark(_WORDS.say(key, epsilon=seen.epsilon), mood)  # type: ignore[arg-type]
    return (
        site,
        outcome.contributions[site],
        None if paid is None else without_dust(paid, 1.0),
        None if seen is None else seen.error,
        target,
        _say_note(outcome, site) or None,
    )


def _list_sites(outcome: RunOutcome) -> Table:
    """List the sites; a column where nobody has anything is left out."""
    rows = [_row(outcome, site) for site in outcome.contributions]
    kept = [place for place in range(len(_COLUMNS)) if any(row[place] is not None for row in rows)]
    columns = ", ".join(_COLUMNS[place] for place in kept)
    return make_table(_WORDS, "sites", columns, [tuple(row[place] for place in kept) for row in rows])


def _list_facts(outcome: RunOutcome, samples: int) -> Iterator[Fact]:
    if outcome.hypothesis is None:
        return
    chosen = _WORDS.say("facts.hypothesis", mistakes=outcome.mistakes, samples=samples)
    yield Fact(label=chosen, value=outcome.hypothesis, is_in_headline=True)
    if outcome.payments:
        yield Fact(label=_WORDS.say("facts.paid"), value=without_dust(outcome.deficit, 1.0), is_in_headline=True)
    known = [judge_held_out(seen) == "within" for seen in outcome.evaluation.values() if seen is not None]
    if known:
        value = _WORDS.say("facts.met_value", met=sum(known), k=len(outcome.met))
        yield Fact(label=_WORDS.say("facts.met"), value=value, is_in_headline=True)


def _list_sentences(outcome: RunOutcome) -> tuple[str, ...]:
    """Say what an operator must not overlook, then how the run stands."""
    why = outcome.why and say_reason(outcome.why.code, outcome.why.values)
    labelled = [site for site, m in outcome.contributions.items() if m]
    verdicts = {site: judge_held_out(seen) for site, seen in outcome.evaluation.items() if seen is not None}
    missed, unsettled = (
        [site for site, one in verdicts.items() if one == wanted] for wanted in ("above", "unsettled")
    )
    known = {
        "why": why is not None,
        "unrealizable": bool(outcome.mistakes),
        "missed": bool(missed),
        "unsettled": bool(unsettled),
        "flagged": bool(outcome.withheld),
        "disputed": bool(outcome.disputed),
        "sole": len(labelled) == 1 < len(outcome.contributions) and outcome.hypothesis is not None,
        "unproved": bool(outcome.unproved),
        "refusals": outcome.refusals > 0,
        f"status.{outcome.status}": True,
    }
    disputes = [
        _WORDS.say(
            "sole" if one.hypothesis is None else "dispute",
            site=site,
            hypothesis=one.hypothesis,
            targets=list(one.targets),
        )
        for site, one in outcome.disputed.items()
    ]
    return _WORDS.say_those(
        known,
        why=why,
        mistakes=outcome.mistakes,
        sites=missed,
        unsettled=unsettled,
        n=outcome.refusals,
        flagged=list(outcome.withheld),
        sole=labelled[0] if labelled else None,
        disputes="; ".join(disputes),
        unproved=list(outcome.unproved),
    )


def explain_run_outcome(outcome: RunOutcome) -> Explanation:
    """Explain what came of a run."""
    samples = sum(outcome.contributions.values())
    key = "headline" if outcome.payments else "headline_unpaid"
    said = {"hypothesis": outcome.hypothesis, "mistakes": outcome.mistakes, "samples": samples}
    return explain_as(
        outcome,
        headline=_WORDS.say("headline_early")
        if outcome.hypothesis is None
        else _WORDS.say(key, **said, paid=without_dust(outcome.deficit, 1.0)),
        facts=tuple(_list_facts(outcome, samples)),
        tables=(_list_sites(outcome),),
        sentences=_list_sentences(outcome),
    )
