"""A settlement in words: what each agent is paid, what that leaves it with, where the money comes from."""

from __future__ import annotations

from collections.abc import Mapping

from fedpact.explain.explanation import Chart, Explanation, Fact, Table
from fedpact.explain.generic import explain_as, make_chart, make_facts, make_table
from fedpact.explain.phrases import name_rule
from fedpact.explain.words import words_of
from fedpact.mechanism.payment.money import without_dust
from fedpact.mechanism.payment.settlement import Settlement

_WORDS = words_of("settlement")


def size_of(bill: Settlement) -> float:
    """Return how large the amounts of a settlement are."""
    return max(abs(bill.spend), bill.cost)


def clean_all(bill: Settlement, amounts: Mapping[str, float]) -> dict[str, float]:
    """Return amounts by agent without what is only rounding."""
    return {name: without_dust(amount, size_of(bill)) for name, amount in amounts.items()}


def find_concerned(bill: Settlement) -> tuple[str, ...]:
    """Return whose targets are missed or, if none is, who would leave."""
    return tuple(name for name, is_met in bill.met.items() if not is_met) or bill.leaving


def list_money(bill: Settlement) -> tuple[str, ...]:
    """Say what fees bring back of what was asked for, and what payments are beside the cost of labelling."""
    said = []
    if bill.cost_recovery is not None and bill.spend:
        said.append(_WORDS.say("recover", share=bill.recovered / bill.spend, asked=bill.cost_recovery))
    if without_dust(bill.overpayment, size_of(bill)) > 0:
        said.append(_WORDS.say("overpaid", overpayment=bill.overpayment))
    elif without_dust(bill.deficit, size_of(bill)) < 0:
        said.append(_WORDS.say("surplus"))
    return tuple(said)


def list_facts(bill: Settlement) -> tuple[Fact, ...]:
    """List what is paid out, what comes back, and what has to come from outside."""
    amounts = {"spend": bill.spend, "recovered": bill.recovered, "deficit": bill.deficit}
    return make_facts(_WORDS, {key: without_dust(value, size_of(bill)) for key, value in amounts.items()})


def _list_agents(bill: Settlement) -> Table:
    money = (bill.labelling, bill.fees, bill.payments, bill.worth, bill.utility, bill.utility_alone)
    keys = ("labelling", "fees", "payments", "worth", "utility", "utility_alone")
    columns = ", ".join(["agent", "contributions count", *(f"{key} number" for key in keys)])
    rows = [
        (name, bill.contributions[name], *(without_dust(amounts[name], bill.worth[name]) for amounts in money))
        for name in bill.payments
    ]
    return make_table(_WORDS, "payments", columns, rows)


def _describe(title: str, bill: Settlement, paid: Mapping[str, float]) -> tuple[str, ...]:
    most, owing = max(paid, key=lambda name: paid[name]), sum(amount < 0 for amount in paid.values())
    known = {"chart.paid": True, "chart.most": paid[most] > 0, "chart.owing": owing > 0}
    money = {"deficit": without_dust(bill.deficit, bill.spend), "cost": bill.cost, "amount": paid[most]}
    return _WORDS.say_those(known, rule=title, name=most, owing=owing, k=len(paid), **money)


def chart_payments(bill: Settlement, name: str = "payments") -> Chart:
    """Give the data of a chart: what each agent is paid."""
    title = name_rule(bill.rule, bill.pivot)
    paid, fees = clean_all(bill, bill.payments), clean_all(bill, bill.fees)
    beside = (bill.contributions, bill.labelling, fees, paid, bill.utility, bill.utility_alone)
    columns = "agent, contributions, labelling, fees, payments, utility, utility_alone"
    rows = [(agent, *(values[agent] for values in beside)) for agent in paid]
    return make_chart(_WORDS, name, columns, rows, _describe(title, bill, paid), title)


def explain_settlement(bill: Settlement) -> Explanation:
    """Explain a settlement."""
    agents, rules, note = find_concerned(bill), words_of("rule"), f"note.{bill.rule}"
    return explain_as(
        bill,
        title=_WORDS.say("title", name=bill.name, rule=name_rule(bill.rule, bill.pivot)),
        headline=_WORDS.say(f"status.{bill.status}", agents=agents, n=len(agents)),
        facts=list_facts(bill),
        sentences=(*list_money(bill), *rules.say_those({note: note in rules}), _WORDS.say("worth")),
        charts=(chart_payments(bill),),
        tables=(_list_agents(bill),),
    )
