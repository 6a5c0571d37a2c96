"""A statement of payment in words: what a site gave, what it gets, and how to check that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fedpact.describe.costs import Cost
from fedpact.explain.explanation import Explanation, Fact, Table
from fedpact.explain.generic import explain_as, make_facts, make_points, make_table
from fedpact.explain.phrases import say_reason
from fedpact.explain.words import words_of
from fedpact.mechanism.payment.money import count_decimals, format_money, without_dust
from fedpact.mechanism.payment.rules import OWNERS
from fedpact.protocol.ledger.entry import well_formed
from fedpact.protocol.operator.statements import HELD_OUT_CONFIDENCE, Evaluation, Statement, judge_held_out
from fedpact.statistics.error_targets import limit_error

_WORDS = words_of("statement")
_AMOUNTS = ("labelling", "fee", "withheld", "amount")


class _Money:
    """Writes amounts that stand in one column, all with the same decimals.

    Examples
    --------
    >>> write = _Money([15.2, 0.0, 4.44e-16])
    >>> write(15.2), write(-4.44e-16), write(-0.5)
    ('15.20', '0.00', '−0.50')
    """

    def __init__(self, amounts: Iterable[float]) -> None:
        listed = list(amounts)
        self.total = max(map(abs, listed))
        self.decimals = count_decimals(listed)

    def __call__(self, value: float) -> str:
        return format_money(value, self.decimals, self.total)


def _money_of(*bodies: Mapping[str, Any]) -> _Money:
    return _Money(body[key] for body in bodies for key in _AMOUNTS)


def _rate(value: float) -> str:
    """Write a price, which has decimals of its own."""
    return _Money([value])(value)


def _time(text: str) -> str:
    """Write a time for people.

    Examples
    --------
    >>> _time("2001-09-09T01:46:40Z")
    '2001-09-09 01:46:40 UTC'
    """
    return text.replace("T", " ").replace("Z", " UTC")


def _say_price(cost: Any) -> str:
    """Say what a sample costs."""
    match cost:
        case {"quadratic": [linear, quadratic]}:
            return _WORDS.say("price.quadratic", linear=_rate(linear), quadratic=_rate(quadratic))
        case {"breakpoints": [*points], "slopes": [*slopes]} if points:
            steps = [
                _WORDS.say("price.step", rate=_rate(slope), point=point)
                for point, slope in zip(points, slopes, strict=False)
            ]
            return _WORDS.say("price.last", steps=", ".join(steps), last=_rate(slopes[-1]))
        case {"slopes": [slope]} | (int() | float() as slope):
            return _WORDS.say("price.linear", rate=_rate(slope))
    return str(Cost.from_plain(cost, "cost"))


def _list_requests(body: Mapping[str, Any]) -> Table:
    none = _WORDS.say("requests.no_answer")
    rows = [
        (
            _time(one["asked"]),
            none if one["answered"] is None else _time(one["answered"]),
            f"{one['first']:,}–{one['last']:,}",
            one["quota"],
            one["delivered"],
        )
        for one in body["requests"]
    ]
    return make_table(
        _WORDS,
        "requests",
        "asked, answered, samples number, quota count, delivered count",
        rows,
        note="" if rows else _WORDS.say("requests.none"),
        total=(_WORDS.say("requests.total"), None, None, body["quota"], body["contributed"]),
    )


def _list_lines(body: Mapping[str, Any], money: _Money) -> Iterator[tuple[str, str]]:
    """Give the lines that add up to what is paid, whatever the rule."""
    count, price, net = body["contributed"], _say_price(body["cost"]), body["amount"] + body["withheld"]
    yield _WORDS.say("settlement.labelling", m=count, price=price), money(body["labelling"])
    beyond = net + body["fee"] - body["labelling"]
    if body["rule"] == "none":
        yield _WORDS.say("settlement.none"), money(beyond)
    elif without_dust(beyond, money.total):
        yield _WORDS.say("settlement.beyond"), money(beyond)
    if without_dust(body["fee"], money.total):
        yield _WORDS.say(f"settlement.{'fee' if body['rule'] in OWNERS['fee'] else 'share'}"), money(-body["fee"])
    if body["why"] is not None:
        yield _WORDS.say("settlement.withheld"), money(-body["withheld"])


def _list_settlement(body: Mapping[str, Any], money: _Money, is_owed: bool) -> Table:
    due = _WORDS.say(f"settlement.{'owed' if is_owed else 'payable'}")
    meaning = words_of("rule").say(f"statement.{body['rule']}")
    return make_table(
        _WORDS,
        "settlement",
        "line, amount number",
        _list_lines(body, money),
        note=_WORDS.say("settlement.note", rule=body["rule"], words=meaning),
        total=(due, money(abs(body["amount"]))),
        rest=_WORDS.say("unit"),
    )


def _say_check(body: Mapping[str, Any]) -> dict[str, str]:
    """Say what was checked, and how the outcome does."""
    check, seen = body["check"], body["evaluation"]
    said = {"contribution": _WORDS.say("answers.nothing")}
    if check is not None:
        words, key = words_of("contribution-check"), f"status.{check['status']}"
        said = {
            "contribution": words.say(key) if key in words else check["status"],
            "level": _WORDS.say("answers.level", level=check["false_alarm_rate"]),
            "compared": _WORDS.say("answers.compared", tested=check["tested"], m=check["m"]),
        }
    said["chosen"] = str(body["hypothesis"])
    if seen is not None:
        limits = limit_error(seen["mistakes"], seen["n"], (1 - HELD_OUT_CONFIDENCE) / 2)
        verdict = judge_held_out(Evaluation(**seen))
        said["target"] = _WORDS.say(f"answers.{verdict}", **seen, low=limits.low, high=limits.high)
    return said


def _say_books(found: Statement) -> dict[str, str]:
    """Say by what a stranger can check the statement."""
    body, none, receipt = found.statement, _WORDS.say("answers.none"), found.receipt
    signed = None if receipt is None else {"at": _time(receipt["at"]), "entry": receipt["entry"]}
    return {
        "status": _WORDS.say(f"status.{found.status}"),
        "pact": body["pact_digest"],
        "statement": found.digest,
        "ledger": _WORDS.say("answers.ledger", entry=found.entry, hash=found.hash),
        "operator": body["operator"] or none,
        "signature": body.get("signature", none),
        "site_key": body["site_key"] or none,
        "receipt": none if signed is None else _WORDS.say("answers.receipt", **signed),
    }


def _list_facts(found: Statement) -> tuple[Fact, ...]:
    body, left = found.statement, found.statement["left"]
    said = {
        "number": f"{body['run']}/{found.entry}",
        "issued": _time(body["issued"]),
        "site": body["site"],
        "pact": body["pact"],
        "opened": _time(body["opened"]),
        "settled": _time(body["settled"]),
    }
    if left is not None:
        why = say_reason(left["code"], left["values"])
        said["left"] = words_of("reason").say("lost_at", step=left["step"], why=why)
    return make_facts(_WORDS, said)


def _list_warnings(found: Statement, money: _Money) -> Iterator[str]:
    body = found.statement
    if body["why"] is not None:
        yield _WORDS.say("withheld", withheld=money(body["withheld"]), why=say_reason(body["why"], {}))
    for key in ("disputed", "unproved"):
        if body.get(key):
            yield _WORDS.say(f"answers.{key}", sites=body[key])
    if found.status == "forged":
        yield _WORDS.say("forged", status=_WORDS.say("status.forged"))


def explain_statement(found: Statement) -> Explanation:
    """Explain a statement.

    Raises
    ------
    LedgerError
        If it does not hold what statements hold.
    """
    with well_formed(f"the statement in entry {found.entry}"):
        body = found.statement
        money = _money_of(body)
        is_owed = without_dust(body["amount"], money.total) < 0
        key, amount = "headline_owed" if is_owed else "headline", money(abs(body["amount"]))
        headline = _WORDS.say(key, amount=amount, site=found.site, m=body["contributed"])
        return explain_as(
            found,
            title=_WORDS.say("title", site=body["site"]),
            headline=" ".join([*_list_warnings(found, money), headline]),
            facts=_list_facts(found),
            tables=(_list_requests(body), _list_settlement(body, money, is_owed)),
            points=make_points(_WORDS, _say_check(body) | _say_books(found)),
            sentences=(_WORDS.say("footer"),),
        )


def explain_statements(listed: Sequence[Statement]) -> Explanation:
    """Explain the statements of one run, at least one, together."""
    with well_formed("a statement"):
        bodies = [found.statement for found in listed]
        money = _money_of(*bodies)
        received = [None if found.receipt is None else found.receipt["at"] for found in listed]
        rows = [
            (found.site, body["contributed"], *(money(body[key]) for key in _AMOUNTS), at)
            for found, body, at in zip(listed, bodies, received, strict=True)
        ]
        by_status = {
            status: [one.site for one in listed if one.status is status]
            for status in dict.fromkeys(one.status for one in listed)
        }
        paid = money(sum(body["amount"] for body in bodies))
        columns = "site, labelled count, cost number, fee number, withheld number, amount number, receipt"
        return Explanation(
            kind="statements",
            title=_WORDS.say("statements", run=listed[0].run, pact=bodies[0]["pact"]),
            headline=_WORDS.say("statements_headline", n=len(listed), paid=paid),
            tables=(make_table(_WORDS, "statements", columns, rows),),
            sentences=tuple(
                _WORDS.say("status_of", sites=", ".join(sites), status=_WORDS.say(f"status.{status}"))
                for status, sites in by_status.items()
            ),
        )
