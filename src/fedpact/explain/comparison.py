"""A comparison in words: what each way to organise a federation costs, and which targets it meets."""

from __future__ import annotations

from fedpact.comparison.result import ComparedRow, Comparison
from fedpact.explain.explanation import Explanation, Mark, Table
from fedpact.explain.generic import explain_as, make_table, say_refusal, say_status
from fedpact.explain.phrases import say_shortfall
from fedpact.explain.words import words_of

_WORDS = words_of("comparison")


def _name_method(method: str) -> str:
    return _WORDS.texts.get(f"method.{method}", method)


def _count_met(row: ComparedRow) -> str:
    return _WORDS.say("count_met", met=row.targets_met, k=len(row.met))


def _say_refusal(comparison: Comparison, row: ComparedRow) -> str:
    if row.refusal is None:
        return ""
    if row.refusal.code != "not-alone":
        total = max((need or 0 for need in comparison.standalone.values()), default=0)
        return say_refusal(row.refusal, _WORDS, total=total)
    (name, why), *others = comparison.dependent.items()
    said = say_shortfall(name, why)
    return _WORDS.say("more_reasons", why=said, n=len(others)) if others else said


def _say_known(comparison: Comparison, row: ComparedRow) -> str:
    """Say what is known of a row: how good its plan is, or why it has none, or is not enough."""
    if row.is_feasible and row.ratio is not None and row.status != "one-candidate":
        return _WORDS.say("row.optimal") if row.ratio == 1 else _WORDS.say("ratio", ratio=row.ratio)
    seen = row.verification
    checked = "" if seen is None else _WORDS.say(f"verified.{seen.status}", guarantee=comparison.guarantee)
    extreme = _WORDS.texts.get(f"extreme.{row.method}", "")
    why = _say_refusal(comparison, row)
    known = _WORDS.say(f"row.{row.status}", checked=checked, extreme=extreme, why=why)
    if seen is None or seen.is_feasible or known == checked:
        return known
    return _WORDS.say("checked", known=known, checked=checked)


def _list_rows(comparison: Comparison) -> Table:
    rows = [
        (
            _name_method(row.method),
            row.samples,
            row.cost,
            None if (times := comparison.times_best(row)) is None else f"{times:.2f}",
            Mark(_count_met(row), "good" if row.is_feasible else "bad") if row.met else None,
            _say_known(comparison, row),
        )
        for row in comparison.rows
    ]
    columns = "method, samples count, cost number, times number, targets_met number, note prose"
    return make_table(_WORDS, "rows", columns, rows)


def _say_alone(comparison: Comparison) -> str:
    row = comparison.row("alone")
    times = comparison.times_best(row)
    if row.cost is None:
        return _WORDS.say("alone.cannot", met=_count_met(row))
    if not row.is_feasible:
        return _WORDS.say("alone.misses", cost=row.cost, guarantee=comparison.guarantee)
    if times is None:
        return _WORDS.say("alone.cost", cost=row.cost)
    return _WORDS.say("alone.same" if times == 1 else "alone.times", times=times)


def _say_met(key: str, row: ComparedRow) -> str:
    is_split = all(row.met.values()) and not row.is_feasible
    return _WORDS.say(f"{key}.{'not_jointly' if is_split else 'met'}", met=_count_met(row))


def _say_equilibria(comparison: Comparison) -> str:
    row = comparison.row("best-equilibrium")
    best, worst = (comparison.times_best(comparison.row(f"{which}-equilibrium")) for which in ("best", "worst"))
    if not row.contributions:
        return _WORDS.say("equilibria.none", why=_say_known(comparison, row))
    if not row.is_feasible or best is None or worst is None:
        return _say_met("equilibria", row)
    return _WORDS.say(f"equilibria.{'same' if best == worst else 'times'}", best=best, worst=worst)


def explain_comparison(comparison: Comparison) -> Explanation:
    """Explain a comparison."""
    headline, row = say_status(comparison), comparison.row("exchangeable")
    counted = _say_met("exchangeable", row) if row.met else _WORDS.say("exchangeable.none")
    said: tuple[str, ...] = (_say_alone(comparison), counted, _say_equilibria(comparison))
    if any(row.status == "one-candidate" for row in comparison.rows):
        headline, said = _WORDS.say("headline_one"), (_WORDS.say("measure"),)
    elif comparison.best is not None:
        method = _name_method(comparison.best)
        headline = _WORDS.say("headline", cost=comparison.row(comparison.best).cost, method=method)
    return explain_as(
        comparison,
        headline=headline,
        sentences=said,
        tables=(_list_rows(comparison),),
    )
