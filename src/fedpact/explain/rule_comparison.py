"""Payment rules side by side in words: what each pays, and what an audit found against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fedpact.explain.audit import gain_of, list_witness, say_truthful
from fedpact.explain.explanation import Chart, Explanation, Mark, Table
from fedpact.explain.generic import explain_as, make_chart, make_table, say_refusal
from fedpact.explain.phrases import name_rule, say_rule
from fedpact.explain.settlement import chart_payments, find_concerned, size_of
from fedpact.explain.words import words_of
from fedpact.mechanism.audit.compare_rules import RuleComparison, RuleRow
from fedpact.mechanism.audit.result import Audit
from fedpact.mechanism.payment.money import without_dust
from fedpact.mechanism.payment.settlement import Settlement

_WORDS = words_of("rule-comparison")


def _refuse(row: RuleRow) -> tuple[Any, ...]:
    """Return what stands beside a rule that was not applied or not audited."""
    why = "" if row.refusal is None else say_refusal(row.refusal)
    return (Mark(_WORDS.say("refused", why=why), ""),)


def _list_money(bill: Settlement) -> tuple[Any, ...]:
    amounts = (bill.spend, bill.recovered, bill.deficit, bill.overpayment)
    outcome = _WORDS.say(f"outcome.{bill.status}", agents=find_concerned(bill))
    mark = Mark(outcome, "good" if bill.status == "accepted" else "bad")
    return (*(without_dust(amount, size_of(bill)) for amount in amounts), mark)


def _list_verdict(seen: Audit) -> tuple[Any, ...]:
    mood = "bad" if seen.gain > 0 else "" if seen.witness is None else "so-so"
    return (
        say_truthful(seen),
        gain_of(seen.gain, seen.ex_post.tried),
        gain_of(seen.gain_dominant, seen.dominant.tried),
        gain_of(seen.gain_coalition, seen.pair.tried + seen.split.tried),
        Mark(_WORDS.say(f"verdict.{seen.status}"), mood),  # type: ignore[arg-type]
    )


def _name(row: RuleRow, *, has_meaning: bool = False) -> Mark:
    hint = say_rule(row.rule, row.pivot) if has_meaning else ""
    return Mark(name_rule(row.rule, row.pivot), "", hint=hint)


def _list_witnesses(row: RuleRow, seen: Audit) -> Table:
    """List the misreports that were found under a rule."""
    most = max(seen.gain_dominant, seen.gain_coalition)
    rows = [
        (words_of("audit").say(f"scenario.{one.scenario}"), " ".join(list_witness(one.witness)))
        for one in seen.findings
        if one.witness is not None
    ]
    title = _WORDS.say("witness", rule=name_rule(row.rule, row.pivot), gain=most)
    name = f"witness-{row.rule}-{row.pivot or 'none'}"
    return make_table(_WORDS, name, "scenario, witness prose", rows, title=title, is_folded=True)


def _describe(rows: Sequence[tuple[str, float, float, float]]) -> tuple[str, ...]:
    safe = tuple(row[0] for row in rows if max(row[1:]) == 0)
    worst, tempting = max(rows, key=lambda row: row[1]), sum(row[1] > 0 for row in rows)
    known = {"chart.rules": True, "chart.tempting": tempting > 0, "chart.safe": bool(safe)}
    return _WORDS.say_those(known, all=len(rows), n=tempting, rule=worst[0], gain=worst[1], rules=safe)


def _chart_gains(found: RuleComparison) -> tuple[Chart, ...]:
    """Give the data of the chart: the gains under every rule that could be audited."""
    rows = tuple(
        (name_rule(row.rule, row.pivot), seen.gain, seen.gain_dominant, seen.gain_coalition)
        for row in found.rows
        if (seen := row.audit) is not None
    )
    columns = "rule, gain, gain_dominant, gain_coalition"
    return (make_chart(_WORDS, "audit", columns, rows, _describe(rows)),) if rows else ()


def explain_payments(found: RuleComparison) -> Explanation:
    """Explain what every rule pays."""
    bills = [row.settlement for row in found.rows if row.settlement is not None]
    columns = "rule, spend number, recovered number, deficit number, overpayment number, outcome prose"
    rows = [
        (_name(row, has_meaning=True), *(_list_money(row.settlement) if row.settlement else _refuse(row)))
        for row in found.rows
    ]
    return explain_as(
        found,
        headline="",
        sentences=(_WORDS.say("deficit"),),
        charts=tuple(chart_payments(bill, f"payments-{place}") for place, bill in enumerate(bills)),
        chooser=_WORDS.say("chooser"),
        tables=(make_table(_WORDS, "rules", columns, rows),),
    )


def explain_audits(found: RuleComparison) -> Explanation:
    """Explain what was found against every rule."""
    seen = [(row, row.audit) for row in found.rows if row.audit is not None]
    tried = _WORDS.say("tried", tried=sum(audit.tried for _, audit in seen), method=found.method)
    return explain_as(
        found,
        headline="",
        sentences=(tried, *([] if found.is_complete else [_WORDS.say("stopped")])),
        charts=_chart_gains(found),
        tables=(
            make_table(
                _WORDS,
                "verdicts",
                "rule, truthful, gain number, gain_dominant number, gain_coalition number, verdict prose",
                [(_name(row), *(_list_verdict(row.audit) if row.audit else _refuse(row))) for row in found.rows],
                title=_WORDS.say("verdicts"),
                note=_WORDS.say("gains"),
            ),
            *(_list_witnesses(row, audit) for row, audit in seen if audit.witness is not None),
        ),
    )


def explain_rule_comparison(found: RuleComparison) -> Explanation:
    """Explain what every rule pays and, where audits were made, what they found."""
    paid = explain_payments(found)
    if all(row.audit is None for row in found.rows):
        return paid
    seen = explain_audits(found)
    return replace(seen, sentences=(*paid.sentences, *seen.sentences), tables=(*paid.tables, *seen.tables))
