"""No payment rule is half added: each has a claim, terms that exist, and all its words."""

import typing

import pytest

from fedpact.cli.audit import audit
from fedpact.cli.pay import pay
from fedpact.cli.run import run
from fedpact.explain.words import words_of
from fedpact.mechanism.payment.rule import PlanningRule, Rule, Truthful
from fedpact.mechanism.payment.rules import CODES, OWN, RULES, TERMS
from fedpact.protocol.pact import RUN_RULES


def find_gaps(name, rule, words):
    """What a rule in the table still lacks."""
    senses = ("in_data", "in_costs")
    yield from (f"{sense} must claim" for sense in senses if not isinstance(getattr(rule, sense, 0), Truthful))
    yield from (f"term {term} does not exist" for term in rule.terms if term not in TERMS)
    if rule.private not in ("data", "costs"):
        yield "private must be data or costs"
    if not type(rule).__doc__:
        yield "its class must say what it pays"
    wanted = ["title", "meaning", *(["statement"] if rule.pays_for_any_plan else [])]
    yield from (f"explain/words/rule.toml lacks {part}.{name}" for part in wanted if f"{part}.{name}" not in words)


def test_every_rule_is_added_in_full_and_every_word_has_a_rule():
    words = words_of("rule")
    assert {name: gaps for name, rule in RULES.items() if (gaps := list(find_gaps(name, rule, words)))} == {}
    named = {key.partition(".")[2] for key in words.texts if not key.startswith("clarke.")}
    assert named == set(CODES)
    titles = [key.partition(".")[2] for key in words.texts if key.startswith("title.")]
    assert titles == list(CODES), "help lists rules in the order of their titles"


def test_a_rule_half_added_is_noticed():
    class Flat(Rule):
        terms = ("tip",)

        def pay(self, case, agent):
            raise NotImplementedError

    assert list(find_gaps("flat", Flat(), words_of("rule"))) == [
        "in_data must claim",
        "in_costs must claim",
        "term tip does not exist",
        "its class must say what it pays",
        *(f"explain/words/rule.toml lacks {part}.flat" for part in ("title", "meaning", "statement")),
    ]
    with pytest.raises(TypeError, match="abstract"):
        type("Payless", (Rule,), {})()


def test_a_run_takes_the_rules_that_pay_for_any_plan():
    others = {name for name, rule in RULES.items() if rule.needs_optimum or isinstance(rule, PlanningRule)}
    assert set(RUN_RULES) == set(RULES) - others
    assert OWN not in RULES


@pytest.mark.parametrize(("command", "rules"), [(pay, RULES), (audit, RULES), (run, RUN_RULES)])
def test_the_help_of_a_command_names_every_rule_that_it_takes(command, rules):
    option = typing.get_type_hints(command, include_extras=True)["rule"].__metadata__[0]
    assert [rule for rule in rules if rule not in option.help] == []
